// SPDX-License-Identifier: Apache-2.0
// The yardstick of every report: the best single device, and whether anything beats it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "services/caller.h"
#include "services/plan/judge.h"
#include "services/plan/outcome.h"

namespace berth {

// Runs `single` on every device, which costs one evaluation each, however few the budget allows. Nothing if the caller
// has stopped.
std::optional<Outcome> run_single(const Problem& problem, const Budget& budget, Picoseconds lower_bound, Judge& judge,
                                  Caller& caller);
// The same, judged by simulation.
std::optional<Outcome> run_single(const Problem& problem, Picoseconds lower_bound, Caller& caller);

// Whether the outcome is that of `single` with every device tried, so that it need not run again.
bool is_whole_single(const Outcome& outcome);

enum class SingleVerdict : std::uint8_t {
  kUnknown,     // no single device holds it, it was not tried, or nobody looked for anything better
  kBeaten,      // the best plan is faster, or one that was not taken
  kBestFound,   // nothing faster was found
  kBestProved,  // nothing can be faster: it meets the lower bound
};
// `best` is the best plan found otherwise.
SingleVerdict judge_single(const Outcome& best, const std::optional<Outcome>& single);

// The objective's value of the outcome over that of the best single device; none unless both fit.
std::optional<double> ratio_to_single(const Outcome& outcome, const std::optional<Outcome>& single);
bool is_slower_than_single(const Outcome& outcome, const std::optional<Outcome>& single);

// "2.00x as fast", "0.4 % faster", "31 % slower" or "as fast" for a ratio of times.
std::string ratio_text(double ratio);
// "no plan can be faster than one device (all on gpu0)", or that none was found; "" unless one device is the best.
std::string verdict_text(const Outcome& best, const std::optional<Outcome>& single);
// How a plan compares with the best single device.
std::string against_single(const Outcome& outcome, const Outcome& single);

}  // namespace berth
