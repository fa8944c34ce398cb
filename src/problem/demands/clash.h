// SPDX-License-Identifier: Apache-2.0
// Clashes: the few demands, of perhaps thousands, that cannot be met together, named by their sources.
//
// QuickXplain (Junker, AAAI 2004) finds a set that clashes and of which no part does, with about 2 k log(n / k) checks
// for k of n demands. There may be other such sets.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "problem/demands/resolve.h"

namespace berth {

// "'--pin emb=gpu0' and 'box.toml:7 forbid type:Gather=gpu0' clash: no device is left for op 'emb'", or nothing where
// no clash shows without planning (problem/conflict.h).
std::optional<std::string> find_clash(const Problem& problem, std::span<const ResolvedDemand> demands);

// The same for demands, which must not clash, that leave no plan that fits in memory. Nothing where the problem does
// not fit without them either.
std::optional<std::string> find_memory_clash(const Problem& problem, std::span<const ResolvedDemand> demands);

// "'--pin emb=gpu0' does not hold: op 'emb' is on gpu1": the first demand that a plan, with a device for every op, does
// not meet.
std::optional<std::string> find_broken(const Problem& problem, const Plan& plan,
                                       std::span<const ResolvedDemand> demands);

}  // namespace berth
