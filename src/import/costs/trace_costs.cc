// SPDX-License-Identifier: Apache-2.0
#include "import/costs/trace_costs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/units.h"

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

constexpr std::string_view kGpuAnnotation = "gpu_user_annotation";
// Categories; those with capitals are of Kineto before torch 1.12.
constexpr std::array<std::string_view, 7> kOnGpu{kGpuAnnotation, "kernel", "gpu_memcpy", "gpu_memset",
                                                 "Kernel",       "Memcpy", "Memset"};
constexpr std::array<std::string_view, 3> kOnCpu{"cpu_op", "user_annotation", "Operator"};
constexpr std::array<std::string_view, 6> kNoOps{"python_function", "cuda_runtime", "cuda_driver",
                                                 "overhead",        "Trace",        "Runtime"};

enum class Side : std::uint8_t { kGpu, kCpu, kUnknown, kNone };

Side side_of(const TraceEvent& event) {
  const auto is_in = [&](const auto& list) { return std::ranges::find(list, event.category) != list.end(); };
  if (is_in(kOnGpu)) return Side::kGpu;
  if (is_in(kOnCpu)) return Side::kCpu;
  return is_in(kNoOps) ? Side::kNone : Side::kUnknown;
}

// What the events of the CPU launched, themselves and through others inside them.
class Launches {
 public:
  explicit Launches(std::span<const TraceEvent> events) : events_(events), gpu_us_(events.size(), 0.0) {
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      if (side_of(events[i]) == Side::kCpu) calls_.push_back(i);
    }
    add_kernels();
    add_up();
  }

  [[nodiscard]] double gpu_us(std::size_t event) const { return gpu_us_[event]; }
  // Whether a call stands for this event of the GPU.
  [[nodiscard]] bool is_launched(const TraceEvent& event) const {
    return event.external_id >= 0 && call_of_.contains(event.external_id);
  }

 private:
  void add_kernels() {
    // Outer events first, so that of several with one id the innermost stays.
    std::ranges::sort(calls_, {}, [&](std::uint32_t i) {
      const TraceEvent& event = events_[i];
      return std::tuple(event.thread, event.start_us, -event.duration_us, i);
    });
    for (const std::uint32_t i : calls_) {
      if (events_[i].external_id >= 0) call_of_[events_[i].external_id] = i;
    }
    for (const TraceEvent& event : events_) {
      // An annotation spans kernels and the gaps between them.
      if (side_of(event) != Side::kGpu || event.category == kGpuAnnotation || !is_launched(event)) continue;
      gpu_us_[call_of_.at(event.external_id)] += event.duration_us;
    }
  }

  // Each call's sum goes to the one around it, the innermost first.
  void add_up() {
    constexpr std::uint32_t kNoCall = 0xffffffffU;
    std::vector<std::uint32_t> around(events_.size(), kNoCall), open;
    for (const std::uint32_t i : calls_) {
      const TraceEvent& event = events_[i];
      while (!open.empty() && !encloses(events_[open.back()], event)) open.pop_back();
      if (!open.empty()) around[i] = open.back();
      open.push_back(i);
    }
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call) {
      if (around[*call] != kNoCall) gpu_us_[around[*call]] += gpu_us_[*call];
    }
  }

  static bool encloses(const TraceEvent& outer, const TraceEvent& inner) {
    return outer.thread == inner.thread && inner.start_us + inner.duration_us <= outer.start_us + outer.duration_us;
  }

  std::span<const TraceEvent> events_;
  std::vector<double> gpu_us_;                               // per event
  std::vector<std::uint32_t> calls_;                         // events of the CPU, by thread and start
  std::unordered_map<std::int64_t, std::uint32_t> call_of_;  // by external id
};

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

std::vector<Measurement> trace_times(std::span<const TraceEvent> events) {
  const Launches launches(events);
  std::vector<std::uint32_t> order(events.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return events[i].start_us; });
  std::vector<Measurement> times;
  const auto add = [&](const TraceEvent& event, std::string_view device, double microseconds) {
    times.push_back({.ops = {event.name}, .device = std::string(device), .seconds = microseconds * kMicrosecond});
  };
  for (const std::uint32_t i : order) {
    const TraceEvent& event = events[i];
    switch (side_of(event)) {
      case Side::kGpu:
        if (!launches.is_launched(event)) add(event, "gpu", event.duration_us);
        break;
      case Side::kCpu:
        if (launches.gpu_us(i) > 0.0) {
          add(event, "gpu", launches.gpu_us(i));
        } else {
          add(event, "cpu", event.duration_us);
        }
        break;
      case Side::kUnknown:
        add(event, "", event.duration_us);
        break;
      case Side::kNone:
        break;
    }
  }
  return times;
}

}  // namespace berth
