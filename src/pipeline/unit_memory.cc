// SPDX-License-Identifier: Apache-2.0
#include "pipeline/unit_memory.h"

#include <algorithm>

namespace berth::pipeline {

std::span<const Picoseconds> FormOffsets::of(std::uint32_t stage, std::size_t form, DeviceId device) const {
  const Problem& problem = *staged_.step->problem;
  std::vector<Picoseconds>& offsets = known_[{stage, problem.device_class(device)}][form];
  if (offsets.empty()) {
    Picoseconds sum = 0;
    offsets.push_back(0);
    for (const Cell& cell : staged_.cells[stage][form]) offsets.push_back(sum += problem.duration(cell.op, device));
  }
  return offsets;
}

StageProfiles::StageProfiles(const StagedStep& staged) : changes_(staged.num_stages()) {
  // A backward pass runs either as a whole or in two parts. What a forward pass takes and gives back is the same.
  constexpr std::array whole{form_of(ActionKind::kForward), form_of(ActionKind::kBackward)};
  constexpr std::array split{form_of(ActionKind::kForward), form_of(ActionKind::kBackwardInput),
                             form_of(ActionKind::kBackwardWeight)};
  constexpr std::array update{kUpdateForm};
  for (const Held& held : staged.held) {
    if (held.kind != Held::Kind::kOwn || !held.wires.empty() || held.bytes == 0) continue;
    add(held, split);
    add(held, update);
    auto& forward = changes_[held.stage][form_of(ActionKind::kForward)];
    const std::size_t before = forward.size();
    add(held, whole);
    forward.resize(before);
  }
  for (auto& forms : changes_) {
    for (auto& changes : forms) std::ranges::stable_sort(changes, {}, &Change::offset);
  }
}

void StageProfiles::add(const Held& held, std::span<const std::size_t> forms) {
  std::size_t made_form = kForms, last_form = kForms;
  for (const std::size_t form : forms) {
    if (held.made[form] >= 0 && made_form == kForms) made_form = form;
    if (held.last_use[form] >= 0) last_form = form;
  }
  if (made_form == kForms) return;
  const auto made = static_cast<std::size_t>(held.made[made_form]);
  changes_[held.stage][made_form].push_back({made, held.bytes});
  if (last_form == kForms) {
    changes_[held.stage][made_form].push_back({made + 1, -held.bytes});
  } else {
    changes_[held.stage][last_form].push_back({static_cast<std::size_t>(held.last_use[last_form]) + 1, -held.bytes});
  }
}

MemoryUse::MemoryUse(const Problem& problem) : problem_(problem), changes_(problem.machine().num_devices()) {}

// What begins and ends within an instant takes nothing, and the last instant of all does not count.
MemoryUse::Peak MemoryUse::peak_of(std::vector<Change>& changes, Picoseconds end) {
  std::ranges::sort(changes, {}, &Change::time);
  Peak peak;
  Bytes held = 0;
  for (std::size_t i = 0; i < changes.size();) {
    const Picoseconds now = changes[i].time;
    for (; i < changes.size() && changes[i].time == now; ++i) held += changes[i].bytes;
    if (held > peak.bytes && (now < end || now == 0)) peak = {held, now};
  }
  return peak;
}

void MemoryUse::judge(Score& score) {
  const Machine& machine = problem_.machine();
  score.pool_peaks.assign(machine.pools().size(), 0);
  std::vector<std::vector<Change>> in_pool(machine.pools().size());
  const auto weigh = [&](DeviceId device, int pool, const Peak& peak, Bytes capacity) {
    if (peak.bytes <= capacity || (score.overflow && score.overflow->over >= peak.bytes - capacity)) return;
    score.feasible = false;
    score.overflow = Overflow{device, pool, kNoOp, peak.time, peak.bytes - capacity};
  };
  for (const DeviceId device : machine.device_ids()) {
    std::vector<Change>& changes = changes_[index(device)];
    const Peak peak = peak_of(changes, score.step_time);
    score.devices[index(device)].peak = peak.bytes;
    if (const int pool = machine.pool_of(device); pool >= 0) {
      auto& all = in_pool[static_cast<std::size_t>(pool)];
      all.insert(all.end(), changes.begin(), changes.end());
    } else {
      weigh(device, -1, peak, problem_.capacity(device));
    }
  }
  for (std::size_t pool = 0; pool < in_pool.size(); ++pool) {
    const Peak peak = peak_of(in_pool[pool], score.step_time);
    score.pool_peaks[pool] = peak.bytes;
    for (const DeviceId device : machine.device_ids()) {
      if (machine.pool_of(device) != static_cast<int>(pool)) continue;
      weigh(device, static_cast<int>(pool), peak, problem_.pool_capacity(static_cast<int>(pool)));
      break;
    }
  }
}

}  // namespace berth::pipeline
