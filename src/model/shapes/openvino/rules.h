// SPDX-License-Identifier: Apache-2.0
// Rules for the dynamic sizes of what OpenVINO's layers make. The file states the rank of every output and the sizes
// that are fixed; a rule says where the others come from:
//
// - a MatMul takes rows and columns from its operands, and the rest from both;
// - a Transpose, Reshape, Gather and the like hand their dynamic sizes on in order, if they keep their number;
// - windows (convolutions, pools) keep the axes 0 and 1, a Concat all but its own axis. What they make of the others
//   follows from strides, paddings and the shape of the weight, or is a sum, as soon as the sizes that it depends on
//   are given;
// - any other layer hands on sizes axis by axis, counted from the last, as broadcasting does. A slice of a dynamic axis
//   thus counts as the whole axis, which is more, never less;
// - what is still unknown keeps the name of its own that the reader has given it.
//
// Order instead of the real permutation can swap two dynamic sizes; it costs nothing where they are equal.
#pragma once

#include <string_view>

#include "model/shapes/rules.h"

namespace berth::openvino {

const DialectRules& openvino_rules();

// Layers of no standard opset have their domain in front of their type ("extension.MatMul").
inline std::string_view without_domain(std::string_view type) { return type.substr(type.rfind('.') + 1); }

// An attribute in which readers leave the number of inputs that a layer with bodies has itself; behind them stand the
// constants of its bodies.
inline constexpr std::string_view kOwnInputs = "_own_inputs";

}  // namespace berth::openvino
