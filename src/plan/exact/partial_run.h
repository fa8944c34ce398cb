// SPDX-License-Identifier: Apache-2.0
// PartialRun: a simulation by the rules of docs/simulator.md that stops wherever a plan could go one way or another,
// and goes on once told which way. Units get their device when the first thing depends on it: a result that has to
// be sent somewhere, or an op that is ready. So everything up to `now` is exact, memory included, and a partial run is
// a node of a search tree over all plans.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/exact/run_state.h"

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

class PartialRun : public RunState {
 public:
  PartialRun(const Tables& tables, const std::vector<int>& device_classes) : RunState(tables, device_classes) {}

  // Runs to the next decision.
  Decision advance();
  // Answers to the three kinds of decision. A device of kDevice must be in domain(unit).
  void place(int unit, int device);
  void start(int op);
  void order_devices(int lower, int higher);
  // Takes a device away from those where a unit may go, as bounds do.
  void exclude(int unit, int device) { domain_[at(unit)] &= ~(DeviceSet{1} << device); }

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
  void handle_events();
};

}  // namespace berth::exact
