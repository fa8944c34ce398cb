// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/annealer.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "plan/order/ranks.h"
#include "plan/search/placement.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

constexpr double kOverflowThatDoubles = 0.02;  // share of the smallest memory over which the energy doubles at first
constexpr double kHighestPrice = 100;          // of a byte, in steps
constexpr std::uint64_t kPriceEvery = 50;      // moves without a plan that fits before the price doubles
constexpr std::uint64_t kTraceEvery = 100;     // moves between looks at the critical path
constexpr double kRareAcceptance = 0.2;        // below it a new base pays
constexpr double kEndless = 9e18;              // picoseconds
constexpr std::size_t kLargestCluster = 64;
constexpr int kReliefCandidates = 4;
constexpr int kMostGivenAway = 8;  // groups that leave an overloaded device with one move
constexpr std::size_t kMostOvertaken = 4;  // ops in a row on one device that one move can pass
constexpr double kLeastIdle = 0.1;         // share of idle time that every device is taken to have

// From 1 to `most`, every order of magnitude equally likely.
std::size_t log_uniform(Rng& rng, std::size_t most) {
  return static_cast<std::size_t>(std::exp(rng.uniform() * std::log(static_cast<double>(most) + 1.0)));
}

double slack_at(const Annealer::Heat& heat, double done) {
  return heat.start > 0 ? heat.start * std::pow(heat.end / heat.start, done) : 0.0;
}

// How fast each device does all work it may do, relative to the fastest device for every op.
std::vector<double> device_speeds(const Problem& problem) {
  const std::size_t devices = problem.machine().num_devices();
  std::vector<double> busy(devices, 0.0), least(devices, 0.0), speeds;
  for (const OpId op : problem.graph().ops()) {
    const DeviceSet allowed = problem.allowed(op);
    const auto fastest = static_cast<double>(least_time(problem, op));
    for (DeviceSet set = allowed; set != 0; set &= set - 1) {
      const auto device = DeviceId(std::countr_zero(set));
      busy[index(device)] += static_cast<double>(problem.duration(op, device));
      least[index(device)] += fastest;
    }
  }
  for (std::size_t i = 0; i < devices; ++i) speeds.push_back(std::max(busy[i] > 0 ? least[i] / busy[i] : 0.0, 0.01));
  return speeds;
}

Bytes smallest_memory(const Problem& problem) {
  Bytes smallest = std::numeric_limits<Bytes>::max();
  for (const DeviceId device : problem.machine().device_ids()) smallest = std::min(smallest, problem.capacity(device));
  return std::max<Bytes>(smallest, 1);
}

// In picoseconds; a step without any still needs a price for memory.
double length_of(const Score& score) { return static_cast<double>(std::max<Picoseconds>(score.step_time, 1)); }

}  // namespace

Annealer::Annealer(Search& search, Rng rng, Plan start, const Moves& moves)
    : search_(search),
      moves_(moves),
      problem_(search.problem()),
      domains_(problem_),
      rng_(rng),
      tracer_(problem_),
      plan_(std::move(start)),
      speed_(device_speeds(problem_)),
      appeal_(speed_),
      has_limits_(has_limits(problem_)) {
  score_ = search_.evaluate(plan_);
  bytes_price_ = length_of(score_) / (kOverflowThatDoubles * static_cast<double>(smallest_memory(problem_)));
  energy_ = energy_of(score_);
}

double Annealer::energy_of(const Score& score) const {
  const double over = score.feasible ? 0.0 : static_cast<double>(score.overflow->over);
  return static_cast<double>(score.step_time) + over * bytes_price_;
}

void Annealer::stand_at(const Plan& plan, const Score& score) {
  plan_ = plan;
  score_ = score;
  energy_ = energy_of(score_);
  moved_since_refresh_ = moved_since_rebase_ = true;
}

void Annealer::retune_priorities() {
  Plan ranked = plan_;
  ranked.priority = upward_ranks(problem_, plan_);
  const Score& score = search_.evaluate(ranked);
  if (energy_of(score) >= energy_) return;
  stand_at(ranked, score);
}

