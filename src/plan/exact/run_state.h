// SPDX-License-Identifier: Apache-2.0
// RunState: what a run by the rules of docs/simulator.md has come to at an instant, where part of the plan is open. It
// can be looked at; PartialRun brings it further. Copying one costs a few hundred bytes per ten ops.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/exact/tables.h"

namespace berth::exact {

class RunState {
 public:
  enum class Phase : std::uint8_t { kWaiting, kReady, kRunning, kDone };
  struct Transfer {
    Picoseconds end;  // of the present hop, once it moves
    int tensor, from, to;
    int hop;   // into Tables::hops
    int turn;  // in its queue
    enum class State : std::uint8_t { kRequested, kQueued, kMoving } state;
    bool first;
  };
  struct Signal {
    Picoseconds arrival;
    int op;
  };

  [[nodiscard]] const Tables& tables() const { return *tables_; }
  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] int device_of_unit(int unit) const { return device_of_[at(unit)]; }
  [[nodiscard]] int device_of(int op) const { return device_of_unit(tables_->unit_of[at(op)]); }
  // Where a unit may still go.
  [[nodiscard]] DeviceSet domain(int unit) const { return domain_[at(unit)]; }
  // Devices worth trying for a unit: of untouched interchangeable ones only the first.
  [[nodiscard]] DeviceSet candidates(int unit) const;
  // Ops that may start next on a device.
  void list_ready(int device, std::vector<int>& ops) const;
  [[nodiscard]] Phase phase(int op) const { return phase_[at(op)]; }
  [[nodiscard]] Picoseconds end(int op) const { return end_[at(op)]; }
  [[nodiscard]] int idle_lanes(int device) const { return idle_lanes_[at(device)]; }
  [[nodiscard]] const std::vector<int>& running() const { return running_; }
  [[nodiscard]] const std::vector<Transfer>& transfers() const { return transfers_; }
  [[nodiscard]] const std::vector<Signal>& signals() const { return signals_; }
  // Bytes of residents placed so far, and the most ever held.
  [[nodiscard]] Bytes peak(int account) const { return peak_[at(account)]; }
  // Runs with equal fingerprints have the same future: where ops that are done were, and how early, no longer matters.
  struct Fingerprint {
    std::uint64_t low = 0, high = 0;
    bool operator==(const Fingerprint&) const = default;
  };
  [[nodiscard]] Fingerprint fingerprint() const;

  // The plan of a finished run: devices by their true ids, priorities by order of starts.
  [[nodiscard]] Plan plan() const;

 protected:
  RunState(const Tables& tables, const std::vector<int>& device_classes);
  [[nodiscard]] std::size_t cell(int tensor, int device) const { return tables_->cell(tensor, device); }

  const Tables* tables_;
  const std::vector<int>* device_classes_;
  Picoseconds now_ = 0;
  // Per unit.
  std::vector<std::int8_t> device_of_;
  std::vector<DeviceSet> domain_;
  // Per op.
  std::vector<std::int16_t> waits_, start_turn_;
  std::vector<Phase> phase_;
  std::vector<Picoseconds> end_;
  // Per tensor and device: the tensor whose storage a copy shares, and what keeps a storage alive.
  std::vector<std::int16_t> root_;
  std::vector<std::int32_t> uses_;
  // Per device or account.
  std::vector<int> idle_lanes_, last_started_;
  std::vector<Bytes> held_, peak_;
  std::vector<DeviceSet> lower_than_;  // devices known to have a higher id
  std::vector<std::uint8_t> queue_busy_;
  std::vector<int> ready_, running_, ended_;
  std::vector<Transfer> transfers_;
  std::vector<Signal> signals_;
  DeviceSet touched_ = 0, computing_ = 0;
  std::int64_t crossings_ = 0;
  int next_early_ = 0, started_ = 0, turns_ = 0;

 private:
  [[nodiscard]] std::vector<DeviceId> true_ids() const;
};

}  // namespace berth::exact
