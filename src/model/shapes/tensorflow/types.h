// SPDX-License-Identifier: Apache-2.0
// Data types of what TensorFlow's ops make: most say so by an attribute, some have one that never changes.
#pragma once

#include <optional>
#include <string_view>

#include "model/model.h"

namespace berth::tensorflow {

// An attribute in which readers leave the types of all outputs, by our names, where the file lists them.
inline constexpr std::string_view kOutputTypes = "_output_types";
// A type of the file that none of ours stands for: strings, handles.
inline constexpr std::string_view kOtherType = "other";

// Of output number `output` of a node; `first_input` is the type of its first input, which is the last resort.
std::optional<DType> dtype_of_output(const Node& node, std::size_t output, std::optional<DType> first_input);

}  // namespace berth::tensorflow
