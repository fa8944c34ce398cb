// SPDX-License-Identifier: Apache-2.0
// PartialRun: a simulation by the rules of docs/simulator.md that stops wherever a plan could go one way or another,
// and goes on once told which way. Units get their device when the first thing depends on it: a result that has to
// be sent somewhere, or an op that is ready. So everything up to `now` is exact, memory included, and a partial run is
// a node of a search tree over all plans. Copying one costs a few hundred bytes per ten ops.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/exact/tables.h"

namespace berth::exact {

struct Decision {
  enum class Kind : std::uint8_t {
    kNone,        // the run is over: every op has ended
    kDead,        // it breaks a limit or runs out of memory, whatever is decided later
    kDevice,      // on which device is `item` (a unit)?
    kNext,        // which ready op does device `item` start?
    kLowerDevice  // which of the interchangeable devices `item` and `other` has the lower id?
  };
  Kind kind = Kind::kNone;
  int item = -1, other = -1;
};
inline constexpr Decision kGoOn{};

class PartialRun {
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

  PartialRun(const Tables& tables, const std::vector<int>& device_classes);

  // Runs to the next decision.
  Decision advance();
  // Answers to the three kinds of decision. A device of kDevice must be in domain(unit).
  void place(int unit, int device);
  void start(int op);
  void order_devices(int lower, int higher);

  [[nodiscard]] const Tables& tables() const { return *tables_; }
  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] int device_of_unit(int unit) const { return device_of_[at(unit)]; }
  [[nodiscard]] int device_of(int op) const { return device_of_unit(tables_->unit_of[at(op)]); }
  // Where a unit may still go; bounds take devices away.
  [[nodiscard]] DeviceSet domain(int unit) const { return domain_[at(unit)]; }
  void exclude(int unit, int device) { domain_[at(unit)] &= ~(DeviceSet{1} << device); }
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

 private:
  [[nodiscard]] int unplaced_successor(int op) const;
  [[nodiscard]] bool within_limits() const;
  Decision settle();
  void end_op(int op);
  void publish(int op, int tensor, int device);
  void send_control(int op, int device);
  void release(int tensor, int device);
  void arrive(int op);
  void request(int tensor, int from, int to);
  void move_on(Transfer& transfer);
  bool leave_hop(Transfer& transfer);
  Decision queue_requests();
  [[nodiscard]] Decision compare_requests(std::size_t a, std::size_t b, bool& a_first) const;
  Decision pick_ops();
  void pick_transfers();
  bool note_peaks();
  void allocate(int device, Bytes bytes);
  [[nodiscard]] Picoseconds next_time() const;
  [[nodiscard]] std::vector<DeviceId> true_ids() const;
  void handle_events();
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
};

}  // namespace berth::exact
