// SPDX-License-Identifier: Apache-2.0
// A problem packed for the batch simulator (event_loop.h): plain arrays of small numbers that the processor and a GPU
// read alike. All times are computed here; the loop adds and compares.
//
// What the end of an op does is a list of records: it tells the readers of its outputs, lets go its control successors,
// and releases its inputs. Records come in chunks of four, which are loaded together. An op goes by the number of its
// first chunk, its node, so that no table of list beginnings has to be looked at; nodes are in the order of op ids.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/batch/loop/portable.h"

namespace berth::batch {

using Time = std::uint64_t;  // picoseconds
inline constexpr Time kNever = ~Time{0};

// The word of a node: its device in the low bits; above it what it still waits for until it is ready, and from its end
// on the uses of its first output, or, for a view, the counter that it shares with what it looks at.
inline constexpr std::uint32_t kDeviceBits = 6;
inline constexpr std::uint32_t kDeviceMask = (1U << kDeviceBits) - 1;
inline constexpr std::uint32_t kOneWait = 1U << kDeviceBits;
inline constexpr std::uint32_t kUncounted = (1U << (32 - kDeviceBits)) - 1;  // a storage that is never freed

struct alignas(8) Record {
  enum Kind : std::uint32_t { kReader, kControl, kInput, kNothing };
  enum Storage : std::uint32_t { kOwn, kResident, kView };
  enum Timeless : std::uint32_t { kTakesTime, kTakesNone, kDependsOnDevice, kTakesNoneButMemory };
  static constexpr std::uint32_t kNodeBits = 23;

  std::uint32_t head;
  std::uint32_t body;  // reader: its tensor; input: side counters of the tensor

  // Bits of the head: node, end of list, kind, end of the readers of a tensor, timeless, storage, flag.
  BERTH_PORTABLE std::uint32_t node() const { return head & ((1U << kNodeBits) - 1); }
  BERTH_PORTABLE bool ends_list() const { return ((head >> 23) & 1) != 0; }  // in the first record of a chunk
  BERTH_PORTABLE std::uint32_t kind() const { return (head >> 24) & 3; }
  BERTH_PORTABLE bool ends_readers() const { return ((head >> 26) & 1) != 0; }
  BERTH_PORTABLE std::uint32_t timeless() const { return (head >> 27) & 3; }  // of a reader or successor
  BERTH_PORTABLE std::uint32_t storage() const { return (head >> 29) & 3; }   // of the producer
  BERTH_PORTABLE bool flag() const { return (head >> 31) != 0; }  // reader: graph output; input: a view looks at it
};
inline constexpr std::uint32_t kNoRecord = Record::kNothing << 24;
inline constexpr std::uint32_t kChunk = 4;

// Where the uses of a tensor's copies are counted, beside the words of nodes: copies elsewhere, and the home copies of
// outputs behind the first.
struct SideCounters {
  std::uint32_t bits;  // first counter, 30 bits; first output of its op; one counter for each device
  BERTH_PORTABLE bool first_output() const { return ((bits >> 30) & 1) != 0; }
  BERTH_PORTABLE std::uint32_t elsewhere(std::uint32_t device) const { return base() + (per_device() ? device : 0); }
  BERTH_PORTABLE std::uint32_t home(std::uint32_t device) const { return base() + (per_device() ? device : 1); }

 private:
  BERTH_PORTABLE std::uint32_t base() const { return bits & 0x3fffffffU; }
  BERTH_PORTABLE bool per_device() const { return (bits >> 31) != 0; }
};

struct alignas(16) Start {
  Time duration;
  std::int64_t bytes;  // that its outputs take from then on
};
struct alignas(16) Readers {  // of a tensor
  std::uint32_t first_chunk, num_chunks;
  SideCounters counters;
  std::uint32_t count;
};
struct alignas(16) Resident {
  std::uint64_t node;
  std::int64_t bytes;
};
struct Hop {  // of a route
  std::uint32_t bits;
  static constexpr std::uint32_t kUncontended = 0xff;
  BERTH_PORTABLE std::uint32_t queue() const { return bits & 0xff; }
  BERTH_PORTABLE std::uint32_t link() const { return (bits >> 8) & 0xffff; }  // column of hop_time
  BERTH_PORTABLE bool last() const { return (bits >> 31) != 0; }
};

// Pointers into the tables, here or on a GPU.
struct CompactView {
  std::uint32_t num_ops, num_nodes, num_tensors, num_devices, num_queues, num_pools, num_slots, num_classes;
  std::uint32_t num_counters;  // beside the nodes'
  std::uint32_t num_sources, num_residents, num_hops;
  std::uint32_t device_shift, tensor_shift;  // how a transfer is written as a number

