// SPDX-License-Identifier: Apache-2.0
// What the simple planners share: which devices take work, where a unit goes when its device may not run it, and the
// last step of every planner, verify and evaluate.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plan/search/search.h"


namespace berth {

// Devices to spread work over: the accelerators, or every device of a machine that has none. Cut to what a limit on the
// number of devices leaves, those that ops are bound to first, with room for a CPU if some op can run on no
// accelerator.
std::vector<DeviceId> worker_devices(const Problem& problem);

DeviceSet set_of(std::span<const DeviceId> devices);

// Whether the user limits devices or crossings: a move may then break what no single unit shows.
bool has_limits(const Problem& problem);

// The device for ops no accelerator runs: the first CPU, or device 0 of a machine without one.
DeviceId fallback_device(const Problem& problem);

// `wanted` if the unit may be there, else the first CPU if allowed, else the first allowed device.
DeviceId allowed_or_fallback(const Problem& problem, std::uint32_t unit, DeviceId wanted);

// Plan that puts every unit on its wanted device as far as allowed; `wanted` is indexed by unit.
Plan plan_from_units(const Problem& problem, std::span<const DeviceId> wanted);
Plan plan_on_one_device(const Problem& problem, DeviceId device);

// "all on gpu0", or "on gpu0, 3 ops elsewhere" when kinds or pins keep compute ops off it.
std::string where_note(const Problem& problem, const Plan& plan, DeviceId device);

// "12.5 % off": what a search took off the step time of a plan that fits.
std::string saved_note(const Score& before, const Score& after);

// Verifies and evaluates a finished plan. Error (infeasible) when it breaks a constraint that this planner cannot
// honour, such as a limit on crossings.
Result<Plan> submit(Search& search, Plan plan, std::string_view planner);

}  // namespace berth
