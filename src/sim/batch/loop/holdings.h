// SPDX-License-Identifier: Apache-2.0
// What devices and pools hold in a run (rule 5 of docs/simulator.md), and how many uses every copy of a tensor has
// left.
#pragma once

#include "sim/batch/loop/run_kind.h"
#include "sim/batch/loop/snapshots.h"

namespace berth::batch {

template <typename Kind>
class Holdings {
 public:
  using Mask = typename Kind::Mask;
  static constexpr std::uint32_t kNoCounter = ~0U;

  explicit BERTH_PORTABLE Holdings(const RunState<Kind>& run) : run_(run) {}

  // What is resident where nodes are.
  BERTH_PORTABLE void begin() {
    const CompactView& problem = run_.problem;
    for (std::uint32_t device = 0; device < problem.num_devices; ++device) run_.hot.held(device) = 0;
    for (std::uint32_t i = 0; i < problem.num_residents; ++i) {
      const Resident resident = load(&problem.residents[i]);
      run_.hot.held(device_of(run_.node_word(static_cast<std::uint32_t>(resident.node)))) += resident.bytes;
    }
    for (std::uint32_t pool = 0; pool < problem.num_pools; ++pool) run_.hot.pool_peak(pool) = 0;
    for (std::uint32_t device = 0; device < problem.num_devices; ++device) {
      run_.hot.peak(device) = run_.hot.held(device);
      const std::uint32_t pool = problem.pool_of[device];
      if (pool < problem.num_pools) run_.hot.pool_peak(pool) += run_.hot.held(device);
    }
  }

  // After begin(), which has counted residents where they are in this plan: they hold as much all the time.
  BERTH_PORTABLE void resume(const SavedState& from) {
    grown_ = static_cast<Mask>(from.moment.grown);
    for (std::uint32_t device = 0; device < run_.problem.num_devices; ++device) {
      run_.hot.held(device) += from.bytes(from.places.held(device));
      run_.hot.peak(device) += from.bytes(from.places.peak(device));
    }
    for (std::uint32_t pool = 0; pool < run_.problem.num_pools; ++pool) {
      run_.hot.pool_peak(pool) += from.bytes(from.places.pool_peak(pool));
    }
  }

  [[nodiscard]] BERTH_PORTABLE Mask grown() const { return grown_; }
  BERTH_PORTABLE void grow(std::uint32_t device, std::int64_t bytes) {
    run_.hot.held(device) += bytes;
    grown_ |= Mask{1} << device;
  }
  BERTH_PORTABLE void shrink(std::uint32_t device, std::int64_t bytes) { run_.hot.held(device) -= bytes; }

  // Between an instant and the next.
  BERTH_PORTABLE void note_peaks() {
    for (; grown_ != 0; grown_ &= grown_ - 1) {
      const std::uint32_t device = lowest_bit(grown_);
      const std::int64_t held = run_.hot.held(device);
      if (held > run_.hot.peak(device)) run_.hot.peak(device) = held;
      if (run_.problem.num_pools > 0) note_pool_peak(run_.problem.pool_of[device]);
    }
  }

  // ---- Uses: of the first output of an op in its node's word, of all else in a counter.

  // The counter of the copy on a device that an input record speaks of; kNoCounter: never freed.
  BERTH_PORTABLE std::uint32_t counter_of(const Record& record, std::uint32_t word, std::uint32_t device) const {
    const SideCounters counters{record.body};
    if (device_of(word) != device) return run_.problem.num_nodes + counters.elsewhere(device);
    if (record.storage() == Record::kResident) return kNoCounter;
    if (record.storage() == Record::kView) {
      const std::uint32_t shared = word >> kDeviceBits;
      return shared == kUncounted ? kNoCounter : shared;
    }
    return counters.first_output() ? record.node() : run_.problem.num_nodes + counters.home(device);
  }
  BERTH_PORTABLE std::uint32_t uses_of(std::uint32_t counter) {
    if (counter < run_.problem.num_nodes) return run_.node_word(counter) >> kDeviceBits;
    return Kind::Memory::at(run_.memory.counters, counter - run_.problem.num_nodes);
  }
  // Without uses a copy is gone.
  BERTH_PORTABLE void leave_uses(std::uint32_t counter, std::uint32_t uses, std::uint32_t device) {
    if (counter < run_.problem.num_nodes) {
      run_.node_word(counter) = uses << kDeviceBits | device;
    } else {
      set_side_uses(counter - run_.problem.num_nodes, uses);
    }
    if (uses == 0) shrink(device, load(&run_.problem.counter_bytes[counter]));
  }
  BERTH_PORTABLE void set_side_uses(std::uint32_t counter, std::uint32_t uses) {
    Kind::Memory::at(run_.memory.counters, counter) = static_cast<std::uint16_t>(uses);
  }

 private:
  BERTH_PORTABLE void note_pool_peak(std::uint32_t pool) {
    if (pool == run_.problem.num_pools) return;
    std::int64_t held = 0;
    for (std::uint32_t device = 0; device < run_.problem.num_devices; ++device) {
      if (run_.problem.pool_of[device] == pool) held += run_.hot.held(device);
    }
    if (held > run_.hot.pool_peak(pool)) run_.hot.pool_peak(pool) = held;
  }

  RunState<Kind> run_;
  Mask grown_ = 0;  // devices that hold more than before
};

}  // namespace berth::batch
