// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/module_path.h"

#include <vector>

#include "base/text.h"

namespace berth::openvino {
namespace {

constexpr std::string_view kTorchPrefix = "__module.";
constexpr std::string_view kBiasSplitOff = "/WithoutBiases";  // the converter's half of an op that had a bias

}  // namespace

std::string module_path(std::string_view layer_name) {
  if (layer_name.starts_with(kTorchPrefix)) {
    layer_name.remove_prefix(kTorchPrefix.size());
    return std::string(layer_name.substr(0, layer_name.find('/')));
  }
  if (layer_name.ends_with(kBiasSplitOff)) layer_name.remove_suffix(kBiasSplitOff.size());
  const std::vector<std::string_view> parts = split(layer_name, '/');
  std::string path;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string_view part = parts[i], next = parts[i + 1];
    const bool begins_next = next.size() > part.size() && next.starts_with(part) && next[part.size()] == '.';
    if (part.empty() || begins_next) continue;
    if (!path.empty()) path += '.';
    path += part;
  }
  return path;
}

}  // namespace berth::openvino
