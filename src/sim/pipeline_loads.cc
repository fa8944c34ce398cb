// SPDX-License-Identifier: Apache-2.0
#include "sim/pipeline_loads.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace berth {
namespace {

std::vector<DeviceId> devices_of_units(const Problem& problem, const Plan& plan) {
  std::vector<DeviceId> devices(problem.num_units());
  for (std::uint32_t unit = 0; unit < devices.size(); ++unit) {
    devices[unit] = plan.device(problem.unit_ops(unit).front());
  }
  return devices;
}

// Units other than the producer's that read a tensor, ascending.
std::vector<std::uint32_t> units_that_read(const Problem& problem, TensorId tensor) {
  std::vector<std::uint32_t> units;
  for (const OpId consumer : problem.graph().consumers(tensor)) units.push_back(problem.unit(consumer));
  std::sort(units.begin(), units.end());
  units.erase(std::unique(units.begin(), units.end()), units.end());
  std::erase(units, problem.unit(problem.graph().producer(tensor)));
  return units;
}

}  // namespace

PipelineModel::PipelineModel(const Problem& problem)
    : problem_(problem),
      ways_(problem),
      domains_(problem),
      num_classes_(static_cast<std::size_t>(problem.num_device_classes())) {
  for (const DeviceId id : problem.machine().device_ids()) {
    class_of_.push_back(static_cast<std::size_t>(problem.device_class(id)));
    lanes_.push_back(problem.machine().device(id).lanes);
  }
  weigh_units();
  find_ways();
  find_nets();
  index_nets();
}

bool PipelineModel::equal_costs(DeviceId a, DeviceId b) const {
  return class_of_[index(a)] == class_of_[index(b)] && lanes_[index(a)] == lanes_[index(b)] &&
         out_ways_[index(a)] == out_ways_[index(b)] && in_ways_[index(a)] == in_ways_[index(b)];
}

PipelineModel::Way PipelineModel::way_of(PipelineWays::Route route) {
  Way way;
  for (const std::uint16_t id : route) {
    const Channel& channel = problem_.machine().channels()[id];
    const std::pair figures(channel.latency_s, channel.bytes_per_s);
    const auto same = std::ranges::find(figures_, figures);
    way.push_back({static_cast<std::uint32_t>(same - figures_.begin()), channel.queue});
    if (same == figures_.end()) figures_.push_back(figures);
  }
  return way;
}

void PipelineModel::find_ways() {
  const auto devices = problem_.machine().device_ids();
  const bool host_alone = problem_.objective() != Objective::kPipeline && ways_.has_host();  // for cuts of one step
  out_ways_.resize(num_devices());
  in_ways_.resize(num_devices());
  const auto add_kind = [](std::vector<Way>& ways, Way way) {
    for (Hop& hop : way) hop.queue = -1;
    if (std::ranges::find(ways, way) == ways.end()) ways.push_back(std::move(way));
  };
  for (const DeviceId id : devices) {
    to_host_.push_back(way_of(ways_.to_host(id)));
    from_host_.push_back(way_of(ways_.from_host(id)));
    if (!ways_.has_host()) continue;
    add_kind(out_ways_[index(id)], to_host_.back());
    add_kind(in_ways_[index(id)], from_host_.back());
  }
  for (const DeviceId from : devices) {
    for (const DeviceId to : devices) {
      Way& way = direct_ways_.emplace_back();
      if (!is_direct(from, to)) continue;
      way = way_of(ways_.between(from, to));
      if (host_alone) continue;
      add_kind(out_ways_[index(from)], way);
      add_kind(in_ways_[index(to)], way);
    }
  }
  for (auto* ways : {&out_ways_, &in_ways_}) {
    for (std::vector<Way>& of_device : *ways) std::ranges::sort(of_device);
  }
  num_figures_ = figures_.size();
  is_separable_ = find_separable();
}

bool PipelineModel::find_separable() const {
  std::vector<DeviceId> user(problem_.machine().queues().size(), kNoDevice);
  for (const DeviceId id : problem_.machine().device_ids()) {
    if (ways_.direct(id) != 0) return false;
    for (const Way* way : {&to_host_[index(id)], &from_host_[index(id)]}) {
      for (const Hop& hop : *way) {
        if (hop.queue < 0) continue;
        DeviceId& known = user[static_cast<std::size_t>(hop.queue)];
        if (known != kNoDevice && known != id) return false;
        known = id;
      }
    }
  }
  return true;
}

