// SPDX-License-Identifier: Apache-2.0
#include "model/shapes/onnx/rules.h"

#include <fmt/format.h>

#include <string>

#include "model/shapes/onnx/contents.h"

namespace berth {
namespace {

const RuleTable& onnx_table() {
  static const RuleTable table{elementwise_rules(), products_rules(),  layout_rules(),  indexing_rules(),
                               norms_rules(),       attention_rules(), windows_rules(), images_rules(),
                               signals_rules(),     sequences_rules()};
  return table;
}

// Null if there is none. Blocks of channels ("nchwc") keep the order of the axes, so ONNX's rules hold for them too.
Rule find_onnx_rule(const std::string& type) {
  if (const Rule rule = onnx_table().find(type); rule != nullptr) return rule;
  for (const std::string_view domain : {"com.microsoft.nchwc.", "com.microsoft.experimental.", "com.microsoft."}) {
    if (!type.starts_with(domain)) continue;
    const std::string name = type.substr(domain.size());
    const Rule rule = onnx_table().find(fmt::format("com.microsoft.{}", name));
    return rule != nullptr ? rule : onnx_table().find(name);
  }
  return nullptr;
}

Outputs outputs_of_onnx(const NodeView& node) {
  const Rule rule = find_onnx_rule(node.type());
  return rule != nullptr ? rule(node) : Outputs();
}

}  // namespace

const DialectRules& onnx_rules() {
  static constexpr DialectRules kRules{outputs_of_onnx, compute_contents};
  return kRules;
}

bool has_shape_rule(std::string_view type) { return find_onnx_rule(std::string(type)) != nullptr; }

}  // namespace berth
