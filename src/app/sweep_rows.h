// SPDX-License-Identifier: Apache-2.0
// What `berth sweep` has found at every value it came to, and what follows from that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/outcome.h"
#include "app/sweep_point.h"

namespace berth::app {

struct SweepRow {
  std::string value;
  Outcome outcome;
  std::string fullest = {};
};

// How much is done per second: samples for a sweep over batch sizes, steps otherwise. 0 without a plan that fits.
double rate(const Sweep& sweep, const SweepRow& row);
std::string rate_name(const Sweep& sweep);

// Why a row has no rate: "OOM", "no plan".
std::string why_none(const SweepRow& row);

// Rows are in the order of the sweep's values and end where Ctrl-C came: the last one may be cut short, and values
// behind it were not run. Such a sweep shows nothing about what pays.
bool is_interrupted(const Sweep& sweep, const std::vector<SweepRow>& rows);
std::vector<std::string> values_cut_short(const std::vector<SweepRow>& rows);
std::vector<std::string> values_not_run(const Sweep& sweep, const std::vector<SweepRow>& rows);

// The first row beyond which little is gained. None if the sweep was interrupted or nothing fits.
std::optional<std::vector<SweepRow>::const_iterator> enough_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

// "beyond devices = 4 little is gained: the most steps per second, at 8, are only 3 % more"; none if interrupted.
std::optional<std::string> verdict(const Sweep& sweep, const std::vector<SweepRow>& rows);
// The verdict, or how far an interrupted sweep came.
std::string ending(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace berth::app
