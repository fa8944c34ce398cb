// SPDX-License-Identifier: Apache-2.0
// Engine: the event loop behind Simulator. docs/simulator.md states the rules; the numbers in comments here are theirs.
//
// An instant is handled in two halves. First everything that ends takes effect, with all the timeless work it makes
// ready; new demands (ready ops, transfer requests) are only collected. Then they queue up in the stated order, and
// idle lanes and links pick. So nothing depends on the order in which events of one instant come out of the heap.
//
// With equal priorities ready times arrive in order, so the ready queue of a device is a list, not a heap. Memory needs
// no timeline: bytes go up and down with the events, and the peak is read once at the end of an instant, which makes
// lifetimes half-open and empty ones free of charge.
//
// What the loop reads is packed (flat_graph.h). Where a copy arrives, which of its readers are there is a coin toss, so
// that is arithmetic and no branch; docs/decisions/0029-packed-tables.md says what was measured.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "graph/builder.h"
#include "problem/problem.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/flat_graph.h"
#include "sim/engine/ready_queue.h"
#include "sim/engine/stretches.h"
#include "sim/memory_timeline.h"
#include "sim/timeline.h"

namespace berth {

// What a run is for, known to the compiler, so that a plain one pays for nothing else.
enum class Mode {
  kScore,
  kTimeline,
  kBounded,
  kBase,  // recorded, for runs of similar plans
  kNear,  // bounded, and of a plan similar to the base
};

class Engine {
 public:
  explicit Engine(const Problem& problem);
  ~Engine();

