// SPDX-License-Identifier: Apache-2.0
#include "exec/probe/probe_device.h"

#include <algorithm>
#include <chrono>

#include "exec/program/dtypes.h"

namespace berth::exec {
namespace {

std::vector<std::int64_t> product_sides(bool on_gpu, bool thorough) {
  if (on_gpu)
    return thorough ? std::vector<std::int64_t>{512, 1024, 2048, 4096, 8192} : std::vector<std::int64_t>{2048, 4096};
  return thorough ? std::vector<std::int64_t>{64, 128, 256, 512, 1024, 2048} : std::vector<std::int64_t>{256, 512};
}

std::vector<DType> product_dtypes(bool on_gpu, bool thorough) {
  if (!thorough) return {DType::kF32};
  if (on_gpu) return {DType::kF32, DType::kF64, DType::kF16, DType::kBF16};
  return {DType::kF32, DType::kF64};
}

std::vector<Bytes> stream_sizes(bool on_gpu, bool thorough) {
  constexpr Bytes kMiB = Bytes{1} << 20;
  if (on_gpu) return thorough ? std::vector<Bytes>{kMiB, 16 * kMiB, 256 * kMiB} : std::vector<Bytes>{256 * kMiB};
  return thorough ? std::vector<Bytes>{kMiB / 4, kMiB, 16 * kMiB, 128 * kMiB} : std::vector<Bytes>{kMiB, 32 * kMiB};
}

}  // namespace

double best_seconds(const ProbeEffort& effort, const std::function<void()>& work, const std::function<void()>& finish) {
  using Clock = std::chrono::steady_clock;
  work();
  finish();
  double best = 1e30;
  long calls = 1;
  for (int i = 0; i < effort.tries; ++i) {
    while (true) {
      const Clock::time_point start = Clock::now();
      for (long call = 0; call < calls; ++call) work();
      finish();
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      best = std::min(best, seconds / static_cast<double>(calls));
      if (seconds >= effort.try_s) break;
      calls *= 2;
    }
  }
  return best;
}

DeviceRates measure_rates(const std::string& name, const Accelerator* accelerator, const ProbeOptions& options,
                          std::vector<ProbePoint>& points) {
  const bool on_gpu = accelerator != nullptr;
  const at::Device device = on_gpu ? accelerator->device() : at::Device(at::kCPU);
  const ProbeEffort effort = options.thorough ? ProbeEffort{.try_s = 0.05, .tries = 5} : ProbeEffort{};
  const auto finish = [&] {
    if (on_gpu) accelerator->synchronize(accelerator->compute());
  };
  DeviceRates rates;
  for (const DType dtype : product_dtypes(on_gpu, options.thorough)) {
    for (const std::int64_t side : product_sides(on_gpu, options.thorough)) {
      const at::TensorOptions place = at::TensorOptions(device).dtype(*torch_dtype(dtype));
      const at::Tensor a = at::ones({side, side}, place), b = at::ones({side, side}, place);
      at::Tensor c = at::empty({side, side}, place);
      const double seconds = best_seconds(
          effort, [&] { at::mm_out(c, a, b); }, finish);
      const double rate = 2.0 * static_cast<double>(side * side * side) / seconds;
      rates.product_flops[dtype] = std::max(rates.product_flops[dtype], rate);
      points.push_back({name, fmt::format("product {}", name_of(dtype)), static_cast<double>(side), rate, "FLOP/s"});
    }
  }
  for (const Bytes bytes : stream_sizes(on_gpu, options.thorough)) {
    const at::TensorOptions place = at::TensorOptions(device).dtype(at::kFloat);
    const at::Tensor a = at::ones({bytes / 4}, place), b = at::ones({bytes / 4}, place);
    at::Tensor c = at::ones({bytes / 4}, place);
    const double seconds = best_seconds(
        effort, [&] { at::add_out(c, a, b); }, finish);
    rates.stream_bytes = 3 * bytes;  // the last counts: beyond the caches
    rates.stream_bytes_per_s = static_cast<double>(rates.stream_bytes) / seconds;
    points.push_back({name, "stream f32", static_cast<double>(bytes), rates.stream_bytes_per_s, "B/s"});
  }
  const at::Tensor one = at::ones({1}, at::TensorOptions(device).dtype(at::kFloat));
  rates.launch_s = best_seconds(
      effort, [&] { (void)at::add(one, one); }, finish);
  points.push_back({name, "smallest op", 4.0, rates.launch_s, "s"});
  return rates;
}

LinkRates fit_link(const std::vector<std::pair<Bytes, double>>& times) {
  LinkRates rates;
  if (times.size() < 2) return rates;
  const auto& [large, large_s] = times.back();
  const auto& [middle, middle_s] = times[times.size() - 2];
  const double slope = (large_s - middle_s) / static_cast<double>(large - middle);
  rates.bytes_per_s = slope > 0.0 ? 1.0 / slope : static_cast<double>(large) / large_s;
  const double smallest = times.front().second - static_cast<double>(times.front().first) / rates.bytes_per_s;
  rates.latency_s = std::max(smallest, 0.0);
  return rates;
}

}  // namespace berth::exec
