// SPDX-License-Identifier: Apache-2.0
// What the texts inside exported programs mean: numbers that JSON does not know, modules, and symbolic sizes.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Puts NaN, Infinity and -Infinity, which Python writes as bare words, into quotes: "nan", "inf" and "-inf", cut to the
// room that the words leave. Text inside strings stays as it is. Newer versions of torch write strings themselves.
void quote_non_finite_numbers(std::string& text);

// The number that such a string, cut or not, stands for.
double non_finite_number(std::string_view quoted);

// The module a node comes from, out of torch.export's `nn_module_stack`: "key,path,type" for every module from the root
// to the innermost, with semicolons between them. Path of the innermost module, from the root ("layer1.0.conv1"); empty for the root or if the text is of another form.
// Paths as dynamo writes them (L['self'].layer1[0], or L['net'] for forward(net, x)) and marks of repeated calls
// (relu@1) are made plain.
std::string innermost_module(std::string_view nn_module_stack);

// Symbolic sizes as people write them. Newer versions of torch store the constructor calls of sympy:
// Add(Mul(Integer(2), Symbol('s77', integer=True)), Integer(-1)) is 2*s77 - 1, which older ones store. Text that is not of this form, or nested very deeply, stays as it is.
std::string readable_symbol(std::string_view expression);

}  // namespace berth
