// SPDX-License-Identifier: Apache-2.0
#include "plan/pipeline/pipeline_annealer.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "plan/search/placement.h"
#include "sim/pipeline_loads.h"

namespace berth {
namespace {

constexpr std::uint64_t kMovesBetweenPolls = 1024;
constexpr std::uint64_t kFirstRound = 1 << 13, kLongestRound = 1 << 25;
constexpr double kHot = 0.5, kWarm = 0.03, kCold = 5e-4;  // temperatures, in units of the energy
constexpr std::size_t kMostUnitsMoved = 64;
constexpr double kShuffleShare = 0.2;  // of the budget, at most
constexpr std::uint64_t kMostShuffles = 1 << 22;

class PipelineAnnealer {
 public:
  PipelineAnnealer(Search& search, Rng rng)
      : search_(search),
        problem_(search.problem()),
        model_(problem_),
        loads_(model_, search.best_plan()),
        rng_(rng),
        has_limits_(has_limits(problem_)),
        seen_(model_.num_units(), 0) {
    for (std::uint32_t unit = 0; unit < model_.num_units(); ++unit) {
      if (std::has_single_bit(problem_.unit_allowed(unit))) continue;
      movable_.push_back(unit);
    }
    units_on_.resize(model_.num_devices());
    place_in_list_.resize(model_.num_units());
  }

  void run() {
    if (movable_.empty()) return;
    if (loads_.over_capacity() > 0) repair_memory();
    if (loads_.over_capacity() > 0) shuffle_memory();
    remember();
    if (loads_.over_capacity() > 0) return submit_best();
    // A unit among many moves the energy little, so many units need it colder; and a hot round needs many moves to
    // cool.
    const double grain =
        std::min(1.0, 200.0 * static_cast<double>(model_.num_devices()) / static_cast<double>(movable_.size()));
    cold_ = kCold * grain;
    std::uint64_t length = kFirstRound;
    for (int round = 0; !is_done(); ++round) {
      const double progress = search_.progress();
      const std::uint64_t before = moves_;
      const bool hot = round % 2 == 1 && length >= 64 * movable_.size();
      anneal(hot ? kHot : kWarm * grain, std::min(length, affordable_));
      const double used = search_.progress() - progress;
      if (used > 0)
        affordable_ = static_cast<std::uint64_t>(static_cast<double>(moves_ - before) / used *
                                                 std::max(0.0, 1.0 - search_.progress()));
      affordable_ = std::max(affordable_, kMovesBetweenPolls);
      if (round % 2 == 1) length = std::min(2 * length, kLongestRound);
    }
  }

 private:
  // One round from the best plan, the temperature falling from `start` to cold_.
  void anneal(double start, std::uint64_t length) {
    loads_ = PipelineLoads(model_, best_);
    list_units();
    scale_ = 1.0 / std::max(1.0, static_cast<double>(best_load_));
    refresh_energy();
    const std::uint64_t polls = std::max<std::uint64_t>(1, length / kMovesBetweenPolls);
    for (std::uint64_t poll = 0; poll < polls && !is_done(); ++poll) {
      const double share = static_cast<double>(poll) / static_cast<double>(polls);
      temperature_ = start * std::pow(cold_ / start, share);
      for (std::uint64_t i = 0; i < kMovesBetweenPolls; ++i) try_move();
      moves_ += kMovesBetweenPolls;
      search_.count_evaluations(kMovesBetweenPolls);
      search_.tick();
      if (improved_ && moves_ - submitted_at_ >= 4 * problem_.graph().num_ops()) submit_best();
    }
    if (improved_) submit_best();
  }

  void try_move() {
    const DeviceId source = rng_.chance(0.5) ? loads_.most_loaded() : DeviceId(rng_.below(model_.num_devices()));
    const auto& candidates = units_on_[index(source)];
    if (candidates.empty()) return;
    const std::uint32_t unit = candidates[rng_.below(candidates.size())];
    const DeviceId target = choose_target(unit, source);
    if (target == source) return;
    const std::uint64_t kind = rng_.below(16);
    const bool alone = kind < 11 && !has_limits_;
    if (alone && model_.is_separable()) return try_single(unit, source, target);
    group_.assign(1, unit);
    if (kind < 13 && !alone) {
      grow_cluster(source);
    } else if (kind >= 13 && kind < 15) {
      grow_run(source);
    }
    try_group(source, target, kind == 15);
  }

  // Mostly where a neighbour is.
  DeviceId choose_target(std::uint32_t unit, DeviceId source) {
    DeviceId target = source;
    if (rng_.chance(0.75)) target = loads_.device(random_neighbour(unit));
    if (target == source) target = DeviceId(rng_.below(model_.num_devices()));
    return is_allowed(unit, target) ? target : source;
  }