void Annealer::run(const Level& level, const Heat& heat, double end) {
  if (level.movable().empty()) return;
  const Search::Part part(search_, end);
  const double begin = search_.progress();
  remember_best();
  weigh(level);
  hot_.clear();
  waits_.clear();
  moved_since_refresh_ = true;
  since_refresh_ = kTraceEvery;
  while (!search_.should_stop() && !search_.at_lower_bound()) {
    const double done = std::clamp((search_.progress() - begin) / std::max(end - begin, 1e-9), 0.0, 1.0);
    step(level, slack_at(heat, done));
  }
  stand_at(best_plan_, best_score_);
}

bool Annealer::beats_best() const {
  if (score_.feasible != best_score_.feasible) return score_.feasible;
  return energy_ < best_energy_;
}

void Annealer::remember_best() {
  best_plan_ = plan_;
  best_score_ = score_;
  best_energy_ = energy_;
}

void Annealer::raise_price() {
  since_price_ = 0;
  bytes_price_ = std::min(2 * bytes_price_, kHighestPrice * length_of(best_score_));
  energy_ = energy_of(score_);
  best_energy_ = energy_of(best_score_);
  if (beats_best()) remember_best();
}

void Annealer::weigh(const Level& level) {
  work_until_.clear();
  double sum = 0.0;
  for (const std::uint32_t group : level.movable())
    work_until_.push_back(sum += static_cast<double>(level.work(group)));
}

// Most picks by work: crumbs are many and matter little.
std::uint32_t Annealer::pick_group(const Level& level) {
  const auto movable = level.movable();
  if (work_until_.back() <= 0 || rng_.chance(0.3)) return movable[rng_.below(movable.size())];
  const auto at = std::ranges::upper_bound(work_until_, rng_.uniform() * work_until_.back());
  return movable[std::min<std::size_t>(static_cast<std::size_t>(at - work_until_.begin()), movable.size() - 1)];
}

void Annealer::step(const Level& level, double slack) {
  if (moved_since_refresh_ && since_refresh_ >= kTraceEvery) refresh_hot(level);
  if (moved_since_rebase_ && acceptance_ < kRareAcceptance) {
    search_.rebase(plan_);
    moved_since_rebase_ = false;
  }
  changes_.clear();
  order_changes_.clear();
  measure_loads();
  propose(level);
  ++since_refresh_;
  if (changes_.empty() && order_changes_.empty()) return search_.tick();
  const double threshold = std::min(best_energy_ * (1.0 + slack), kEndless);
  if (!balance(level, static_cast<Picoseconds>(threshold)) || (has_limits_ && breaks_limits())) {
    search_.count_evaluations(1);  // or the budget would never end where no move is legal
    return undo(level);
  }
  if (!best_score_.feasible && ++since_price_ >= kPriceEvery) raise_price();
  const Score* score = search_.evaluate_bounded(plan_, static_cast<Picoseconds>(threshold));
  const bool accepted = score != nullptr && energy_of(*score) <= threshold;
  acceptance_ += 0.02 * ((accepted ? 1.0 : 0.0) - acceptance_);
  if (!accepted) return undo(level);
  score_ = *score;
  energy_ = energy_of(score_);
  moved_since_refresh_ = moved_since_rebase_ = true;
  if (beats_best()) remember_best();
}

void Annealer::measure_loads() {
  load_.clear();
  for (const DeviceId device : problem_.machine().device_ids()) load_.push_back(score_.devices[index(device)].busy);
}

bool Annealer::is_over(DeviceId device, Picoseconds most) const {
  return load_[index(device)] / problem_.machine().device(device).lanes > most;
}

DeviceId Annealer::first_over(Picoseconds most) const {
  for (const DeviceId device : problem_.machine().device_ids())
    if (is_over(device, most)) return device;
  return kNoDevice;
}

