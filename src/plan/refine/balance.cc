// SPDX-License-Identifier: Apache-2.0
#include "plan/refine/balance.h"

#include "machine/device_set.h"

namespace berth {
namespace {

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

bool balance_work(const MoveContext& context, Picoseconds most) {
  DeviceId full = first_over(context, most);
  for (int given = 0; full != kNoDevice && given < kMostGivenAway; ++given) {
    if (!give_away(context, full, with_most_room(context, most))) return false;
    full = first_over(context, most);
  }
  return full == kNoDevice;
}

}  // namespace berth