  const Score& run(const Plan& plan);
  // nullptr if the step takes longer than the cutoff; given up as soon as that is sure.
  const Score* run_bounded(const Plan& plan, Picoseconds cutoff);
  // Bounded runs of similar plans become cheaper.
  void rebase(const Plan& plan);
  Timeline run_with_timeline(const Plan& plan);
  // When each op was ready and ended; only these are kept.
  const Score& run_with_times(const Plan& plan, std::vector<Picoseconds>& ready, std::vector<Picoseconds>& end);
  // Of the last run_with_timeline().
  [[nodiscard]] const std::vector<MemoryEvent>& memory() const { return memory_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  // A node in one word: what it waits for, then its device.
  static constexpr std::uint32_t kDeviceMask = 63, kOneWait = 64;
  static_assert(kDeviceMask + 1 == kMaxDevices);
  static_assert(kMaxTensors + kMaxOps <= 0xffffffffU / kOneWait);
  static constexpr std::uint32_t kOfCopy = 1U << 31;    // what has allocated: the arrival of a tensor
  static constexpr std::uint32_t kIsShared = 1U << 31;  // uses: the storage is that of the tensor in the other bits

  struct Resident {
    OpId op;
    Bytes bytes;
  };
  struct Hop {  // one channel of a route, with what the loop needs of it
    double latency_s, bytes_per_s;
    int queue;  // -1: uncontended
    std::uint16_t channel;
    bool last;
  };
  struct Transfer {
    Picoseconds duration;  // on the present hop
    Bytes bytes;
    std::uint32_t tensor;
    std::uint32_t next;  // in its queue, or among the unused
    std::uint32_t hop;   // into hops_
    std::uint8_t from, to;
    bool first;  // on the first hop
  };
  struct Request {
    std::uint64_t order;  // tensor, then destination
    std::uint32_t queue;
    std::uint32_t transfer;
  };
  static std::uint64_t order_of(std::uint32_t tensor, std::uint32_t to) { return (std::uint64_t{tensor} << 8) | to; }
  struct Queue {
    std::uint32_t head, tail;
    bool busy, touched;
  };
  struct DeviceState {
    Bytes held, peak;
    Picoseconds busy;
    std::uint32_t head, tail;  // ready list, when priorities are equal
    int idle_lanes, lanes;
    std::uint32_t last_allocator, peak_allocator;  // node, or kOfCopy + tensor
    Picoseconds peak_time;
    Picoseconds total_work;  // of all its ops, where that is asked for
  };
  struct PoolState {
    Bytes peak;
    Picoseconds peak_time;
    std::uint32_t peak_allocator;
    std::uint8_t peak_device;
  };
  struct Release {  // of bytes that only one of base and plan holds until then
    std::uint32_t column, instant;
    Bytes bytes;
  };
  struct UnderWay {           // a transfer or a control signal between instants
    Picoseconds in;           // from the next event on; kQueued if it waits for a link
    std::uint32_t what, hop;  // tensor, into hops_; or node, kNone
    auto operator<=>(const UnderWay&) const = default;
  };
  static constexpr Picoseconds kQueued = -1;
  struct Checkpoint;
  struct BaseRun;

  struct Told {            // readers of a tensor
    std::uint32_t here;    // how many are on the device that has it now
    std::uint32_t others;  // on how many devices the rest is
    DeviceSet elsewhere;   // on which
  };

  template <Mode kMode>
  bool simulate(const Plan& plan);
  template <Mode kMode>
  void begin();
  template <Mode kMode>
  bool run_to_end();
  bool simulate_near(const Plan& plan);
  void use(const FlatGraph& graph);
  void reset(const Plan& plan);
  void reset_nodes(const Plan& plan);
  void sum_work(const Plan& plan);
  void hold_residents(const Plan& plan);
  void set_priorities(const Plan& plan);

  template <Mode kMode>
  void handle(const Event& event);
  template <Mode kMode>
  void settle();  // timeless work, to the last round
  template <Mode kMode>
  void end_node(std::uint32_t node);
  template <Mode kMode>
  const std::uint32_t* publish(const std::uint32_t* output, std::uint32_t device, std::uint32_t looks_at);
  Told tell(const std::uint32_t* readers, const std::uint32_t* end, std::uint32_t device);
  std::uint32_t tell_at(const std::uint32_t* readers, const std::uint32_t* end, std::uint32_t device);
  void send_control(std::uint32_t after, std::uint32_t device);
  void arrive_at_node(std::uint32_t node);

  template <Mode kMode>
  void request(std::uint32_t tensor, std::uint32_t from, std::uint32_t to);
  template <Mode kMode>
  void advance(std::uint32_t transfer);
  static Picoseconds hop_time(const Hop& hop, Bytes bytes) {
    return to_picoseconds(hop.latency_s + static_cast<double>(bytes) / hop.bytes_per_s);
  }
  template <Mode kMode>
  void end_hop(std::uint32_t transfer);
  template <Mode kMode>
  bool leave_hop(std::uint32_t transfer);
  void touch_queue(std::uint32_t queue);
  template <Mode kMode>
  void deliver(const Transfer& transfer);

  template <Mode kMode>
  void pick();
  template <Mode kMode>
  void start_in_order_of_readiness();
  template <Mode kMode>
  void start_by_priority();
  template <Mode kMode>
  bool starts_at_once();
  [[nodiscard]] std::uint64_t urgency(std::uint32_t node) const { return urgency_of(priorities_[node]); }
  void list_ready(std::uint32_t node, DeviceState& device);
  void queue_requests();
  template <Mode kMode>
  void start_node(std::uint32_t node, std::uint32_t device);
  [[nodiscard]] bool is_late(const DeviceState& device) const;
  [[nodiscard]] bool is_late() const;
  template <Mode kMode>
  void start_transfer(std::uint32_t queue);
  void record_transfer(const Transfer& transfer, Picoseconds start);

  void allocate(std::uint32_t device, Bytes bytes, std::uint32_t allocator);
  [[nodiscard]] OpId op_of(std::uint32_t allocator) const;
  [[nodiscard]] std::uint32_t* uses_on(std::uint32_t device) { return uses_.data() + device * flat_.num_tensors(); }
  [[nodiscard]] static std::uint32_t storage_of(std::uint32_t tensor, const std::uint32_t* uses);
  void release(std::uint32_t tensor, std::uint32_t device);
  void note_peaks();
  void note_pool_peak(std::uint32_t device);

  void fill_score();
  void judge_memory();
  void record_memory();
  void record_timeline(const Plan& plan);
  void finish_timeline();

  void record_base();
  // engine_base.cc
  void begin_base(const Plan& plan);
  void end_base();
  void record_instant();
  [[nodiscard]] Bytes held_in(std::size_t column) const;
  [[nodiscard]] Picoseconds duration_in(const Plan& plan, std::uint32_t node) const;
  void save_uses(Checkpoint& to);
  void save(Checkpoint& to, std::uint32_t instant);
  void save_checkpoint(std::uint32_t instant);
  void save_crowd();
  void restore(const Checkpoint& from);
  void patch(const Plan& plan);
  void shift_held(std::uint32_t device, Bytes bytes);
  void list_under_way(std::vector<UnderWay>& list) const;

  // engine_changes.cc
  bool find_changes(const Plan& plan);
  [[nodiscard]] DeviceSet destinations(const Plan& plan, std::uint32_t tensor) const;
  [[nodiscard]] std::uint32_t device_of(std::uint32_t node) const { return words_[node] & kDeviceMask; }
  [[nodiscard]] bool moved(const Plan& plan, std::uint32_t node) const;
  [[nodiscard]] bool same_latency(const Plan& plan, std::uint32_t from, std::uint32_t to) const;
  void find_effects(const Plan& plan);
  void find_effects_of(const Plan& plan, std::uint32_t node);
  void add_effect(std::uint32_t first_instant, std::uint32_t last_instant);
  [[nodiscard]] bool moves_unnoticed(const Plan& plan, std::uint32_t node) const;

  // engine_crowd.cc
  bool begin_like_base();
  [[nodiscard]] bool keeps_crowd(const Plan& plan, std::uint32_t node) const;
  void hold_crowd(const Plan& plan, int sign);
  [[nodiscard]] bool fits() const;
  bool redirect_crowd();
  [[nodiscard]] bool leaves_later(std::uint32_t tensor) const;
  void tell_of_crowd(std::uint32_t tensor, bool arrives);
  bool send_elsewhere(std::uint32_t tensor);
  bool withdraw(std::uint32_t tensor, std::uint32_t to);

  // engine_skip.cc
  void find_next_skip(std::size_t from);
  [[gnu::noinline]] bool skip();
  bool skip_from(const Checkpoint& here, Picoseconds shift);
  [[nodiscard]] bool is_at(const Checkpoint& here, Picoseconds shift);
  bool matches_ready();
  bool matches_ready_by_priority(const ReadyQueue& ready);
  [[nodiscard]] bool is_before_in_base(std::uint32_t a, std::uint32_t b) const;
  bool skip_memory(std::uint32_t from, std::uint32_t to);
  [[nodiscard]] Bytes capacity_of(std::size_t column) const;
  [[nodiscard]] Bytes peak_in(std::size_t column) const;
  void skip_to(const Checkpoint& there, Picoseconds shift);
  void fill_score_of_base(Picoseconds shift);
  void fill_queue_use();
  void add_transfers(const Plan& plan, std::uint32_t tensor, int sign);

  // engine_touched.cc
  bool find_touched();
  bool add_storage_tree(std::uint32_t tensor, std::size_t& left);
  void collect_releases(std::uint32_t tensor);
  [[nodiscard]] bool is_view_of(std::uint32_t node, std::uint32_t tensor) const;
  [[nodiscard]] std::uint32_t last_use(const Plan& plan, std::uint32_t root, std::uint32_t device);
  void add_release(std::uint32_t device, std::uint32_t last, Bytes bytes);
  void count_uses_of_touched(std::uint32_t instant, bool nothing_has_left);
  [[nodiscard]] std::uint32_t uses_after(std::uint32_t instant, std::uint32_t tensor, std::uint32_t device) const;

  const Problem& problem_;
  const FlatGraph flat_;    // of the problem
  FlatGraph fused_;         // of the plan, if it fuses
  const FlatGraph* graph_;  // the one in use, and its tables
  const std::uint32_t *script_ = nullptr, *node_begin_ = nullptr, *tensor_begin_ = nullptr;
  const FlatGraph::Start* starts_ = nullptr;
  const Bytes* bytes_ = nullptr;

  Picoseconds now_ = 0, cutoff_ = 0;
  bool late_ = false;  // the step will end after the cutoff

  HugeVector<std::uint32_t> words_;  // per node
  // Of the storage of a tensor's copy, [device * tensors + tensor], from the moment that it is there: consumers to end
  // and transfers to leave, those of views made of it included. For such a view, the tensor whose copy it shares.
  HugeVector<std::uint32_t> uses_;
  HugeVector<std::uint32_t> next_ready_;
  HugeVector<Transfer> transfers_;
  std::uint32_t unused_transfer_ = 0;
  std::vector<std::size_t> first_start_;  // per device: those of its class in starts_
  std::vector<Hop> hops_;
  std::vector<std::uint32_t> first_hop_;  // [from * devices + to]
  std::vector<DeviceState> devices_;
  std::vector<ReadyQueue> ready_of_;  // per device, when priorities differ
  std::vector<Queue> queues_;
  std::vector<PoolState> pools_;
  std::vector<Resident> residents_;

  EventQueue queue_of_events_;

  // Collected during an instant.
  HugeVector<std::uint32_t> arrived_, ready_;  // nodes that wait for nothing any more; those of them that take time
  std::size_t num_arrived_ = 0, num_ready_ = 0;
  std::vector<std::uint32_t> touched_queues_;
  std::vector<Request> requests_;
  DeviceSet freed_devices_ = 0, grown_devices_ = 0;

  bool equal_priorities_ = true;
  const double* priorities_ = nullptr;  // per node, when they differ
  std::vector<double> priorities_of_groups_;
  std::uint32_t ready_order_ = 0;
  std::uint64_t events_ = 0;
  Score score_;
  Timeline timeline_;
  std::vector<MemoryEvent> memory_;   // of the timeline
  std::vector<Bytes> recorded_held_;  // per device, as memory_ says last

  // Of the base and of a plan near it.
  std::unique_ptr<BaseRun> base_;
  bool has_base_ = false, has_next_base_ = false;
  Plan next_base_;
  static constexpr std::uint64_t kRecordingCosts = 3;  // runs
  std::uint64_t handled_since_ = 0;                    // events, since that was asked for
  std::vector<std::uint32_t> changed_;                 // nodes
  std::uint32_t under_way_ = 0;                        // transfers and control signals
  std::uint32_t started_ = 0, rank_end_ = 0;           // nodes started; one more than the highest rank among them
  const Plan* near_plan_ = nullptr;
  Stretches dirty_;            // stretches of the base in which the plan's run may differ
  std::size_t next_skip_ = 0;  // the checkpoint from which something could be skipped
  std::uint32_t skip_at_ = 0;  // once as many nodes have started
  bool knows_touched_ = false, can_skip_ = true, has_skipped_ = false;
  std::vector<std::uint32_t> touched_;  // tensors that moved nodes read or make
  std::vector<std::uint32_t> trees_;    // these, with all that share or copy their storage; views come later
  std::vector<std::uint32_t> touched_in_, in_trees_;  // per tensor: the last of near_runs_ in which it was there
  std::uint32_t near_runs_ = 0;
  std::vector<Release> releases_;             // of storages in trees_, by column and instant
  std::vector<std::uint32_t> views_of_copy_;  // yet to be looked at; a file may chain any number of them
  struct Skipped {
    Bytes held, peak;
  };
  std::vector<Skipped> skipped_;  // per column
  std::vector<UnderWay> under_way_now_;
  std::vector<ReadyEntry> ready_entries_;
};

}  // namespace berth
