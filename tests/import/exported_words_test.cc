// SPDX-License-Identifier: Apache-2.0
// The small languages inside exported programs: module stacks, sympy, and what Python adds to JSON.
#include <gtest/gtest.h>

#include <string>

#include "import/pt2/pt2_text.h"

namespace berth {
namespace {

TEST(PythonJson, QuotingKeepsTheLength) {
  for (const std::string text : {"[-Infinity,NaN,-1,Infinity]", "[\"Na\\\"N\",NaN", "\"open NaN \\", "I N NaN"}) {
    std::string quoted = text;
    quote_non_finite_numbers(quoted);
    EXPECT_EQ(quoted.size(), text.size());
  }
}

TEST(ModulePath, InnermostModule) {
  EXPECT_EQ(innermost_module(""), "");
  EXPECT_EQ(innermost_module("L__self__,,my.Net"), "");
  EXPECT_EQ(innermost_module("L__self__,,my.Net;L__self__layer1.0.conv1,layer1.0.conv1,torch.nn.Conv2d"),
            "layer1.0.conv1");
  EXPECT_EQ(innermost_module("L__self__layer1.relu@2,layer1.relu@2,torch.nn.ReLU"), "layer1.relu");
  EXPECT_EQ(innermost_module("L__self___layer1_0,L['self'].layer1[0].conv['a.b'],torch.nn.Conv2d"),
            "layer1.0.conv.a.b");
  EXPECT_EQ(innermost_module("k,L['self'],my.Net"), "");
  EXPECT_EQ(innermost_module("L__net___layer1_0,L['net'].layer1[0].conv,torch.nn.Conv2d"), "layer1.0.conv")
      << "forward(net, x): its first argument may have any name";
  EXPECT_EQ(innermost_module("k,L['net'],my.Net"), "");
  EXPECT_EQ(innermost_module("k,L['net,T"), "L.net,T") << "whatever is there, it ends";
  EXPECT_EQ(innermost_module("k,seq.slice(1, None, None).0,my.Type[a, b]"), "seq.slice(1, None, None).0");
  EXPECT_EQ(innermost_module("k,self_attention.q,T"), "self_attention.q");
  EXPECT_EQ(innermost_module(";;,;"), "");
  EXPECT_EQ(innermost_module("k,a[0"), "a.0") << "whatever is there, it ends";
}

TEST(SymbolText, SympyAsPeopleWriteIt) {
  EXPECT_EQ(readable_symbol("s0"), "s0");
  EXPECT_EQ(readable_symbol("2*s0"), "2*s0");
  EXPECT_EQ(readable_symbol("Symbol('s77', positive=True, integer=True)"), "s77");
  EXPECT_EQ(readable_symbol("Add(Mul(Integer(2), Symbol('s0')), Integer(-1))"), "2*s0 - 1");
  EXPECT_EQ(readable_symbol("Mul(Integer(2), Add(Symbol('a'), Integer(3)))"), "2*(a + 3)");
  EXPECT_EQ(readable_symbol("Pow(Symbol('a'), Integer(2))"), "a**2");
  EXPECT_EQ(readable_symbol("torch.utils._sympy.functions.FloorDiv(Add(Symbol('a'), Integer(1)), Integer(2))"),
            "(a + 1)//2");
  EXPECT_EQ(readable_symbol("Max(Integer(1), Symbol('u0'))"), "Max(1, u0)");
  for (const std::string odd : {"Add(", "Symbol(", "Symbol('a'", "Add()", "Add(,)", "f(a))", "(s0 + 1)"}) {
    EXPECT_EQ(readable_symbol(odd), odd) << "what is not understood stays";
  }
  std::string deep = "Symbol('a')";
  for (int i = 0; i < 100'000; ++i) deep.insert(0, "Add(");
  EXPECT_EQ(readable_symbol(deep), deep);
}

}  // namespace
}  // namespace berth
