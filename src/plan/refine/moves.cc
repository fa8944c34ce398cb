// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/moves.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "machine/device_set.h"

namespace berth {
namespace {

constexpr double kReliefShare = 0.5;  // of the moves of a plan that does not fit
constexpr int kReliefCandidates = 4, kReliefAttempts = 32;
constexpr std::size_t kMostFollowers = 8;  // neighbours that go along with a group on the critical path
constexpr std::size_t kLargestCluster = 64, kMostLookedAt = 16;

bool is_always_possible(const MoveContext&) { return true; }
bool has_waits(const MoveContext& at) { return at.directed.order && !at.hot.waits().empty(); }
bool has_hot_groups(const MoveContext& at) { return at.directed.critical_path && !at.hot.groups().empty(); }

// An op on the critical path overtakes one that it waited for: they exchange priorities, or all between them are
// overtaken too.
void overtake(const MoveContext& at) {
  Rng& rng = at.picks.rng();
  const HotSpots::Wait& wait = at.hot.waits()[rng.below(at.hot.waits().size())];
  const auto& priority = at.draft.plan().priority;
  const double waiting = priority[index(wait.waiting)], ahead = priority[index(wait.ahead)];
  if (waiting > ahead) return;
  if (rng.chance(0.5)) return at.draft.set_priority(wait.waiting, std::nextafter(ahead, HUGE_VAL));
  at.draft.set_priority(wait.waiting, waiting < ahead ? ahead : std::nextafter(ahead, HUGE_VAL));
  at.draft.set_priority(wait.ahead, waiting);
}

// A group on the critical path, alone or with neighbours that share its device.
void move_hot_group(const MoveContext& at) {
  Rng& rng = at.picks.rng();
  const HotSpots::Group& hot = at.hot.groups()[rng.below(at.hot.groups().size())];
  const DeviceId from = at.draft.device_of(at.level, hot.group);
  DeviceId to = hot.towards;
  if (to == kNoDevice || to == from || rng.chance(0.2))
    to = at.picks.device(at.level.allowed(hot.group) & ~device_bit(from));
  if (to == kNoDevice) return;
  at.draft.move(at.level, hot.group, to);
  if (rng.chance(0.5)) return;
  const auto near = at.level.neighbours(hot.group);
  const std::size_t wanted = at.picks.log_uniform(kMostFollowers);
  for (std::size_t i = 0; i < wanted && !near.empty(); ++i) {
    const std::uint32_t other = near[rng.below(near.size())];
    if (at.draft.device_of(at.level, other) == from) at.draft.move(at.level, other, to);
  }
}

// Part of a stretch of the topological order from one device to another: shifts the cuts between contiguous pieces.
void move_stretch(const MoveContext& at) {
  Rng& rng = at.picks.rng();
  const auto movable = at.level.movable();
  const std::size_t first = rng.below(movable.size());
  const std::size_t length = at.picks.log_uniform(std::max<std::size_t>(1, movable.size() / 4));
  const std::size_t last = std::min(first + length, movable.size());
  const DeviceId from = at.draft.device_of(at.level, movable[first]);
  const DeviceId to = at.picks.device_near(at.draft, movable[first]);
  const bool all = rng.chance(0.3);
  for (std::size_t i = first; i < last; ++i) {
    if (all || at.draft.device_of(at.level, movable[i]) == from) at.draft.move(at.level, movable[i], to);
  }
}

// A group and the neighbours on its device, breadth first.
void move_cluster(const MoveContext& at) {
  const std::uint32_t seed = at.picks.group();
  const DeviceId from = at.draft.device_of(at.level, seed);
  const DeviceId to = at.picks.device_near(at.draft, seed);
  if (to == kNoDevice) return;
  const std::size_t wanted = at.picks.log_uniform(kLargestCluster);
  at.draft.move(at.level, seed, to);
  std::vector<std::uint32_t> cluster{seed};
  for (std::size_t next = 0; next < cluster.size() && at.draft.num_moved() < wanted; ++next) {
    const auto near = at.level.neighbours(cluster[next]);
    const std::size_t skip = near.empty() ? 0 : at.picks.rng().below(near.size());
    for (std::size_t i = 0; i < near.size() && i < kMostLookedAt && at.draft.num_moved() < wanted; ++i) {
      const std::uint32_t other = near[(i + skip) % near.size()];
      if (at.draft.device_of(at.level, other) != from) continue;
      const std::size_t before = at.draft.num_moved();
      at.draft.move(at.level, other, to);
      if (at.draft.num_moved() > before) cluster.push_back(other);
    }
  }
}

void exchange(const MoveContext& at) {
  Rng& rng = at.picks.rng();
  const std::uint32_t a = at.picks.group();
  const auto near = at.level.neighbours(a);
  const std::uint32_t b = !near.empty() && rng.chance(0.5) ? near[rng.below(near.size())] : at.picks.group();
  const DeviceId of_a = at.draft.device_of(at.level, a), of_b = at.draft.device_of(at.level, b);
  if (of_a == of_b) return;
  at.draft.move(at.level, a, of_b);
  at.draft.move(at.level, b, of_a);
}

void move_group(const MoveContext& at) {
  const std::uint32_t group = at.picks.group();
  at.draft.move(at.level, group, at.picks.device_near(at.draft, group));
}

// Bytes that would cross if the group left these devices, per byte that it holds there.
double price_of_leaving(const MoveContext& at, std::uint32_t group, DeviceSet devices) {
  const Graph& graph = at.problem.graph();
  const auto stays = [&](OpId op) {
    return at.level.group(op) != group && (devices & device_bit(at.draft.plan().device(op))) != 0;
  };
  Bytes crossing = 0;
  for (const OpId op : at.level.ops(group)) {
    for (const TensorId tensor : graph.distinct_inputs(op))
      if (stays(graph.producer(tensor))) crossing += graph.bytes(tensor);
    for (const TensorId tensor : graph.outputs(op))
      if (std::ranges::any_of(graph.consumers(tensor), stays)) crossing += graph.bytes(tensor);
  }
  return static_cast<double>(crossing) / std::max(static_cast<double>(at.level.bytes(group)), 1.0);
}

// Something out of the memory that is most over its capacity: of a few groups there, the one that costs least to send.
void relieve_memory(const MoveContext& at) {
  const DeviceSet full = at.domains.devices(at.domains.of(at.score.overflow->device));
  const auto movable = at.level.movable();
  std::optional<std::uint32_t> cheapest;
  double least = 0.0;
  int seen = 0;
  for (int attempt = 0; attempt < kReliefAttempts && seen < kReliefCandidates; ++attempt) {
    const std::uint32_t group = movable[at.picks.rng().below(movable.size())];
    const bool is_there = (full & device_bit(at.draft.device_of(at.level, group))) != 0;
    if (!is_there || (at.level.allowed(group) & ~full) == 0) continue;
    const double price = price_of_leaving(at, group, full);
    if (seen++ == 0 || price < least) {
      cheapest = group;
      least = price;
    }
  }
  if (cheapest) at.draft.move(at.level, *cheapest, at.picks.device(at.level.allowed(*cheapest) & ~full));
}

constexpr int kMostGivenAway = 8;  // groups that leave overloaded devices with one move
constexpr int kAttempts = 16;      // to find one of them

DeviceId first_over(const MoveContext& at, Picoseconds most) {
  for (const DeviceId device : at.problem.machine().device_ids())
    if (at.draft.load(device) > most) return device;
  return kNoDevice;
}

// Where the most work would still be done in time.
DeviceId with_most_room(const MoveContext& at, Picoseconds most) {
  DeviceId found = kNoDevice;
  double largest = 0.0;
  for (const DeviceId device : at.problem.machine().device_ids()) {
    const double room = static_cast<double>(most - at.draft.load(device)) * at.picks.speed(device);
    if (room <= largest) continue;
    found = device;
    largest = room;
  }
  return found;
}

// Any group that this move has not touched; false if none was found.
bool give_away(const MoveContext& at, DeviceId from, DeviceId to) {
  if (to == kNoDevice || to == from) return false;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::uint32_t group = at.picks.group();
    if (at.draft.device_of(at.level, group) != from || (at.level.allowed(group) & device_bit(to)) == 0) continue;
    if (at.draft.has_moved(group)) continue;
    at.draft.move(at.level, group, to);
    return true;
  }
  return false;
}

}  // namespace

