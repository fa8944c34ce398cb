// SPDX-License-Identifier: Apache-2.0
// What the op table says of a node, with its sizes and attributes filled in.
#pragma once

#include <string_view>

#include "model/model.h"
#include "ops/op_table.h"

namespace berth {

// An attribute that inference leaves in a loop whose body has sizes beyond any tensor: what to tell people.
inline constexpr std::string_view kBodyOverflow = "body_overflow";

// An attribute of nodes that run inside the kernel of another (model/quantised.h): they are views.
inline constexpr std::string_view kPartOfKernel = "_part_of_kernel";

// A type that the table does not know in this dialect has the class its name suggests, and nothing else.
OpInfo info_of(const Model& model, const Node& node);

// Whether the outputs of the node alias its first input, in the runtimes of its framework.
bool is_view(const Model& model, const Node& node, const OpInfo& info);

// Whether an output is its first input by another name: the same type and sizes, which are known.
bool is_same_tensor(const Model& model, ValueIndex input, ValueIndex output);

// Flops of one run of the node; 0 where a size it needs is not known. Read are the attributes that the formulas need,
// in the words of all dialects, and `body_flops`, which importers leave in loops and choices.
double flops_of(const Model& model, const Node& node, const OpInfo& info);

}  // namespace berth