  std::uint32_t random_neighbour(std::uint32_t unit) {
    const auto made = model_.made_by(unit), read = model_.read_by(unit);
    if (made.empty() && read.empty()) return unit;
    const std::uint64_t pick = rng_.below(made.size() + read.size());
    const std::uint32_t net = pick < made.size() ? made[pick] : read[pick - made.size()];
    const auto readers = model_.readers(net);
    const std::uint64_t end = pick < made.size() ? rng_.below(readers.size()) : rng_.below(readers.size() + 1);
    return end < readers.size() ? readers[end] : model_.producer(net);
  }

  [[nodiscard]] bool is_allowed(std::uint32_t unit, DeviceId device) const {
    return (problem_.unit_allowed(unit) & device_bit(device)) != 0;
  }

  void try_single(std::uint32_t unit, DeviceId from, DeviceId to) {
    if (!loads_.has_room_for(unit, to)) return;
    const PipelineLoads::Effect effect = loads_.effect_of_move(unit, to);
    const double at_from = energy_of(effect.from), at_to = energy_of(effect.to);
    const double growth = at_from + at_to - energy_[index(from)] - energy_[index(to)];
    if (!accepts(growth)) return;
    move(unit, to);
    energy_[index(from)] = at_from;
    energy_[index(to)] = at_to;
    if (std::max(effect.from, effect.to) < best_load_) note_if_best();
  }

  // Units of the source around the first one, along nets.
  void grow_cluster(DeviceId source) {
    const std::size_t size = std::size_t{2} << rng_.below(std::bit_width(kMostUnitsMoved) - 1);
    ++stamp_;
    seen_[group_[0]] = stamp_;
    for (int misses = 0; group_.size() < size && misses < 8;) {
      const std::uint32_t next = random_neighbour(group_[rng_.below(group_.size())]);
      const bool fits = seen_[next] != stamp_ && loads_.device(next) == source;
      if (!fits || std::has_single_bit(problem_.unit_allowed(next))) {
        ++misses;
        continue;
      }
      seen_[next] = stamp_;
      group_.push_back(next);
    }
  }

  // Units of the source with the numbers that follow; units are numbered as the graph lists them.
  void grow_run(DeviceId source) {
    const std::size_t size = std::size_t{2} << rng_.below(std::bit_width(kMostUnitsMoved) - 1);
    for (std::uint32_t next = group_[0] + 1; next < model_.num_units() && group_.size() < size; ++next) {
      if (loads_.device(next) != source || std::has_single_bit(problem_.unit_allowed(next))) break;
      group_.push_back(next);
    }
  }

  // Moves the group, in a swap against one unit of the target, and takes it back if that does not pay.
  void try_group(DeviceId source, DeviceId target, bool swap) {
    const std::size_t outward = group_.size();
    if (swap && !units_on_[index(target)].empty()) {
      const auto& others = units_on_[index(target)];
      group_.push_back(others[rng_.below(others.size())]);
    }
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (!is_allowed(group_[i], i < outward ? target : source)) return;
    }
    for (std::size_t i = 0; i < group_.size(); ++i) move(group_[i], i < outward ? target : source);
    const double at_source = energy_of(loads_.load(source)), at_target = energy_of(loads_.load(target));
    const double total = model_.is_separable() ? 0.0 : total_energy();
    const double growth = model_.is_separable()
                              ? at_source + at_target - energy_[index(source)] - energy_[index(target)]
                              : total - total_;
    const bool legal = loads_.room(target) >= 0 && loads_.room(source) >= 0 && (!has_limits_ || loads_.within_limits());
    if (!legal || !accepts(growth)) {
      for (std::size_t i = 0; i < group_.size(); ++i) move(group_[i], i < outward ? source : target);
      return;
    }
    energy_[index(source)] = at_source;
    energy_[index(target)] = at_target;
    total_ = total;
    if (std::max(loads_.load(source), loads_.load(target)) < best_load_) note_if_best();
  }

  bool accepts(double growth) {
    return growth <= 0.0 || (growth < 20.0 * temperature_ && rng_.uniform() < std::exp(-growth / temperature_));
  }

  [[nodiscard]] double energy_of(Picoseconds load) const {
    const double x = static_cast<double>(load) * scale_, x2 = x * x, x4 = x2 * x2;
    return x4 * x4;
  }

  void move(std::uint32_t unit, DeviceId to) {
    auto& old_list = units_on_[index(loads_.device(unit))];
    auto& new_list = units_on_[index(to)];
    const std::size_t place = place_in_list_[unit];
    place_in_list_[old_list.back()] = place;
    old_list[place] = old_list.back();
    old_list.pop_back();
    place_in_list_[unit] = new_list.size();
    new_list.push_back(unit);
    loads_.move(unit, to);
  }

  void list_units() {
    for (auto& list : units_on_) list.clear();
    for (const std::uint32_t unit : movable_) {
      auto& list = units_on_[index(loads_.device(unit))];
      place_in_list_[unit] = list.size();
      list.push_back(unit);
    }
  }

  [[nodiscard]] bool is_done() const { return search_.should_stop() || best_load_ <= search_.lower_bound(); }

