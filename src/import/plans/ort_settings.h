// SPDX-License-Identifier: Apache-2.0
// Layer assignment settings of ONNX Runtime: "gpu:0(encoder, =embedding); cpu(=head)". A pattern is matched against
// the annotation `layer_ann` of a node (session.layer_assignment_settings) or against its name
// (session.name_based_layer_assignment).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

inline constexpr std::string_view kLayerAnnotation = "layer_ann";
inline constexpr std::string_view kLayerSettings = "session.layer_assignment_settings";
inline constexpr std::string_view kNameSettings = "session.name_based_layer_assignment";

class OrtSettings {
 public:
  // `by_name`: of the second kind, where "=" is not allowed.
  static Result<OrtSettings> parse(std::string_view text, bool by_name);

  // The designator for a node, none if no rule matches. Annotations: a pattern that the annotation begins with comes
  // before one that it equals, and of several the first; names: the longest pattern inside the name, of equals the
  // first.
  [[nodiscard]] std::optional<std::string> device_for(std::string_view annotation_or_name) const;

 private:
  struct Rule {
    std::string device, pattern;
    bool is_exact = false;
  };
  std::vector<Rule> rules_;
  bool by_name_ = false;
};

}  // namespace berth