Picoseconds PipelineModel::least_time(std::uint32_t net, std::span<const Way> ways) const {
  Picoseconds least = std::numeric_limits<Picoseconds>::max();
  for (const Way& way : ways) least = std::min(least, time(net, way));
  return ways.empty() ? 0 : least;
}

void PipelineModel::weigh_units() {
  work_.assign(num_units() * num_classes_, 0);
  resident_.assign(num_units(), 0);
  computes_.assign(num_units(), 0);
  std::vector<DeviceId> first(num_classes_, kNoDevice);
  for (const DeviceId id : problem_.machine().device_ids()) {
    DeviceId& device = first[class_of_[index(id)]];
    if (device == kNoDevice) device = id;
  }
  for (const OpId op : problem_.graph().ops()) {
    const std::uint32_t unit = problem_.unit(op);
    for (std::size_t c = 0; c < num_classes_; ++c) work_[unit * num_classes_ + c] += problem_.duration(op, first[c]);
    resident_[unit] += problem_.resident_bytes(op);
    if (problem_.graph().role(op) == Role::kCompute) computes_[unit] = 1;
  }
}

void PipelineModel::find_nets() {
  const Graph& graph = problem_.graph();
  std::vector<std::vector<TensorId>> tensors_of_net;
  reader_begin_.push_back(0);
  std::vector<std::pair<std::vector<std::uint32_t>, TensorId>> made;
  for (std::uint32_t unit = 0; unit < num_units(); ++unit) {
    made.clear();
    for (const OpId op : problem_.unit_ops(unit)) {
      for (const TensorId tensor : graph.outputs(op)) {
        if (auto units = units_that_read(problem_, tensor); !units.empty()) made.emplace_back(std::move(units), tensor);
      }
    }
    std::sort(made.begin(), made.end());
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (i == 0 || made[i].first != made[i - 1].first) {
        producer_.push_back(unit);
        readers_.insert(readers_.end(), made[i].first.begin(), made[i].first.end());
        reader_begin_.push_back(static_cast<std::uint32_t>(readers_.size()));
        tensors_of_net.emplace_back();
      }
      tensors_of_net.back().push_back(made[i].second);
    }
  }
  price_nets(tensors_of_net);
}

// Links of equal latencies and bandwidths share a column of the table.
void PipelineModel::price_nets(std::span<const std::vector<TensorId>> tensors_of_net) {
  const auto channels = problem_.machine().channels();
  std::vector<int> channel_of;  // per column: one of those it stands for
  for (const auto& figure : figures_) {
    const auto same = std::ranges::find_if(
        channels, [&](const Channel& channel) { return std::pair{channel.latency_s, channel.bytes_per_s} == figure; });
    channel_of.push_back(static_cast<int>(same - channels.begin()));
  }
  times_.assign(tensors_of_net.size() * num_figures_, 0);
  for (std::size_t net = 0; net < tensors_of_net.size(); ++net) {
    tensors_.push_back(static_cast<std::uint32_t>(tensors_of_net[net].size()));
    for (const TensorId tensor : tensors_of_net[net]) {
      const Bytes bytes = problem_.graph().bytes(tensor);
      for (std::size_t i = 0; i < num_figures_; ++i)
        times_[net * num_figures_ + i] += problem_.transfer_time(bytes, channel_of[i]);
    }
  }
}

void PipelineModel::index_nets() {
  made_begin_.assign(num_units() + 1, 0);
  read_begin_.assign(num_units() + 1, 0);
  for (const std::uint32_t unit : producer_) ++made_begin_[unit + 1];
  for (const std::uint32_t unit : readers_) ++read_begin_[unit + 1];
  for (std::size_t unit = 0; unit < num_units(); ++unit) {
    made_begin_[unit + 1] += made_begin_[unit];
    read_begin_[unit + 1] += read_begin_[unit];
  }
  made_.resize(producer_.size());
  read_.resize(readers_.size());
  std::vector<std::uint32_t> next_made = made_begin_, next_read = read_begin_;
  for (std::uint32_t net = 0; net < num_nets(); ++net) {
    made_[next_made[producer_[net]]++] = net;
    for (const std::uint32_t unit : readers(net)) read_[next_read[unit]++] = net;
  }
}