// Where the most work would still be done in time.
DeviceId Annealer::with_most_room(Picoseconds most) const {
  DeviceId found = kNoDevice;
  double largest = 0.0;
  for (const DeviceId device : problem_.machine().device_ids()) {
    const Picoseconds left = most - load_[index(device)] / problem_.machine().device(device).lanes;
    const double room = static_cast<double>(left) * speed_[index(device)];
    if (room <= largest) continue;
    found = device;
    largest = room;
  }
  return found;
}

// A device with more work than the step may take gives some away; false if there is too much. Where all devices are busy
// almost all the time, hardly any move pays without another in return.
bool Annealer::balance(const Level& level, Picoseconds most) {
  if (!moves_.balance || problem_.objective() != Objective::kStep) return true;
  DeviceId full = first_over(most);
  for (int given = 0; full != kNoDevice && given < kMostGivenAway; ++given) {
    if (!give_away(level, full, with_most_room(most))) return false;
    full = first_over(most);
  }
  return full == kNoDevice;
}

// Any group that this move has not touched; false if none was found.
bool Annealer::give_away(const Level& level, DeviceId from, DeviceId to) {
  if (to == kNoDevice || to == from) return false;
  for (int attempt = 0; attempt < 16; ++attempt) {
    const std::uint32_t group = pick_group(level);
    if (device_of(level, group) != from || (level.allowed(group) & device_bit(to)) == 0) continue;
    if (std::ranges::find(changes_, group, &Change::group) != changes_.end()) continue;
    move(level, group, to);
    return true;
  }
  return false;
}

bool Annealer::breaks_limits() const { return verify(problem_, plan_).has_value(); }

void Annealer::propose(const Level& level) {
  if (moves_.relief && !score_.feasible && rng_.chance(0.5)) return propose_relief(level);
  const double kind = rng_.uniform();
  if (kind < 0.15 && !waits_.empty()) return propose_order();
  if (kind < 0.55 && !hot_.empty()) return propose_hot(level);
  if (kind < 0.70) return propose_stretch(level);
  if (kind < 0.85) return propose_cluster(level);
  if (kind < 0.93) return propose_swap(level);
  const std::uint32_t group = pick_group(level);
  move(level, group, pick_near(level, group));
}

// A group on the critical path, alone or with neighbours that share its device.
void Annealer::propose_hot(const Level& level) {
  const Hot& hot = hot_[rng_.below(hot_.size())];
  const DeviceId from = device_of(level, hot.group);
  DeviceId to = hot.towards;
  if (to == kNoDevice || to == from || rng_.chance(0.2)) to = pick_device(level.allowed(hot.group) & ~device_bit(from));
  if (to == kNoDevice) return;
  move(level, hot.group, to);
  if (rng_.chance(0.5)) return;
  const auto near = level.neighbours(hot.group);
  const std::size_t wanted = log_uniform(rng_, 8);
  for (std::size_t i = 0; i < wanted && !near.empty(); ++i) {
    const std::uint32_t other = near[rng_.below(near.size())];
    if (device_of(level, other) == from) move(level, other, to);
  }
}

// Something out of the memory that is most over its capacity: of a few groups there, the one that costs least to send.
void Annealer::propose_relief(const Level& level) {
  const DeviceSet full = domains_.devices(domains_.of(score_.overflow->device));
  const auto movable = level.movable();
  std::optional<std::uint32_t> cheapest;
  double least = 0.0;
  int seen = 0;
  for (int attempt = 0; attempt < 32 && seen < kReliefCandidates; ++attempt) {
    const std::uint32_t group = movable[rng_.below(movable.size())];
    if ((full & device_bit(device_of(level, group))) == 0 || (level.allowed(group) & ~full) == 0) continue;
    const double price = price_of_leaving(level, group, full);
    if (seen++ == 0 || price < least) {
      cheapest = group;
      least = price;
    }
  }
  if (cheapest) move(level, *cheapest, pick_device(level.allowed(*cheapest) & ~full));
}

