// SPDX-License-Identifier: Apache-2.0
// What a search for the pipeline objective works on. PipelineModel: the problem drawn together to units and nets, once.
// PipelineLoads: a plan with the load and memory of every device, kept exact while units move, at a cost of the unit's
// degree per move; equal to pipeline_score() at any time.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "problem/memory_domains.h"
#include "problem/problem.h"
#include "sim/pipeline.h"

namespace berth {

// A net stands for all tensors that one unit makes and the same set of other units reads. Tensors that never leave
// their unit are left out.
class PipelineModel {
 public:
  explicit PipelineModel(const Problem& problem);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const MemoryDomains& domains() const { return domains_; }
  [[nodiscard]] std::size_t num_units() const { return problem_.num_units(); }
  [[nodiscard]] std::size_t num_devices() const { return problem_.machine().num_devices(); }
  [[nodiscard]] std::size_t num_nets() const { return producer_.size(); }

  // Time of all ops of a unit on a device, before the division by lanes; meaningless where it is not allowed.
  [[nodiscard]] Picoseconds work(std::uint32_t unit, DeviceId device) const {
    return work_[unit * num_classes_ + class_of_[index(device)]];
  }
  [[nodiscard]] Bytes resident(std::uint32_t unit) const { return resident_[unit]; }
  [[nodiscard]] bool computes(std::uint32_t unit) const { return computes_[unit] != 0; }

  [[nodiscard]] std::span<const std::uint32_t> made_by(std::uint32_t unit) const {  // nets
    return {made_.data() + made_begin_[unit], made_.data() + made_begin_[unit + 1]};
  }
  [[nodiscard]] std::span<const std::uint32_t> read_by(std::uint32_t unit) const {  // nets
    return {read_.data() + read_begin_[unit], read_.data() + read_begin_[unit + 1]};
  }
  [[nodiscard]] std::uint32_t producer(std::uint32_t net) const { return producer_[net]; }
  [[nodiscard]] std::span<const std::uint32_t> readers(std::uint32_t net) const {  // units, ascending
    return {readers_.data() + reader_begin_[net], readers_.data() + reader_begin_[net + 1]};
  }
  [[nodiscard]] std::uint32_t num_readers(std::uint32_t net) const {
    return reader_begin_[net + 1] - reader_begin_[net];
  }
  [[nodiscard]] std::uint32_t num_tensors(std::uint32_t net) const { return tensors_[net]; }
  // A way of tensors: the links it takes, by what they cost and by their queue (-1: none).
  struct Hop {
    std::uint32_t figures;
    int queue;
    auto operator<=>(const Hop&) const = default;
  };
  using Way = std::vector<Hop>;
  [[nodiscard]] Picoseconds time(std::uint32_t net, const Hop& hop) const {
    return times_[net * num_figures_ + hop.figures];
  }
  [[nodiscard]] Picoseconds time(std::uint32_t net, const Way& way) const {
    Picoseconds sum = 0;
    for (const Hop& hop : way) sum += time(net, hop);
    return sum;
  }
  [[nodiscard]] bool is_direct(DeviceId from, DeviceId to) const { return ways_.is_direct(from, to); }
  [[nodiscard]] const Way& direct_way(DeviceId from, DeviceId to) const {
    return direct_ways_[index(from) * num_devices() + index(to)];
  }
  [[nodiscard]] const Way& way_to_host(DeviceId device) const { return to_host_[index(device)]; }
  [[nodiscard]] const Way& way_from_host(DeviceId device) const { return from_host_[index(device)]; }

  // Whether every device pays for its tensors without regard to where else they go, and no link can have a larger load
  // than a device: nothing is direct, and every link serves one accelerator alone.
  [[nodiscard]] bool is_separable() const { return is_separable_; }
  // The least that a device pays when the net leaves or enters it; just what it pays where that is separable.
  [[nodiscard]] Picoseconds out_time(std::uint32_t net, DeviceId device) const {
    return is_separable_ ? time(net, way_to_host(device)) : least_time(net, out_ways_[index(device)]);
  }
  [[nodiscard]] Picoseconds in_time(std::uint32_t net, DeviceId device) const {
    return is_separable_ ? time(net, way_from_host(device)) : least_time(net, in_ways_[index(device)]);
  }
  // Load from a sum of work and a sum of transfers.
  [[nodiscard]] Picoseconds load(DeviceId device, Picoseconds work, Picoseconds transfers) const {
    const Picoseconds lanes = lanes_[index(device)];
    return (lanes == 1 ? work : (work + lanes - 1) / lanes) + transfers;
  }
  // Whether the two take all units at the same cost: equal classes, lanes and ways out and in.
  [[nodiscard]] bool equal_costs(DeviceId a, DeviceId b) const;

