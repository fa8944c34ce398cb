// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/ir_net.h"

#include <algorithm>

#include "files/json/json_reader.h"
#include "import/openvino/ir_xml.h"

namespace berth::openvino {
namespace {

constexpr std::uint64_t kOldestVersion = 10, kNewestVersion = 11;
constexpr std::size_t kLongName = 128, kKeptOfLongName = 96;

}  // namespace

std::string describe(const IrLayer& layer) {
  return layer.name.empty() ? fmt::format("layer {}", layer.id) : fmt::format("layer {}", in_quotes(layer.name));
}

std::string short_name(const IrLayer& layer) {
  if (layer.name.size() <= kLongName) return layer.name;
  std::size_t end = kKeptOfLongName;
  while (end > 0 && (static_cast<unsigned char>(layer.name[end]) & 0xC0U) == 0x80U) --end;  // never inside a character
  return fmt::format("{}#{}", std::string_view(layer.name).substr(0, end), layer.id);
}

bool is_constant(const IrLayer& layer) { return layer.type == "Const" || layer.type == "Constant"; }

Result<IrNet> parse_model_ir(std::string_view xml) {
  BERTH_TRY(IrNet net, parse_ir(xml));
  const bool has_times =
      std::ranges::any_of(net.layers, [](const IrLayer& layer) { return layer.find("execTimeMcs") != nullptr; });
  if (has_times) {
    return bad_input("it is an execution graph of OpenVINO, which holds measured times; give the model's .xml instead");
  }
  if (net.version < kOldestVersion || net.version > kNewestVersion) {
    return bad_input("its IR version is {}; versions {} and {} are read: save the model again with a newer OpenVINO",
                     net.version, kOldestVersion, kNewestVersion);
  }
  return net;
}

}  // namespace berth::openvino