std::span<const MoveKind> move_kinds() {
  static constexpr std::array kMix{
      MoveKind{"an op on the critical path overtakes another", 15, has_waits, overtake},
      MoveKind{"a group on the critical path", 40, has_hot_groups, move_hot_group},
      MoveKind{"a stretch of the topological order", 15, is_always_possible, move_stretch},
      MoveKind{"a cluster of neighbours", 15, is_always_possible, move_cluster},
      MoveKind{"two groups change places", 8, is_always_possible, exchange},
      MoveKind{"a group", 7, is_always_possible, move_group},
  };
  return kMix;
}

void propose_move(const MoveContext& context) {
  Rng& rng = context.picks.rng();
  if (context.directed.relief && !context.score.feasible && rng.chance(kReliefShare)) return relieve_memory(context);
  const double drawn = rng.uniform();
  int percent = 0;
  for (const MoveKind& kind : move_kinds()) {
    percent += kind.percent;
    if (drawn < percent / 100.0 && kind.is_possible(context)) return kind.propose(context);
  }
}

bool balance_work(const MoveContext& context, Picoseconds most) {
  DeviceId full = first_over(context, most);
  for (int given = 0; full != kNoDevice && given < kMostGivenAway; ++given) {
    if (!give_away(context, full, with_most_room(context, most))) return false;
    full = first_over(context, most);
  }
  return full == kNoDevice;
}

}  // namespace berth