// Bytes that would cross if the group left these devices, per byte that it holds there.
double Annealer::price_of_leaving(const Level& level, std::uint32_t group, DeviceSet devices) const {
  const Graph& graph = problem_.graph();
  const auto stays = [&](OpId op) { return level.group(op) != group && (devices & device_bit(plan_.device(op))) != 0; };
  Bytes crossing = 0;
  for (const OpId op : level.ops(group)) {
    for (const TensorId tensor : graph.distinct_inputs(op))
      if (stays(graph.producer(tensor))) crossing += graph.bytes(tensor);
    for (const TensorId tensor : graph.outputs(op))
      if (std::ranges::any_of(graph.consumers(tensor), stays)) crossing += graph.bytes(tensor);
  }
  return static_cast<double>(crossing) / std::max(static_cast<double>(level.bytes(group)), 1.0);
}

// Part of a stretch of the topological order from one device to another: shifts the cuts between contiguous pieces.
void Annealer::propose_stretch(const Level& level) {
  const auto movable = level.movable();
  const std::size_t first = rng_.below(movable.size());
  const std::size_t length = log_uniform(rng_, std::max<std::size_t>(1, movable.size() / 4));
  const std::size_t last = std::min(first + length, movable.size());
  const DeviceId from = device_of(level, movable[first]);
  const DeviceId to = pick_near(level, movable[first]);
  const bool all = rng_.chance(0.3);
  for (std::size_t i = first; i < last; ++i) {
    if (all || device_of(level, movable[i]) == from) move(level, movable[i], to);
  }
}

// A group and the neighbours on its device, breadth first.
void Annealer::propose_cluster(const Level& level) {
  const std::uint32_t seed = pick_group(level);
  const DeviceId from = device_of(level, seed);
  const DeviceId to = pick_near(level, seed);
  if (to == kNoDevice) return;
  const std::size_t wanted = log_uniform(rng_, kLargestCluster);
  move(level, seed, to);
  cluster_.assign(1, seed);
  for (std::size_t next = 0; next < cluster_.size() && changes_.size() < wanted; ++next) {
    const auto near = level.neighbours(cluster_[next]);
    const std::size_t skip = near.empty() ? 0 : rng_.below(near.size());
    for (std::size_t i = 0; i < near.size() && i < 16 && changes_.size() < wanted; ++i) {
      const std::uint32_t other = near[(i + skip) % near.size()];
      if (device_of(level, other) != from) continue;
      const std::size_t before = changes_.size();
      move(level, other, to);
      if (changes_.size() > before) cluster_.push_back(other);
    }
  }
}

void Annealer::propose_swap(const Level& level) {
  const std::uint32_t a = pick_group(level);
  const auto near = level.neighbours(a);
  const std::uint32_t b = !near.empty() && rng_.chance(0.5) ? near[rng_.below(near.size())] : pick_group(level);
  const DeviceId of_a = device_of(level, a), of_b = device_of(level, b);
  if (of_a == of_b) return;
  move(level, a, of_b);
  move(level, b, of_a);
}

// An op on the critical path overtakes one that it waited for: they exchange priorities, or all between them are
// overtaken too.
void Annealer::propose_order() {
  const Wait& wait = waits_[rng_.below(waits_.size())];
  const double waiting = plan_.priority[index(wait.waiting)], ahead = plan_.priority[index(wait.ahead)];
  if (waiting > ahead) return;
  if (rng_.chance(0.5)) return set_priority(wait.waiting, std::nextafter(ahead, HUGE_VAL));
  set_priority(wait.waiting, waiting < ahead ? ahead : std::nextafter(ahead, HUGE_VAL));
  set_priority(wait.ahead, waiting);
}

void Annealer::set_priority(OpId op, double priority) {
  order_changes_.push_back({op, plan_.priority[index(op)]});
  plan_.priority[index(op)] = priority;
}

void Annealer::move(const Level& level, std::uint32_t group, DeviceId device) {
  if (device == kNoDevice || (level.allowed(group) & device_bit(device)) == 0) return;
  const DeviceId before = device_of(level, group);
  if (before == device) return;
  changes_.push_back({group, before});
  for (const OpId op : level.ops(group)) {
    plan_.device_of[index(op)] = device;
    load_[index(before)] -= problem_.duration(op, before);
    load_[index(device)] += problem_.duration(op, device);
  }
}

