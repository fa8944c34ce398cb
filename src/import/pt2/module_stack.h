// SPDX-License-Identifier: Apache-2.0
// The module a node comes from, out of torch.export's `nn_module_stack`: "key,path,type" for every module from the root
// to the innermost, with semicolons between them.
#pragma once

#include <string>
#include <string_view>

namespace berth {

// Path of the innermost module, from the root ("layer1.0.conv1"); empty for the root or if the text is of another form.
// Paths as dynamo writes them (L['self'].layer1[0], or L['net'] for forward(net, x)) and marks of repeated calls
// (relu@1) are made plain.
std::string innermost_module(std::string_view nn_module_stack);

}  // namespace berth
