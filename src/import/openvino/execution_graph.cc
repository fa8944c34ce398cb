// SPDX-License-Identifier: Apache-2.0
#include "import/openvino/execution_graph.h"

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "import/openvino/ir_xml.h"

namespace berth {
namespace {

constexpr std::string_view kTime = "execTimeMcs", kLayers = "originalLayersNames", kNotExecuted = "not_executed";

Result<double> read_time(std::string_view text) {
  double microseconds = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, microseconds);
  if (failed == std::errc() && stop == end && std::isfinite(microseconds) && microseconds >= 0.0) return microseconds;
  return bad_input("{} is {}; expected microseconds or {}", kTime, in_quotes(text), kNotExecuted);
}

// Names are joined by commas, without a sign for commas inside a name.
std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view word : split(text, ',')) {
    if (!trim(word).empty()) names.emplace_back(trim(word));
  }
  return names;
}

}  // namespace

Result<std::vector<ExecutionTime>> read_execution_graph(std::string_view xml) {
  BERTH_TRY(const openvino::IrNet net, openvino::parse_ir(xml));
  std::vector<ExecutionTime> times;
  for (const openvino::IrLayer& layer : net.layers) {
    const std::string* time = layer.find(kTime);
    if (time == nullptr || trim(*time) == kNotExecuted) continue;
    const auto microseconds = read_time(trim(*time));
    if (!microseconds) return within(describe(layer), microseconds.error());
    const std::string* layers = layer.find(kLayers);
    times.push_back({layer.name, layer.type, split_names(layers != nullptr ? *layers : ""), *microseconds});
  }
  if (!times.empty()) return times;
  return bad_input(
      "no layer has a time ({}); compile with PERF_COUNT=YES and run once before saving the execution graph", kTime);
}

}  // namespace berth