  void refresh_energy() {
    energy_.clear();
    for (const DeviceId id : problem_.machine().device_ids()) energy_.push_back(energy_of(loads_.load(id)));
    total_ = total_energy();
  }

  // Of devices and links, where a move may change any of them.
  [[nodiscard]] double total_energy() const {
    double total = 0.0;
    for (const DeviceId id : problem_.machine().device_ids()) total += energy_of(loads_.load(id));
    for (std::size_t queue = 0; queue < loads_.num_queues(); ++queue) total += energy_of(loads_.queue_load(queue));
    return total;
  }

  Picoseconds load_after_move(std::uint32_t unit, DeviceId to) {
    if (model_.is_separable()) return loads_.effect_of_move(unit, to).to;
    const DeviceId from = loads_.device(unit);
    loads_.move(unit, to);
    const Picoseconds load = loads_.load(to);
    loads_.move(unit, from);
    return load;
  }

  // From devices that hold too much, the unit and the target that leave the smallest load, until all fits or nothing
  // helps.
  void repair_memory() {
    list_units();
    for (Bytes over = loads_.over_capacity(); over > 0 && !search_.should_stop();) {
      std::uint32_t best_unit = 0;
      DeviceId best_target = kNoDevice;
      Picoseconds least = 0;
      for (const std::uint32_t unit : movable_) {
        if (model_.resident(unit) == 0 || loads_.room(loads_.device(unit)) >= 0) continue;
        for (const DeviceId id : problem_.machine().device_ids()) {
          if (!is_allowed(unit, id) || loads_.room(id) < model_.resident(unit)) continue;
          const Picoseconds load = load_after_move(unit, id);
          if (best_target != kNoDevice && load >= least) continue;
          best_unit = unit;
          best_target = id;
          least = load;
        }
      }
      if (best_target == kNoDevice) return;
      const DeviceId source = loads_.device(best_unit);
      move(best_unit, best_target);
      if (has_limits_ && !loads_.within_limits()) return move(best_unit, source);
      over = loads_.over_capacity();
    }
  }

  // Where no single step helps: moves and exchanges at random that add nothing to what is over capacity.
  void shuffle_memory() {
    const Search::Part part(search_, search_.progress() + kShuffleShare);
    list_units();
    Bytes over = loads_.over_capacity();
    for (std::uint64_t moves = 0; over > 0 && moves < kMostShuffles && !search_.should_stop();) {
      for (std::uint64_t i = 0; i < kMovesBetweenPolls && over > 0; ++i) over = try_shuffle(over);
      moves += kMovesBetweenPolls;
      search_.count_evaluations(kMovesBetweenPolls);
    }
  }

  Bytes try_shuffle(Bytes over) {
    const std::uint32_t unit = movable_[rng_.below(movable_.size())];
    const DeviceId from = loads_.device(unit), to = DeviceId(rng_.below(model_.num_devices()));
    if (to == from || !is_allowed(unit, to)) return over;
    const auto& there = units_on_[index(to)];
    const std::uint32_t other = there.empty() || rng_.chance(0.5) ? unit : there[rng_.below(there.size())];
    if (other != unit && !is_allowed(other, from)) return over;
    move(unit, to);
    if (other != unit) move(other, from);
    const Bytes now = loads_.over_capacity();
    if (now <= over && (!has_limits_ || loads_.within_limits())) return now;
    if (other != unit) move(other, to);
    move(unit, from);
    return over;
  }

  void note_if_best() {
    if (loads_.largest_load() < best_load_) remember();
  }

  void remember() {
    best_.assign(loads_.devices().begin(), loads_.devices().end());
    best_load_ = loads_.largest_load();
    improved_ = true;
  }

  void submit_best() {
    improved_ = false;
    submitted_at_ = moves_;
    const Plan plan = PipelineLoads(model_, best_).plan();
    if (!verify(problem_, plan)) search_.evaluate(plan);
  }

  Search& search_;
  const Problem& problem_;
  const PipelineModel model_;
  PipelineLoads loads_;
  Rng rng_;
  const bool has_limits_;
  std::vector<std::uint32_t> movable_;
  std::vector<std::vector<std::uint32_t>> units_on_;  // per device, movable ones
  std::vector<std::size_t> place_in_list_;            // per unit
  std::vector<DeviceId> best_;
  Picoseconds best_load_ = 0;
  bool improved_ = false;
  double scale_ = 1.0, temperature_ = 0.0, cold_ = kCold;
  std::vector<double> energy_;  // per device
  double total_ = 0.0;          // energy of devices and links; only where the model is not separable
  std::vector<std::uint32_t> group_;
  std::vector<std::uint64_t> seen_;  // per unit: the cluster that took it last
  std::uint64_t stamp_ = 0, moves_ = 0, submitted_at_ = 0;
  std::uint64_t affordable_ = kFirstRound;  // moves the rest of the budget may hold
};

}  // namespace

void improve_pipeline(Search& search, Rng rng) { PipelineAnnealer(search, rng).run(); }

}  // namespace berth
