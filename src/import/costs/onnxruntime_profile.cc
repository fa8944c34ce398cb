// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "import/costs/trace_costs.h"

namespace berth {
namespace {

constexpr std::string_view kSuffix = "_kernel_time", kCategory = "Node";

// Providers that always run on one kind of device.
constexpr std::array kProviders{
    std::pair<std::string_view, std::string_view>{"CPUExecutionProvider", "cpu"},
    std::pair<std::string_view, std::string_view>{"CUDAExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"DmlExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"DnnlExecutionProvider", "cpu"},
    std::pair<std::string_view, std::string_view>{"MIGraphXExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"NvTensorRTRTXExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"ROCMExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"TensorrtExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"VitisAIExecutionProvider", "npu"},
    std::pair<std::string_view, std::string_view>{"WebGpuExecutionProvider", "gpu"},
    std::pair<std::string_view, std::string_view>{"XnnpackExecutionProvider", "cpu"},
};

std::string_view device_of(std::string_view provider) {
  const auto found = std::ranges::find(kProviders, provider, [](const auto& entry) { return entry.first; });
  return found != kProviders.end() ? found->second : std::string_view();
}

// What onnxruntime fuses into a node it notes behind the node's name: "qk/MatMulScaleFusion/" was "qk" in the file.
std::string_view name_in_file(std::string_view name) {
  constexpr std::string_view kFused = "Fusion/";
  if (!name.ends_with(kFused)) return name;
  const std::size_t slash = name.rfind('/', name.size() - kFused.size());
  return slash == std::string_view::npos || slash == 0 ? name : name.substr(0, slash);
}

bool is_node_time(const TraceEvent& event) {
  return event.category == kCategory && event.name.ends_with(kSuffix) && event.name.size() > kSuffix.size();
}

}  // namespace

bool is_onnxruntime_profile(std::span<const TraceEvent> events) { return std::ranges::any_of(events, is_node_time); }

std::vector<Measurement> onnxruntime_times(std::span<const TraceEvent> events) {
  std::vector<Measurement> times;
  for (const TraceEvent& event : events) {
    if (!is_node_time(event)) continue;
    const std::string_view name = std::string_view(event.name).substr(0, event.name.size() - kSuffix.size());
    times.push_back({.ops = {std::string(name_in_file(name))},
                     .device = std::string(device_of(event.provider)),
                     .seconds = event.duration_us * kMicrosecond});
  }
  return times;
}

}  // namespace berth
