// SPDX-License-Identifier: Apache-2.0
// Rules for the outputs of ONNX operators (and of onnxruntime's, domain com.microsoft), by theme: each stands with its
// rows in the rules_*.cc of that name.
#pragma once

#include <span>
#include <string_view>

#include "model/shapes/rules.h"

namespace berth {

std::span<const RuleRow> elementwise_rules();
std::span<const RuleRow> products_rules();
std::span<const RuleRow> layout_rules();
std::span<const RuleRow> indexing_rules();
std::span<const RuleRow> norms_rules();
std::span<const RuleRow> attention_rules();
std::span<const RuleRow> windows_rules();
std::span<const RuleRow> images_rules();
std::span<const RuleRow> signals_rules();
std::span<const RuleRow> sequences_rules();

// Those of all of them, and what is known of contents (model/shapes/onnx/contents.h).
const DialectRules& onnx_rules();

// Whether the type has a rule. A type of onnxruntime's domains without one of its own has that of ONNX's operator of
// the same name.
bool has_shape_rule(std::string_view type);

}  // namespace berth
