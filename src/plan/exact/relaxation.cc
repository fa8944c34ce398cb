// SPDX-License-Identifier: Apache-2.0
#include "plan/exact/relaxation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/bounds/work_prices.h"

namespace berth::exact {
namespace {

constexpr Picoseconds kFarFuture = std::numeric_limits<Picoseconds>::max() / 4;

template <typename Visit>
void for_each_device(DeviceSet devices, Visit visit) {
  for (; devices != 0; devices &= devices - 1) visit(std::countr_zero(devices));
}

std::vector<double> prices_of(const Tables& tables) {
  std::vector<double> lanes(tables.lanes.begin(), tables.lanes.end()), times;
  for (int op = 0; op < tables.ops; ++op) {
    for (int device = 0; device < tables.devices; ++device) {
      const bool is_allowed = ((tables.allowed[at(tables.unit_of[at(op)])] >> device) & 1) != 0;
      times.push_back(is_allowed ? static_cast<double>(tables.time(op, device)) : WorkPrices::kNever);
    }
  }
  const WorkPrices work(std::move(lanes), std::move(times));
  std::vector<double> prices;
  for (int device = 0; device < tables.devices; ++device) prices.push_back(work.price(at(device)));
  return prices;
}

bool is_over(PartialRun::Phase phase) { return phase == PartialRun::Phase::kDone; }
bool has_started(PartialRun::Phase phase) { return phase >= PartialRun::Phase::kRunning; }

}  // namespace

Relaxation::Relaxation(const Tables& tables)
    : tables_(tables),
      prices_(prices_of(tables)),
      arrival_(tables.cell(tables.tensors, 0), 0),
      signalled_(at(tables.ops), 0),
      queue_free_(at(tables.queues), 0),
      free_(at(tables.devices), 0),
      head_(tables.cell(tables.ops, 0), 0),
      tail_(tables.cell(tables.ops, 0), 0),
      load_(at(tables.devices), 0),
      unit_resident_(at(tables.units), 0),
      jobs_of_queue_(at(tables.queues)),
      work_from_(at(tables.devices)),
      device_order_(at(tables.devices)) {
  std::iota(device_order_.begin(), device_order_.end(), 0);
  for (int op = 0; op < tables.ops; ++op) unit_resident_[at(tables.unit_of[at(op)])] += tables.resident[at(op)];
}

Picoseconds Relaxation::bound(PartialRun& run, Picoseconds cutoff) {
  find_arrivals(run);
  Picoseconds bound = run.now();
  for (bool narrowed = true; narrowed;) {
    narrowed = false;
    find_tails(run);
    find_heads(run);
    bound = std::max(bound, way_through(run, cutoff, narrowed));
    if (bound >= cutoff) return cutoff;
    bound = std::max(bound, device_bound(run));
    if (bound >= cutoff || exclude_by_memory(run)) return cutoff;
    if (exclude_by_load(run, cutoff)) narrowed = true;
  }
  bound = std::max({bound, queue_bound(run), work_bound(run)});
  const Picoseconds grain = tables_.granularity;
  return std::min((bound + grain - 1) / grain * grain, cutoff);
}

Picoseconds Relaxation::earliest_end(const PartialRun& run, int unit) const {
  const int device = run.device_of_unit(unit);
  Picoseconds end = free_[at(device)] + load_[at(device)];
  for (const int op : tables_.unit_ops.of(unit)) {
    if (!is_over(run.phase(op))) end = std::max(end, head_[tables_.cell(op, device)] + tables_.time(op, device));
  }
  return end;
}

Picoseconds Relaxation::urgency(const PartialRun& run, int op) const {
  Picoseconds least = kFarFuture;
  for_each_device(run.domain(tables_.unit_of[at(op)]), [&](int device) {
    least = std::min(least, tables_.time(op, device) + tail_[tables_.cell(op, device)]);
  });
  return least;
}

// Queues are first come, first served: when what is in them leaves is known.
void Relaxation::find_arrivals(const PartialRun& run) {
  using State = PartialRun::Transfer::State;
  std::fill(queue_free_.begin(), queue_free_.end(), run.now());
  std::fill(arrival_.begin(), arrival_.end(), 0);
  std::fill(signalled_.begin(), signalled_.end(), 0);
  const auto& transfers = run.transfers();
  for (const auto& transfer : transfers) {
    const Hop& hop = tables_.hops[at(transfer.hop)];
    if (transfer.state == State::kMoving && hop.queue >= 0) queue_free_[at(hop.queue)] = transfer.end;
  }
  auto& waiting = queued_;
  waiting.clear();
  const auto arrive = [&](const PartialRun::Transfer& transfer, Picoseconds left) {
    for (const Hop* hop = &tables_.hops[at(transfer.hop)]; !hop->last;) {
      ++hop;
      left += tables_.on_channel(transfer.tensor, hop->channel);
    }
    arrival_[tables_.cell(transfer.tensor, transfer.to)] = left;
  };
  for (const auto& transfer : transfers) {
    if (transfer.state == State::kMoving) {
      arrive(transfer, transfer.end);
    } else {
      waiting.push_back(&transfer);
    }
  }
  std::ranges::sort(waiting, {}, [](const auto* transfer) {  // requests of this instant come behind those that queue
    return std::pair(transfer->state == State::kRequested, transfer->turn);
  });
  for (const auto* transfer : waiting) {
    const Hop& hop = tables_.hops[at(transfer->hop)];
    const Picoseconds time = tables_.on_channel(transfer->tensor, hop.channel);
    if (transfer->state == State::kRequested) {
      arrive(*transfer, queue_free_[at(hop.queue)] + time);  // their order is not decided yet
    } else {
      arrive(*transfer, queue_free_[at(hop.queue)] += time);
    }
  }
  for (const auto& signal : run.signals()) {
    Picoseconds& latest = signalled_[at(signal.op)];
    latest = std::max(latest, signal.arrival);
  }
  for (int device = 0; device < tables_.devices; ++device)
    free_[at(device)] = run.idle_lanes(device) > 0 ? run.now() : kFarFuture;
  for (const int op : run.running()) {
    Picoseconds& free = free_[at(run.device_of(op))];
    free = std::min(free, run.end(op));
  }
}

// When a tensor that is asked for at `start` or later can be there.
Picoseconds Relaxation::under_way(int tensor, int from, int to, Picoseconds start) const {
  if (from == to) return start;
  for (const Hop* hop = &tables_.hops[at(tables_.first_hop[tables_.cell(from, to)])];; ++hop) {
    const Picoseconds time = tables_.on_channel(tensor, hop->channel);
    if (hop->queue >= 0 && time > 0) start = std::max(start, queue_free_[at(hop->queue)]);
    start += time;
    if (hop->last) return start;
  }
}

void Relaxation::find_tails(const PartialRun& run) {
  for (auto it = tables_.topological.rbegin(); it != tables_.topological.rend(); ++it) {
    const int op = *it, unit = tables_.unit_of[at(op)];
    if (is_over(run.phase(op))) continue;
    for_each_device(run.domain(unit), [&](int device) {
      Picoseconds longest = 0;
      const auto extend = [&](int after, auto way_to) {
        const int after_unit = tables_.unit_of[at(after)];
        Picoseconds least = kFarFuture;
        const DeviceSet places = after_unit == unit ? DeviceSet{1} << device : run.domain(after_unit);
        for_each_device(places, [&](int where) {
          const Picoseconds rest = tables_.time(after, where) + tail_[tables_.cell(after, where)];
          least = std::min(least, rest + way_to(where));
        });
        longest = std::max(longest, least);
      };
      for (const int tensor : tables_.outputs.of(op)) {
        for (const int after : tables_.consumers.of(tensor))
          extend(after, [&](int where) { return tables_.unloaded(tensor, device, where); });
      }
      for (const int after : tables_.control_out.of(op))
        extend(after, [&](int where) { return tables_.control_latency[tables_.cell(device, where)]; });
      tail_[tables_.cell(op, device)] = longest;
    });
  }
}

Picoseconds Relaxation::earliest_start(const PartialRun& run, int op, int device) const {
  Picoseconds latest = std::max(free_[at(device)], signalled_[at(op)]);
  if (tables_.time(op, device) == 0) latest = std::max(run.now(), signalled_[at(op)]);
  const auto extend = [&](int before, auto arrival) {
    if (is_over(run.phase(before))) return;
    const int before_unit = tables_.unit_of[at(before)];
    const bool is_same_unit = before_unit == tables_.unit_of[at(op)];
    const DeviceSet places = is_same_unit ? DeviceSet{1} << device : run.domain(before_unit);
    Picoseconds least = kFarFuture;
    for_each_device(places, [&](int where) {
      const Picoseconds end = head_[tables_.cell(before, where)] + tables_.time(before, where);
      if (end < least) least = std::min(least, arrival(where, end));
    });
    latest = std::max(latest, least);
  };
  for (const int tensor : tables_.inputs.of(op)) {
    latest = std::max(latest, arrival_[tables_.cell(tensor, device)]);
    extend(tables_.producer[at(tensor)],
           [&](int where, Picoseconds end) { return under_way(tensor, where, device, end); });
  }
  for (const int before : tables_.control_in.of(op)) {
    extend(before,
           [&](int where, Picoseconds end) { return end + tables_.control_latency[tables_.cell(where, device)]; });
  }
  return latest;
}

void Relaxation::find_heads(const PartialRun& run) {
  for (const int op : tables_.topological) {
    const auto phase = run.phase(op);
    if (is_over(phase)) continue;
    if (phase == PartialRun::Phase::kRunning) {
      const int device = run.device_of(op);
      head_[tables_.cell(op, device)] = run.end(op) - tables_.time(op, device);
      continue;
    }
    for_each_device(run.domain(tables_.unit_of[at(op)]),
                    [&](int device) { head_[tables_.cell(op, device)] = earliest_start(run, op, device); });
  }
}

Picoseconds Relaxation::way_through(PartialRun& run, Picoseconds cutoff, bool& narrowed) {
  Picoseconds bound = run.now();
  for (const int op : tables_.topological) {
    if (is_over(run.phase(op))) continue;
    const int unit = tables_.unit_of[at(op)];
    Picoseconds least = kFarFuture;
    for_each_device(run.domain(unit), [&](int device) {
      const std::size_t cell = tables_.cell(op, device);
      const Picoseconds way = head_[cell] + tables_.time(op, device) + tail_[cell];
      least = std::min(least, way);
      if (way < cutoff) return;
      run.exclude(unit, device);
      narrowed = true;
    });
    bound = std::max(bound, least);
    if (bound >= cutoff) break;
  }
  return bound;
}

Picoseconds Relaxation::device_bound(const PartialRun& run) {
  Picoseconds bound = 0;
  auto& jobs = jobs_;
  for (int device = 0; device < tables_.devices; ++device) {
    jobs.clear();
    Picoseconds sum = 0, head = kFarFuture, tail = kFarFuture;
    for (int op = 0; op < tables_.ops; ++op) {
      if (has_started(run.phase(op)) || run.domain(tables_.unit_of[at(op)]) != DeviceSet{1} << device) continue;
      const Picoseconds time = tables_.time(op, device);
      if (time == 0) continue;
      const std::size_t cell = tables_.cell(op, device);
      jobs.push_back({head_[cell], time, tail_[cell]});
      sum += time;
      head = std::min(head, head_[cell]);
      tail = std::min(tail, tail_[cell]);
    }
    load_[at(device)] = sum;
    if (jobs.empty()) continue;
    bound = std::max(bound, tables_.lanes[at(device)] == 1 ? machine_.last_end(jobs)
                                                           : head + sum / tables_.lanes[at(device)] + tail);
  }
  return bound;
}

// A unit cannot go where its own work does not fit in beside what is there.
bool Relaxation::exclude_by_load(PartialRun& run, Picoseconds cutoff) {
  bool narrowed = false;
  for (int unit = 0; unit < tables_.units; ++unit) {
    if (std::has_single_bit(run.domain(unit))) continue;
    for_each_device(run.domain(unit), [&](int device) {
      if (tables_.lanes[at(device)] > 1) return;
      Picoseconds end = free_[at(device)] + load_[at(device)];
      for (const int op : tables_.unit_ops.of(unit)) end += tables_.time(op, device);
      if (end < cutoff) return;
      run.exclude(unit, device);
      narrowed = true;
    });
  }
  return narrowed;
}

// True if some unit fits nowhere.
bool Relaxation::exclude_by_memory(PartialRun& run) {
  for (int unit = 0; unit < tables_.units; ++unit) {
    if (run.device_of_unit(unit) >= 0) continue;
    if (unit_resident_[at(unit)] > 0) {
      for_each_device(run.domain(unit), [&](int device) {
        const int account = tables_.account[at(device)];
        if (run.peak(account) + unit_resident_[at(unit)] > tables_.capacity[at(account)]) run.exclude(unit, device);
      });
    }
    if (run.domain(unit) == 0) return true;
  }
  return false;
}

// Transfers that both ends' devices make certain.
Picoseconds Relaxation::queue_bound(const PartialRun& run) {
  for (auto& jobs : jobs_of_queue_) jobs.clear();
  for (int tensor = 0; tensor < tables_.tensors; ++tensor) {
    const int op = tables_.producer[at(tensor)];
    const DeviceSet source = run.domain(tables_.unit_of[at(op)]);
    if (is_over(run.phase(op)) || !std::has_single_bit(source)) continue;
    const int from = std::countr_zero(source);
    DeviceSet done = source;
    for (const int consumer : tables_.consumers.of(tensor)) {
      const DeviceSet place = run.domain(tables_.unit_of[at(consumer)]);
      if (!std::has_single_bit(place) || (place & done) != 0) continue;
      done |= place;
      const int to = std::countr_zero(place);
      Picoseconds tail = 0, rest = tables_.unloaded(tensor, from, to);
      for (const int other : tables_.consumers.of(tensor)) {
        if (run.domain(tables_.unit_of[at(other)]) != place) continue;
        tail = std::max(tail, tables_.time(other, to) + tail_[tables_.cell(other, to)]);
      }
      Picoseconds head = head_[tables_.cell(op, from)] + tables_.time(op, from);
      for (const Hop* hop = &tables_.hops[at(tables_.first_hop[tables_.cell(from, to)])];; ++hop) {
        const Picoseconds time = tables_.on_channel(tensor, hop->channel);
        rest -= time;
        if (hop->queue >= 0 && time > 0) {
          head = std::max(head, queue_free_[at(hop->queue)]);
          jobs_of_queue_[at(hop->queue)].push_back({head, time, rest + tail});
        }
        head += time;
        if (hop->last) break;
      }
    }
  }
  Picoseconds bound = 0;
  for (auto& jobs : jobs_of_queue_) bound = std::max(bound, machine_.last_end(jobs));
  return bound;
}

// Ops with at least q behind them must be done q before the end, at the fixed prices of the devices' time.
Picoseconds Relaxation::work_bound(const PartialRun& run) {
  waiting_.clear();
  for (int op = 0; op < tables_.ops; ++op) {
    if (has_started(run.phase(op))) continue;
    double cheapest = WorkPrices::kNever;
    Picoseconds tail = kFarFuture;
    for_each_device(run.domain(tables_.unit_of[at(op)]), [&](int device) {
      cheapest = std::min(cheapest, static_cast<double>(tables_.time(op, device)) * prices_[at(device)]);
      tail = std::min(tail, tail_[tables_.cell(op, device)]);
    });
    if (cheapest > 0) waiting_.push_back({op, tail, cheapest});
  }
  std::ranges::sort(waiting_, std::greater<>(), &Waiting::tail);
  auto& from = work_from_;
  auto& order = device_order_;
  std::fill(from.begin(), from.end(), kFarFuture);
  double work = 0.0;
  Picoseconds bound = 0;
  for (const Waiting& item : waiting_) {
    work += item.priced;
    for_each_device(run.domain(tables_.unit_of[at(item.op)]), [&](int device) {
      from[at(device)] = std::min(from[at(device)], head_[tables_.cell(item.op, device)]);
    });
    std::ranges::sort(order, {}, [&](int device) { return from[at(device)]; });
    // Fill the devices from below: the level at which the priced room holds the work.
    double price = 0.0, level = 0.0, room = 0.0;
    for (const int device : order) {
      const auto start = static_cast<double>(from[at(device)]);
      if (from[at(device)] == kFarFuture || (price > 0 && room + price * (start - level) >= work)) break;
      room += price * (start - level);
      level = start;
      price += prices_[at(device)] * tables_.lanes[at(device)];
    }
    if (price > 0) level += (work - room) / price;
    bound = std::max(bound, item.tail + static_cast<Picoseconds>(std::floor(level * (1 - 1e-10))));
  }
  return bound;
}

}  // namespace berth::exact