PipelineLoads::PipelineLoads(const PipelineModel& model, const Plan& plan)
    : PipelineLoads(model, devices_of_units(model.problem(), plan)) {}

PipelineLoads::PipelineLoads(const PipelineModel& model, std::span<const DeviceId> device_of_unit)
    : model_(&model),
      num_devices_(model.num_devices()),
      device_of_(device_of_unit.begin(), device_of_unit.end()),
      work_(num_devices_, 0),
      transfers_(num_devices_, 0),
      queues_(model.is_separable() ? 0 : model.problem().machine().queues().size(), 0),
      held_(model.domains().size(), 0),
      computing_(num_devices_, 0),
      readers_on_(model.num_nets() * num_devices_, 0) {
  for (std::uint32_t unit = 0; unit < device_of_.size(); ++unit) {
    const DeviceId device = device_of_[unit];
    work_[index(device)] += model.work(unit, device);
    held_[model.domains().of(device)] += model.resident(unit);
    if (model.computes(unit)) ++computing_[index(device)];
  }
  for (std::uint32_t net = 0; net < model.num_nets(); ++net) {
    const DeviceId home = device_of_[model.producer(net)];
    for (const std::uint32_t unit : model.readers(net)) ++count(net, device_of_[unit]);
    charge(net, home, 1);
  }
}

Picoseconds PipelineLoads::carry(std::uint32_t net, const PipelineModel::Way& way, Picoseconds sign) {
  Picoseconds sum = 0;
  for (const PipelineModel::Hop& hop : way) {
    const Picoseconds time = sign * model_->time(net, hop);
    sum += time;
    if (hop.queue >= 0 && !queues_.empty()) queues_[static_cast<std::size_t>(hop.queue)] += time;
  }
  return sum;
}

void PipelineLoads::charge(std::uint32_t net, DeviceId home, Picoseconds sign) {
  bool by_host = false;
  for (const DeviceId device : ids<DeviceId>(num_devices_)) {
    if (device == home || count(net, device) == 0) continue;
    crossings_ += sign * static_cast<std::int64_t>(model_->num_tensors(net));
    if (model_->is_direct(home, device)) {
      const Picoseconds time = carry(net, model_->direct_way(home, device), sign);
      transfers_[index(home)] += time;
      transfers_[index(device)] += time;
    } else {
      by_host = true;
      transfers_[index(device)] += carry(net, model_->way_from_host(device), sign);
    }
  }
  if (by_host) transfers_[index(home)] += carry(net, model_->way_to_host(home), sign);
}

// Where a move changes what other devices and links have to do.
void PipelineLoads::move_apart(std::uint32_t unit, DeviceId from, DeviceId to) {
  for (const std::uint32_t net : model_->made_by(unit)) {
    charge(net, from, -1);
    charge(net, to, 1);
  }
  for (const std::uint32_t net : model_->read_by(unit)) {
    const DeviceId home = device_of_[model_->producer(net)];
    charge(net, home, -1);
    --count(net, from);
    ++count(net, to);
    charge(net, home, 1);
  }
}

void PipelineLoads::move(std::uint32_t unit, DeviceId to) {
  const DeviceId from = device_of_[unit];
  if (from == to) return;
  work_[index(from)] -= model_->work(unit, from);
  work_[index(to)] += model_->work(unit, to);
  held_[model_->domains().of(from)] -= model_->resident(unit);
  held_[model_->domains().of(to)] += model_->resident(unit);
  if (model_->computes(unit)) {
    --computing_[index(from)];
    ++computing_[index(to)];
  }
  if (model_->is_separable()) {
    for (const std::uint32_t net : model_->made_by(unit)) move_output(net, from, to);
    for (const std::uint32_t net : model_->read_by(unit)) move_reader(net, from, to);
  } else {
    move_apart(unit, from, to);
  }
  device_of_[unit] = to;
}

