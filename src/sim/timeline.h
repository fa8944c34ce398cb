// SPDX-License-Identifier: Apache-2.0
// What a simulation says: the score every evaluation gives, and the full timeline on request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/units.h"

namespace berth {

struct DeviceUse {
  Picoseconds busy = 0;  // summed over lanes
  Bytes peak = 0;        // most bytes held at one instant
  bool operator==(const DeviceUse&) const = default;
};

struct QueueUse {
  Picoseconds busy = 0;
  Bytes bytes = 0;
  bool operator==(const QueueUse&) const = default;
};

// Where memory runs out: the device (or pool) that is most over its capacity, at its peak.
struct Overflow {
  DeviceId device = kNoDevice;
  int pool = -1;    // >= 0 when the device draws on a pool
  OpId op = kNoOp;  // allocated last at that instant
  Picoseconds time = 0;
  Bytes over = 0;
  bool operator==(const Overflow&) const = default;
};

struct Score {
  Picoseconds step_time = 0;
  bool feasible = true;
  std::vector<DeviceUse> devices;  // indexed by DeviceId
  std::vector<Bytes> pool_peaks;   // indexed like Machine::pools()
  std::vector<QueueUse> queues;    // indexed like Machine::queues()
  std::optional<Overflow> overflow;
  bool operator==(const Score&) const = default;
};

// Feasible before infeasible; then by step time; infeasible ones by bytes over, then step time.
bool better(const Score& a, const Score& b);

struct OpEvent {  // timeless ops are left out; a fused group stands under its lowest member
  OpId op;
  DeviceId device;
  int lane;
  Picoseconds start, end;
  bool operator==(const OpEvent&) const = default;
};

struct TransferEvent {  // one per link of a route; timeless ones are left out
  TensorId tensor;
  DeviceId from, to;  // of the whole route
  int channel;        // index into Machine::channels()
  Picoseconds start, end;
  Bytes bytes;
  bool operator==(const TransferEvent&) const = default;
};

struct Timeline {
  Score score;
  std::vector<OpEvent> ops;              // by start, then op id
  std::vector<TransferEvent> transfers;  // by start, then tensor, then destination, then hop
  std::vector<Picoseconds> op_end;       // indexed by OpId, timeless ops included
  std::vector<Picoseconds> op_ready;     // when its inputs were there
};

}  // namespace berth