  const Record* records;
  const Start* start;            // [node * num_classes + class]
  const std::uint8_t* timeless;  // [node]
  const Readers* readers;        // [tensor]
  const Record* home;            // [tensor]: its home copy as an input
  const std::int64_t* tensor_bytes;
  const std::int64_t* counter_bytes;  // [node], then [counter]
  const Time* hop_time;               // [link * num_tensors + tensor]
  const std::uint32_t* sources;
  const Resident* residents;
  const std::uint32_t* waits;    // [op]: its word but for the device
  const std::uint32_t* node_of;  // [op]

  // Small ones, which a GPU keeps close.
  const std::uint32_t* first_hop;  // [from * num_devices + to]
  const Hop* hops;
  const Time* latency;             // of control edges, [from * num_devices + to]
  const std::uint8_t* class_of;    // [device]
  const std::uint8_t* first_slot;  // [device], then [queue], then the number of slots
  const std::uint8_t* server_of;   // [slot]: device, or num_devices + queue
  const std::uint8_t* pool_of;     // [device]; num_pools: none
};

// A transfer as a number that sorts by tensor, then destination (docs/simulator.md, rule 3).
struct Transfer {
  std::uint32_t tensor, to, from, hop;
};
BERTH_PORTABLE std::uint32_t number_of(const CompactView& problem, const Transfer& transfer) {
  return transfer.tensor << problem.tensor_shift | transfer.to << (problem.tensor_shift - problem.device_shift) |
         transfer.from << (problem.tensor_shift - 2 * problem.device_shift) | transfer.hop;
}
BERTH_PORTABLE Transfer transfer_of(const CompactView& problem, std::uint32_t number) {
  const std::uint32_t device_mask = (1U << problem.device_shift) - 1;
  const std::uint32_t hop_bits = problem.tensor_shift - 2 * problem.device_shift;
  return {number >> problem.tensor_shift, (number >> (hop_bits + problem.device_shift)) & device_mask,
          (number >> hop_bits) & device_mask, number & ((1U << hop_bits) - 1)};
}

// The tables themselves. visit(pointer of a view, table) is called for each, to fill the view of wherever they are.
struct CompactTables {
  std::vector<Record> records;
  std::vector<Start> start;
  std::vector<std::uint8_t> timeless;
  std::vector<Readers> readers;
  std::vector<Record> home;
  std::vector<std::int64_t> tensor_bytes, counter_bytes;
  std::vector<Time> hop_time;
  std::vector<std::uint32_t> sources;
  std::vector<Resident> residents;
  std::vector<std::uint32_t> waits, node_of, first_hop;
  std::vector<Hop> hops;
  std::vector<Time> latency;
  std::vector<std::uint8_t> class_of, first_slot, server_of, pool_of;

  template <typename Visit>
  void visit(CompactView& view, Visit visit) const {
    visit(view.records, records);
    visit(view.start, start);
    visit(view.timeless, timeless);
    visit(view.readers, readers);
    visit(view.home, home);
    visit(view.tensor_bytes, tensor_bytes);
    visit(view.counter_bytes, counter_bytes);
    visit(view.hop_time, hop_time);
    visit(view.sources, sources);
    visit(view.residents, residents);
    visit(view.waits, waits);
    visit(view.node_of, node_of);
    visit(view.first_hop, first_hop);
    visit(view.hops, hops);
    visit(view.latency, latency);
    visit(view.class_of, class_of);
    visit(view.first_slot, first_slot);
    visit(view.server_of, server_of);
    visit(view.pool_of, pool_of);
  }
};

}  // namespace berth::batch