PipelineLoads::Effect PipelineLoads::effect_of_move(std::uint32_t unit, DeviceId to) const {
  BERTH_CHECK(model_->is_separable());
  const DeviceId from = device_of_[unit];
  if (from == to) return {load(from), load(to)};
  Picoseconds at_from = transfers_[index(from)], at_to = transfers_[index(to)];
  for (const std::uint32_t net : model_->made_by(unit)) {
    const std::uint32_t readers = model_->num_readers(net);
    const std::uint32_t on_from = readers_on(net, from), on_to = readers_on(net, to);
    if (on_from < readers) at_from -= model_->out_time(net, from);
    if (on_from > 0) at_from += model_->in_time(net, from);
    if (on_to > 0) at_to -= model_->in_time(net, to);
    if (on_to < readers) at_to += model_->out_time(net, to);
  }
  for (const std::uint32_t net : model_->read_by(unit)) {
    const DeviceId home = device_of_[model_->producer(net)];
    const std::uint32_t readers = model_->num_readers(net);
    const std::uint32_t on_from = readers_on(net, from), on_to = readers_on(net, to);
    if (from == home) {
      if (on_from == readers) at_from += model_->out_time(net, from);
    } else if (on_from == 1) {
      at_from -= model_->in_time(net, from);
    }
    if (to == home) {
      if (on_to + 1 == readers) at_to -= model_->out_time(net, to);
    } else if (on_to == 0) {
      at_to += model_->in_time(net, to);
    }
  }
  return {model_->load(from, work_[index(from)] - model_->work(unit, from), at_from),
          model_->load(to, work_[index(to)] + model_->work(unit, to), at_to)};
}

// The net's home changes: it may now enter the old one and leave the new one.
void PipelineLoads::move_output(std::uint32_t net, DeviceId from, DeviceId to) {
  const std::uint32_t readers = model_->num_readers(net);
  const std::uint32_t on_from = count(net, from), on_to = count(net, to);
  if (on_from < readers) transfers_[index(from)] -= model_->out_time(net, from);
  if (on_from > 0) transfers_[index(from)] += model_->in_time(net, from);
  if (on_to > 0) transfers_[index(to)] -= model_->in_time(net, to);
  if (on_to < readers) transfers_[index(to)] += model_->out_time(net, to);
  const auto tensors = static_cast<std::int64_t>(model_->num_tensors(net));
  if (on_from > 0) crossings_ += tensors;
  if (on_to > 0) crossings_ -= tensors;
}

void PipelineLoads::move_reader(std::uint32_t net, DeviceId from, DeviceId to) {
  const DeviceId home = device_of_[model_->producer(net)];
  const std::uint32_t readers = model_->num_readers(net);
  const auto tensors = static_cast<std::int64_t>(model_->num_tensors(net));
  const std::uint32_t left = --count(net, from);
  const std::uint32_t now = ++count(net, to);
  if (from == home) {
    if (left + 1 == readers) transfers_[index(home)] += model_->out_time(net, home);
  } else if (left == 0) {
    transfers_[index(from)] -= model_->in_time(net, from);
    crossings_ -= tensors;
  }
  if (to == home) {
    if (now == readers) transfers_[index(home)] -= model_->out_time(net, home);
  } else if (now == 1) {
    transfers_[index(to)] += model_->in_time(net, to);
    crossings_ += tensors;
  }
}

Picoseconds PipelineLoads::largest_load() const {
  Picoseconds largest = load(most_loaded());
  for (const Picoseconds queue : queues_) largest = std::max(largest, queue);
  return largest;
}

DeviceId PipelineLoads::most_loaded() const {
  DeviceId most{0};
  for (const DeviceId id : ids<DeviceId>(num_devices_)) {
    if (load(id) > load(most)) most = id;
  }
  return most;
}

Bytes PipelineLoads::over_capacity() const {
  Bytes over = 0;
  for (std::size_t domain = 0; domain < held_.size(); ++domain)
    over += std::max<Bytes>(0, held_[domain] - model_->domains().capacity(domain));
  return over;
}

int PipelineLoads::devices_that_compute() const {
  return static_cast<int>(std::ranges::count_if(computing_, [](std::uint32_t units) { return units > 0; }));
}

bool PipelineLoads::within_limits() const {
  const Constraints& limits = model_->problem().constraints();
  return (!limits.max_devices || devices_that_compute() <= *limits.max_devices) &&
         (!limits.max_crossings || crossings_ <= *limits.max_crossings);
}

Plan PipelineLoads::plan() const {
  const Problem& problem = model_->problem();
  Plan plan;
  plan.device_of.resize(problem.graph().num_ops());
  for (const OpId op : problem.graph().ops()) plan.device_of[index(op)] = device_of_[problem.unit(op)];
  return plan;
}

}  // namespace berth
