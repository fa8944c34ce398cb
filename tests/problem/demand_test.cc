// SPDX-License-Identifier: Apache-2.0
// What stands behind a flag, read.
#include "problem/demands/demand.h"

#include "problem/demand_parts.h"

namespace berth {
namespace {

std::string error_in(std::string_view flag) {
  const auto demand = demand_of(flag);
  return demand ? "no error" : demand.error().message;
}

TEST(ParseDemand, SplitsAtTheLastEqualsSign) {
  const Demand demand = demand_of("pin a=b = gpu0 ").value();
  EXPECT_EQ(demand.kind, Demand::Kind::kPin);
  EXPECT_EQ(demand.ops, std::vector<std::string>{"a=b"});
  EXPECT_EQ(demand.device, "gpu0");
  EXPECT_EQ(demand.source, "--pin a=b = gpu0 ");
}

TEST(ParseDemand, ReadsEveryForm) {
  EXPECT_EQ(demand_of("forbid type:Conv=cpu")->device, "cpu");
  EXPECT_EQ(demand_of("colocate a, b*,type:C")->ops, (std::vector<std::string>{"a", "b*", "type:C"}));
  EXPECT_EQ(demand_of("keep-together enc.*")->ops, std::vector<std::string>{"enc.*"});
  EXPECT_EQ(demand_of("keep-together module:enc")->ops, std::vector<std::string>{"enc"});
  EXPECT_EQ(demand_of("reserve gpu0=2GiB")->amount, 2 * kGiB);
  EXPECT_EQ(demand_of("reserve gpu=1.5 MB")->amount, 1'500'000);
  EXPECT_EQ(demand_of("max-devices 3")->amount, 3);
  EXPECT_EQ(demand_of("max-crossings 0")->amount, 0);
  EXPECT_EQ(demand_of("resident-weights")->kind, Demand::Kind::kResidentWeights);
}

TEST(ParseDemand, TheExampleOfEveryFormIsRight) {
  for (const DemandForm& form : demand_forms()) {
    const auto demand = parse_demand(form, form.example, "");
    EXPECT_TRUE(demand.ok()) << form.name << ": " << demand.error().message;
  }
}

TEST(ParseDemand, OtherFormsAreRefusedWithAnExample) {
  EXPECT_EQ(error_in("pin emb"), "--pin emb: expected OP=DEVICE, for example emb=gpu0");
  EXPECT_EQ(error_in("pin =gpu0"), "--pin =gpu0: expected OP=DEVICE, for example emb=gpu0");
  EXPECT_EQ(error_in("forbid a="), "--forbid a=: expected OP=DEVICE, for example type:Conv=cpu");
  EXPECT_EQ(error_in("colocate a,,b"), "--colocate a,,b: expected A,B,..., for example emb,softmax");
  EXPECT_EQ(error_in("keep-together module:"), "--keep-together module:: expected MODULE, for example encoder.layer.*");
  EXPECT_EQ(error_in("reserve gpu0"), "--reserve gpu0: expected DEVICE=SIZE, for example gpu0=2GiB");
  EXPECT_EQ(error_in("reserve gpu0=much"), "--reserve gpu0=much: 'much' is no size; write for example \"12 GiB\"");
  EXPECT_EQ(error_in("reserve gpu0=-1"), "--reserve gpu0=-1: '-1' is no size; write for example \"12 GiB\"");
  for (const std::string number : {"0", "65", "-1", "1.5", "two", "1 2", "99999999999999999999"}) {
    EXPECT_EQ(error_in("max-devices " + number),
              "--max-devices " + number + ": expected N from 1 to 64, for example 2");
  }
  EXPECT_EQ(error_in("resident-weights yes"), "--resident-weights yes: it takes no value");
  EXPECT_EQ(error_in("max-crossings -1"), "--max-crossings -1: expected N, for example 100");
}

TEST(ParseDemand, HugeTextsAreCutOrRefused) {
  const std::string long_name(1000, 'a');
  const std::string message = error_in("pin " + long_name);
  EXPECT_LT(message.size(), 250U);
  EXPECT_NE(message.find("a...: expected OP=DEVICE"), std::string::npos);
  EXPECT_NE(error_in("pin " + std::string(100'000, 'a') + "=gpu0").find("at most 65536 are read"), std::string::npos);
}

TEST(ShortSource, KeepsCharactersWhole) {
  EXPECT_EQ(short_source("--pin a\nb=c"), "--pin a b=c");
  std::string text;
  for (int i = 0; i < 100; ++i) text += "\xc3\xa9";  // two bytes each
  const std::string odd = "x" + text;
  for (const std::string& source : {short_source(text), short_source(odd)}) {
    ASSERT_TRUE(source.ends_with("\xc3\xa9..."));
    EXPECT_LE(source.size(), 123U);
  }
}

}  // namespace
}  // namespace berth