void Annealer::undo(const Level& level) {
  for (auto change = changes_.rbegin(); change != changes_.rend(); ++change) {
    for (const OpId op : level.ops(change->group)) plan_.device_of[index(op)] = change->before;
  }
  for (const OrderChange& change : order_changes_) plan_.priority[index(change.op)] = change.before;
}

DeviceId Annealer::device_of(const Level& level, std::uint32_t group) const {
  return plan_.device(level.ops(group).front());
}

DeviceId Annealer::pick_device(DeviceSet allowed) {
  double total = 0.0;
  for (DeviceSet set = allowed; set != 0; set &= set - 1)
    total += appeal_[static_cast<std::size_t>(std::countr_zero(set))];
  double left = rng_.uniform() * total;
  DeviceId picked = kNoDevice;
  for (DeviceSet set = allowed; set != 0; set &= set - 1) {
    picked = DeviceId(std::countr_zero(set));
    left -= appeal_[index(picked)];
    if (left < 0) break;
  }
  return picked;
}

// The device of a neighbour that is elsewhere, or any.
DeviceId Annealer::pick_near(const Level& level, std::uint32_t group) {
  const DeviceId own = device_of(level, group);
  const auto near = level.neighbours(group);
  for (int attempt = 0; attempt < 4 && !near.empty(); ++attempt) {
    const DeviceId device = device_of(level, near[rng_.below(near.size())]);
    if (device != own && (level.allowed(group) & device_bit(device)) != 0) return device;
  }
  return pick_device(level.allowed(group) & ~device_bit(own));
}

// Fast devices with time to spare attract work.
void Annealer::refresh_appeal() {
  const double step = std::max(static_cast<double>(score_.step_time), 1.0);
  for (const DeviceId device : problem_.machine().device_ids()) {
    const double lanes = problem_.machine().device(device).lanes;
    const double idle = 1.0 - static_cast<double>(score_.devices[index(device)].busy) / (step * lanes);
    appeal_[index(device)] = speed_[index(device)] * (kLeastIdle + std::max(idle, 0.0));
  }
}

// Step i waited for its device: with it, the last few ops that ran there without a gap.
void Annealer::add_waits(std::span<const CriticalStep> path, std::size_t i) {
  for (std::size_t ahead = i; ahead > 0 && i - ahead < kMostOvertaken; --ahead) {
    if (path[ahead].why != CriticalStep::Why::kDevice || path[ahead - 1].is_transfer) return;
    waits_.push_back({path[i].op, path[ahead - 1].op});
  }
}

void Annealer::refresh_hot(const Level& level) {
  moved_since_refresh_ = false;
  since_refresh_ = 0;
  refresh_appeal();
  if (problem_.objective() != Objective::kStep) return;  // a pipeline has no critical path
  const Timeline timeline = tracer_.run_with_timeline(plan_);
  const std::vector<CriticalStep> path = critical_path(problem_, plan_, timeline);
  hot_.clear();
  waits_.clear();
  const auto add = [&](OpId op, DeviceId towards) {
    const std::uint32_t group = level.group(op);
    if (moves_.critical_path && std::popcount(level.allowed(group)) > 1) hot_.push_back({group, towards});
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const CriticalStep& at = path[i];
    if (at.is_transfer) {
      add(at.op, at.device);
      if (i + 1 < path.size() && !path[i + 1].is_transfer) add(path[i + 1].op, plan_.device(at.op));
    } else if (at.why == CriticalStep::Why::kDevice) {
      add(at.op, kNoDevice);
      if (i == 0 || path[i - 1].is_transfer) continue;
      add(path[i - 1].op, kNoDevice);
      if (moves_.order && !plan_.priority.empty()) add_waits(path, i);
    }
  }
}

}  // namespace berth
