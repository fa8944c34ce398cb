// SPDX-License-Identifier: Apache-2.0
#include "report/path_summary.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "machine/devices.h"
#include "problem/cost/op_class.h"
#include "problem/memory_domains.h"

namespace berth::report {
namespace {

std::string share_text(double share) {
  const double percent = share * 100.0;
  return percent > 0.0 && percent < 0.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

double share(Picoseconds part, Picoseconds whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// "54 % work on gpu3, 30 % on gpu0 and 9 % transfers"
std::string parts_of_path(const Problem& problem, const PathSummary& path) {
  struct Part {
    double share;
    std::string text;
  };
  std::vector<Part> parts;
  for (const DeviceId id : problem.machine().device_ids()) {
    const double part = share(path.on_device[index(id)], path.total());
    if (part >= 0.005)
      parts.push_back({part, fmt::format("{} work on {}", share_text(part), problem.machine().device(id).name)});
  }
  if (const double part = share(path.transfer + path.latency, path.total()); part >= 0.005) {
    parts.push_back({part, fmt::format("{} transfers", share_text(part))});
  }
  std::ranges::stable_sort(parts, std::greater<>(), &Part::share);
  constexpr std::size_t kMost = 4;
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min(parts.size(), kMost); ++i) words.push_back(parts[i].text);
  return join(words, ", ");
}

std::string about_reasons(const PathSummary& path) {
  const Picoseconds total = path.total();
  const double data = share(path.for_data, total), device = share(path.for_device, total),
               link = share(path.for_link, total);
  if (device >= data && device >= link) {
    return fmt::format("{} of the path is there because a device was busy: less work or more devices would shorten it",
                       share_text(device));
  }
  if (link >= data) {
    return fmt::format(
        "{} of the path is there because a link was busy: faster links or fewer transfers would shorten it",
        share_text(link));
  }
  return fmt::format(
      "{} of the path is a chain of results that wait for each other: only faster devices, faster links or "
      "fewer crossings shorten it",
      share_text(data));
}

// The busiest device, and what perfect balance with those of its kind would bring.
std::string about_balance(const Problem& problem, const Score& score) {
  const Machine& machine = problem.machine();
  const auto load = [&](DeviceId id) { return to_seconds(score.devices[index(id)].busy) / machine.device(id).lanes; };
  DeviceId busiest{0};
  for (const DeviceId id : machine.device_ids()) {
    if (load(id) > load(busiest)) busiest = id;
  }
  double sum = 0.0;
  int alike = 0;
  for (const DeviceId id : machine.device_ids()) {
    if (problem.device_class(id) != problem.device_class(busiest)) continue;
    sum += load(id);
    ++alike;
  }
  const double step = to_seconds(score.step_time);
  std::string text = fmt::format("the busiest device is {}, {} of the step", machine.device(busiest).name,
                                 share_text(step > 0.0 ? load(busiest) / step : 0.0));
  if (alike > 1 && load(busiest) > 0.0) {
    text += fmt::format("; evenly spread over the {} of its kind its work and theirs would take {} each", alike,
                        format_seconds(sum / alike));
  }
  return text;
}

std::string about_memory(const Problem& problem, const Score& score) {
  const Machine& machine = problem.machine();
  std::string fullest;
  double most = -1.0;
  const auto look = [&](const std::string& name, Bytes peak, Bytes capacity) {
    if (capacity >= kUnlimitedMemory) return;
    const double full = capacity > 0 ? static_cast<double>(peak) / static_cast<double>(capacity) : HUGE_VAL;
    if (full <= most) return;
    most = full;
    fullest = fmt::format("memory is fullest on {}: {} of {} ({})", name, format_bytes(peak), format_bytes(capacity),
                          share_text(full));
  };
  for (const DeviceId id : machine.device_ids()) {
    if (machine.pool_of(id) < 0) look(machine.device(id).name, score.devices[index(id)].peak, problem.capacity(id));
  }
  for (std::size_t pool = 0; pool < score.pool_peaks.size(); ++pool) {
    look(machine.pools()[pool].name, score.pool_peaks[pool], problem.pool_capacity(static_cast<int>(pool)));
  }
  return fullest;
}

}  // namespace

PathSummary summarise(const Problem& problem, std::span<const CriticalStep> path) {
  PathSummary sums;
  sums.on_device.assign(problem.machine().num_devices(), 0);
  sums.on_channel.assign(problem.machine().channels().size(), 0);
  Picoseconds end = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const CriticalStep& step = path[i];
    const Picoseconds time = step.end - step.start;
    sums.latency += std::max<Picoseconds>(0, step.start - end);
    sums.for_data += std::max<Picoseconds>(0, step.start - end);
    end = step.end;
    if (step.is_transfer) {
      sums.transfer += time;
      sums.on_channel[static_cast<std::size_t>(step.channel)] += time;
      ++sums.transfers;
    } else {
      sums.compute += time;
      sums.on_device[index(step.device)] += time;
      sums.of_class[static_cast<std::size_t>(class_of(problem.graph(), step.op))] += time;
      ++sums.ops;
    }
    using Why = CriticalStep::Why;
    const Why next = i + 1 < path.size() ? path[i + 1].why : Why::kInput;
    (next == Why::kDevice ? sums.for_device : next == Why::kLink ? sums.for_link : sums.for_data) += time;
  }
  return sums;
}

std::vector<std::string> what_limits(const Problem& problem, const Score& score, const PathSummary& path,
                                     Picoseconds lower_bound) {
  std::vector<std::string> sentences;
  if (path.total() > 0) {
    sentences.push_back(
        fmt::format("the critical path ({}) is {}", format_time(path.total()), parts_of_path(problem, path)));
    sentences.push_back(about_reasons(path));
  }
  sentences.push_back(about_balance(problem, score));
  if (std::string memory = about_memory(problem, score); !memory.empty()) sentences.push_back(std::move(memory));
  if (lower_bound > 0 && score.step_time <= lower_bound) {
    sentences.emplace_back("no plan can be faster: the step meets the lower bound");
  }
  return sentences;
}

}  // namespace berth::report
