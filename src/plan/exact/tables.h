// SPDX-License-Identifier: Apache-2.0
// Tables: a problem in the form the tree search of `exact` reads: small integers, rows, and times of every tensor on
// every channel, computed once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "problem/problem.h"

namespace berth::exact {

// Ops, units, devices and tensors are small numbers here; as an index.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Lists of integers, one per row.
struct Rows {
  std::vector<int> begin{0}, items;
  [[nodiscard]] std::span<const int> of(int row) const {
    const auto r = static_cast<std::size_t>(row);
    return {items.data() + begin[r], items.data() + begin[r + 1]};
  }
  void end_row() { begin.push_back(static_cast<int>(items.size())); }
};

enum class Storage : std::uint8_t { kOwn, kResident, kAlias };

struct Hop {
  int queue;    // -1: uncontended
  int channel;  // index into the machine's channels
  bool last;
};

struct Tables {
  explicit Tables(const Problem& problem);

  const Problem* problem;
  int ops, tensors, units, devices, queues, channels;
  bool has_limits = false;      // on devices or crossings
  bool memory_binds = false;    // some device may not hold everything at once
  Picoseconds granularity = 1;  // divides the time of everything, and so of every plan
  // Per op.
  Rows inputs, outputs, control_in, control_out;  // inputs: distinct tensors
  std::vector<int> unit_of, waits, alias_of;
  std::vector<Storage> storage;
  std::vector<Bytes> output_bytes, resident;  // output_bytes: allocated at the start, 0 unless kOwn
  std::vector<Picoseconds> duration;          // [op * devices + device]
  std::vector<std::uint8_t> computes;
  std::vector<int> topological;
  // Ops that are there from the start and used in their own unit alone: they need no device before that unit has one.
  std::vector<std::uint8_t> quiet;
  // Per tensor.
  Rows consumers;
  std::vector<int> producer;
  std::vector<Bytes> bytes;
  std::vector<std::uint8_t> kept;
  std::vector<Picoseconds> hop_time;       // [tensor * channels + channel]
  std::vector<Picoseconds> unloaded_time;  // [(tensor * devices + from) * devices + to]
  // Per unit.
  Rows unit_ops;
  std::vector<DeviceSet> allowed;
  std::vector<int> needed_at_start;  // units with an op that is ready at time 0, in topological order
  // Per device, and per pair of them.
  std::vector<int> lanes, account;  // account: whose memory the device draws on
  std::vector<Bytes> capacity;      // per account
  std::vector<Hop> hops;
  std::vector<int> first_hop;                // [from * devices + to]
  std::vector<Picoseconds> control_latency;  // [from * devices + to]
  std::vector<DeviceSet> relays;             // [from * devices + to]: devices on the way, ends included

  [[nodiscard]] std::size_t cell(int row, int device) const { return at(row) * at(devices) + at(device); }
  [[nodiscard]] Picoseconds time(int op, int device) const { return duration[cell(op, device)]; }
  [[nodiscard]] Picoseconds on_channel(int tensor, int channel) const {
    return hop_time[at(tensor) * at(channels) + at(channel)];
  }
  [[nodiscard]] Picoseconds unloaded(int tensor, int from, int to) const {
    return unloaded_time[cell(tensor * devices + from, to)];
  }

 private:
  void copy_ops();
  void copy_tensors();
  void copy_units();
  void copy_machine();
  void time_transfers();
  void find_early_units();
  void find_granularity();
};

}  // namespace berth::exact
