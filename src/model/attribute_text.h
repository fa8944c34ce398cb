// SPDX-License-Identifier: Apache-2.0
// The attributes of an op as people read them.
#pragma once

#include <span>
#include <string>
#include <utility>

#include "model/model.h"

namespace berth {

// A line for each, "kernel_shape = [3, 3]", in the order of the file. Long values are cut short, and what is beyond
// kMaxAttributesLength (graph/builder.h) is counted: "and 7 more". Left out is what readers have added for pricing, and
// what frameworks keep for themselves ("_class").
std::string attribute_text(std::span<const std::pair<std::string, Attribute>> attributes);

}  // namespace berth