 private:
  void weigh_units();
  void find_nets();
  void price_nets(std::span<const std::vector<TensorId>> tensors_of_net);
  void index_nets();
  void find_ways();
  [[nodiscard]] Way way_of(PipelineWays::Route route);
  [[nodiscard]] bool find_separable() const;
  [[nodiscard]] Picoseconds least_time(std::uint32_t net, std::span<const Way> ways) const;

  const Problem& problem_;
  const PipelineWays ways_;
  const MemoryDomains domains_;
  std::size_t num_classes_, num_figures_ = 0;
  std::vector<std::size_t> class_of_;  // per device
  std::vector<Picoseconds> lanes_;
  std::vector<std::pair<double, double>> figures_;    // latencies and bandwidths that occur
  std::vector<Way> to_host_, from_host_;              // per device
  std::vector<Way> direct_ways_;                      // [from * devices + to]; none where the way is not direct
  std::vector<std::vector<Way>> out_ways_, in_ways_;  // per device, without repeats, queues aside
  bool is_separable_ = true;
  std::vector<Picoseconds> work_;  // [unit * classes + class]
  std::vector<Bytes> resident_;
  std::vector<std::uint8_t> computes_;
  std::vector<std::uint32_t> made_begin_, made_, read_begin_, read_;
  std::vector<std::uint32_t> producer_, reader_begin_, readers_, tensors_;
  std::vector<Picoseconds> times_;  // [net * figures + figures]: of all its tensors on such a link
};

class PipelineLoads {
 public:
  // The model must outlive it.
  PipelineLoads(const PipelineModel& model, std::span<const DeviceId> device_of_unit);
  PipelineLoads(const PipelineModel& model, const Plan& plan);

  // Puts a unit on another device, whether it is allowed there or not.
  void move(std::uint32_t unit, DeviceId to);
  // What that would make of the loads of the two devices; those of all others stay. Quicker than to move and look. Only
  // where the model is separable.
  struct Effect {
    Picoseconds from, to;
  };
  [[nodiscard]] Effect effect_of_move(std::uint32_t unit, DeviceId to) const;

  [[nodiscard]] const PipelineModel& model() const { return *model_; }
  [[nodiscard]] DeviceId device(std::uint32_t unit) const { return device_of_[unit]; }
  [[nodiscard]] std::span<const DeviceId> devices() const { return device_of_; }
  [[nodiscard]] Picoseconds load(DeviceId device) const {
    return model_->load(device, work_[index(device)], transfers_[index(device)]);
  }
  // Of a link; 0 where the model is separable, which need not look at links.
  [[nodiscard]] Picoseconds queue_load(std::size_t queue) const { return queues_[queue]; }
  [[nodiscard]] std::size_t num_queues() const { return queues_.size(); }
  [[nodiscard]] Picoseconds largest_load() const;  // of devices and links
  [[nodiscard]] DeviceId most_loaded() const;      // the first of them
  // Bytes left in the memory of a device, which others may share; negative if it overflows.
  [[nodiscard]] Bytes room(DeviceId device) const {
    const std::size_t domain = model_->domains().of(device);
    return model_->domains().capacity(domain) - held_[domain];
  }
  [[nodiscard]] bool has_room_for(std::uint32_t unit, DeviceId to) const {
    return model_->domains().of(device(unit)) == model_->domains().of(to) || room(to) >= model_->resident(unit);
  }
  // Bytes over capacity, summed over all memories; 0 iff the plan is feasible.
  [[nodiscard]] Bytes over_capacity() const;
  // What limits count: devices with compute ops, and (tensor, destination) pairs.
  [[nodiscard]] int devices_that_compute() const;
  [[nodiscard]] std::int64_t crossings() const { return crossings_; }
  [[nodiscard]] bool within_limits() const;
  // Readers of a net on a device.
  [[nodiscard]] std::uint32_t readers_on(std::uint32_t net, DeviceId device) const {
    return readers_on_[net * num_devices_ + index(device)];
  }

  [[nodiscard]] Plan plan() const;

 private:
  // Adds, or takes away, what a net costs as its readers and its home are at present.
  void charge(std::uint32_t net, DeviceId home, Picoseconds sign);
  Picoseconds carry(std::uint32_t net, const PipelineModel::Way& way, Picoseconds sign);
  void move_apart(std::uint32_t unit, DeviceId from, DeviceId to);
  void move_output(std::uint32_t net, DeviceId from, DeviceId to);
  void move_reader(std::uint32_t net, DeviceId from, DeviceId to);
  std::uint32_t& count(std::uint32_t net, DeviceId device) { return readers_on_[net * num_devices_ + index(device)]; }

  const PipelineModel* model_;
  std::size_t num_devices_;
  std::vector<DeviceId> device_of_;  // per unit
  std::vector<Picoseconds> work_, transfers_, queues_;
  std::vector<Bytes> held_;                // per memory domain
  std::vector<std::uint32_t> computing_;   // units with compute ops, per device
  std::vector<std::uint32_t> readers_on_;  // [net * devices + device]
  std::int64_t crossings_ = 0;
};

}  // namespace berth
