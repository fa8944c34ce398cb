// SPDX-License-Identifier: Apache-2.0
#include "pipeline/search/baselines.h"

#include <algorithm>

#include "pipeline/schedules/schedules.h"
#include "pipeline/search/planning.h"

namespace berth::pipeline {
namespace {

class BaselineMaker {
 public:
  BaselineMaker(const BlockCosts& costs, const std::vector<DeviceId>& devices, std::uint32_t microbatches)
      : costs_(costs), microbatches_(microbatches), blocks_(costs.num_blocks()) {
    for (const DeviceId device : devices) {
      if (costs.can_run(0, blocks_, device)) devices_.push_back(device);
    }
  }

  std::vector<Baseline> run() {
    const std::size_t stages = std::min(devices_.size(), blocks_);
    if (stages > 1) {
      add_stages("equal layers", equal_layers(stages), false);
      add_stages("equal layers, recomputed", equal_layers(stages), true);
      add_stages("equal parameters", equal_shares(stages, [&](std::size_t b) { return costs_.parameters(0, b); }),
                 false);
      add_stages("equal work", equal_work(stages), false);
      add_data_parallel();
    }
    for (const DeviceId device : devices_) add_one_device(device);
    return std::move(all_);
  }

 private:
  static Cut kept_cut(std::vector<std::uint32_t> first_block) {
    Cut cut{std::move(first_block), {}};
    cut.recompute.assign(cut.num_stages(), 0);
    return cut;
  }

  [[nodiscard]] std::vector<std::uint32_t> equal_layers(std::size_t stages) const {
    std::vector<std::uint32_t> first;
    for (std::size_t s = 0; s < stages; ++s) first.push_back(static_cast<std::uint32_t>(s * blocks_ / stages));
    return first;
  }

  // Every stage begins where the sum so far is nearest to its share, and has a block at least.
  template <typename Sum>
  [[nodiscard]] std::vector<std::uint32_t> equal_shares(std::size_t stages, const Sum& sum_before) const {
    std::vector<std::uint32_t> first{0};
    const auto all = static_cast<double>(sum_before(blocks_));
    for (std::size_t s = 1; s < stages; ++s) {
      const double share = all * static_cast<double>(s) / static_cast<double>(stages);
      std::size_t best = first.back() + 1;
      for (std::size_t b = best; b + (stages - s) <= blocks_; ++b) {
        const auto distance = [&](std::size_t at) { return std::abs(static_cast<double>(sum_before(at)) - share); };
        if (distance(b) < distance(best)) best = b;
      }
      first.push_back(static_cast<std::uint32_t>(best));
    }
    return first;
  }

  // Least largest stage, as if all devices were the first; ties by the earliest border.
  [[nodiscard]] std::vector<std::uint32_t> equal_work(std::size_t stages) const {
    const DeviceId device = devices_.front();
    const auto work = [&](std::size_t first, std::size_t end) {
      return costs_.forward(first, end, device) + costs_.backward(first, end, device);
    };
    std::vector<std::vector<Picoseconds>> least(stages + 1,
                                                std::vector<Picoseconds>(blocks_ + 1, work(0, blocks_) + 1));
    std::vector<std::vector<std::uint32_t>> from(stages + 1, std::vector<std::uint32_t>(blocks_ + 1, 0));
    least[0][0] = 0;
    for (std::size_t s = 1; s <= stages; ++s) {
      for (std::size_t end = s; end <= blocks_; ++end) {
        for (std::size_t first = s - 1; first < end; ++first) {
          const Picoseconds load = std::max(least[s - 1][first], work(first, end));
          if (load >= least[s][end]) continue;
          least[s][end] = load;
          from[s][end] = static_cast<std::uint32_t>(first);
        }
      }
    }
    std::vector<std::uint32_t> first(stages);
    for (std::size_t s = stages, end = blocks_; s > 0; --s) end = first[s - 1] = from[s][end];
    return first;
  }

  void add_stages(std::string name, std::vector<std::uint32_t> first_block, bool recompute) {
    Baseline made{std::move(name), kept_cut(std::move(first_block)), {}};
    if (recompute) made.cut.recompute.assign(made.cut.num_stages(), 1);
    std::vector<std::vector<DeviceId>> devices;
    for (std::size_t s = 0; s < made.cut.num_stages(); ++s) devices.push_back({devices_[s]});
    made.plan = plan_of(costs_.step(), made.cut, devices, microbatches_);
    const ScheduleRule* rule = find_schedule_rule("1f1b");
    Lists lists = rule->lists({static_cast<std::uint32_t>(devices.size()), 1, microbatches_});
    for (std::size_t s = 0; s < devices.size(); ++s) made.plan.actions[index(devices[s].front())] = lists[s];
    made.plan.schedule = rule->name;
    all_.push_back(std::move(made));
  }

  // Each microbatch to the device that would end it first, without transfers.
  void add_data_parallel() {
    Baseline made{"data parallel", kept_cut({0}), {}};
    made.plan = plan_of(costs_.step(), made.cut, {devices_}, microbatches_);
    std::vector<Picoseconds> busy(devices_.size(), 0);
    for (std::uint32_t m = 0; m < microbatches_; ++m) {
      const auto ends = [&](std::size_t i) { return busy[i] + time_of_all(devices_[i]); };
      std::size_t next = 0;
      for (std::size_t i = 1; i < devices_.size(); ++i) next = ends(i) < ends(next) ? i : next;
      busy[next] = ends(next);
      auto& list = made.plan.actions[index(devices_[next])];
      list.push_back({ActionKind::kForward, 0, m});
      list.push_back({ActionKind::kBackward, 0, m});
    }
    made.plan.schedule = "data-parallel";
    all_.push_back(std::move(made));
  }

  [[nodiscard]] Picoseconds time_of_all(DeviceId device) const {
    return costs_.forward(0, blocks_, device) + costs_.backward(0, blocks_, device);
  }

  void add_one_device(DeviceId device) {
    Baseline made{
        std::string(kOneDevice) + ": " + costs_.step().problem->machine().device(device).name, kept_cut({0}), {}};
    made.plan = plan_of(costs_.step(), made.cut, {{device}}, microbatches_);
    for (std::uint32_t m = 0; m < microbatches_; ++m) {
      made.plan.actions[index(device)].push_back({ActionKind::kForward, 0, m});
      made.plan.actions[index(device)].push_back({ActionKind::kBackward, 0, m});
    }
    made.plan.schedule = "1f1b";
    all_.push_back(std::move(made));
  }

  const BlockCosts& costs_;
  const std::uint32_t microbatches_;
  const std::size_t blocks_;
  std::vector<DeviceId> devices_;
  std::vector<Baseline> all_;
};

}  // namespace

std::vector<Baseline> make_baselines(const BlockCosts& costs, const std::vector<DeviceId>& devices,
                                     std::uint32_t microbatches) {
  return BaselineMaker(costs, devices, microbatches).run();
}

}  // namespace berth::pipeline
