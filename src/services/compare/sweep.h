// SPDX-License-Identifier: Apache-2.0
// One plan per batch size, number of devices or figure of the machine: where more stops paying.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "services/caller.h"
#include "services/plan/chosen_planner.h"
#include "services/plan/outcome.h"
#include "services/problem/problem_request.h"

namespace berth {

enum class SweptThing : std::uint8_t {
  kDevices,  // the number of accelerators
  kFigure,   // one of the machine, as a change of it
  kBatch,    // samples in a step ...
  kSize,     // ... or another parameter of a zoo model, or an open size of a model's file
};

// What changes.
struct Sweep {
  std::string name;                 // "devices", "batch", "link.*.bandwidth"
  std::vector<std::string> values;  // at least one
  SweptThing thing = SweptThing::kSize;
  // What a step at this value is worth: its samples if the sweep is over batch sizes, else 1.
  [[nodiscard]] double weight(const std::string& value) const;
};

// "devices=1,2,4"
Result<Sweep> parse_sweep(const std::string& text);

// The request with that value: a number of accelerators, a figure of the machine (a name with a dot), a parameter of a
// zoo model, or an open size of a model's file.
Result<ProblemRequest> request_at(const ProblemRequest& request, const Sweep& sweep, const std::string& value);

struct SweepRow {
  std::string value;
  Outcome outcome;
};

// A row and the problem behind it, as soon as it is there.
using SweepListener = std::function<void(const SweepRow& row, const LoadedProblem& loaded)>;

// Rows are in the order of the sweep's values and end where the caller stopped: the last one may be cut short, and
// values behind it were not run. Such a sweep shows nothing about what pays.
Result<std::vector<SweepRow>> run_sweep(const ProblemRequest& request, const Sweep& sweep, const ChosenPlanner& planner,
                                        const Budget& budget, Caller& caller, const SweepListener& listener);

// How much is done per second: samples for a sweep over batch sizes, steps otherwise. 0 without a plan that fits.
double rate(const Sweep& sweep, const SweepRow& row);
std::string rate_name(const Sweep& sweep);

// Why a row has no rate: "OOM", "no plan".
std::string why_none(const SweepRow& row);

bool is_interrupted(const Sweep& sweep, const std::vector<SweepRow>& rows);
std::vector<std::string> values_cut_short(const std::vector<SweepRow>& rows);
std::vector<std::string> values_not_run(const Sweep& sweep, const std::vector<SweepRow>& rows);

// The first row beyond which little is gained. None if the sweep was interrupted or nothing fits.
std::optional<std::vector<SweepRow>::const_iterator> enough_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

// "beyond devices = 4 little is gained: the most steps per second, at 8, are only 3 % more"; none if interrupted.
std::optional<std::string> verdict(const Sweep& sweep, const std::vector<SweepRow>& rows);
// The verdict, or how far an interrupted sweep came.
std::string ending(const Sweep& sweep, const std::vector<SweepRow>& rows);

// The rates as a picture (SVG).
Status save_plot(const std::string& path, std::string title, const Sweep& sweep, const std::vector<SweepRow>& rows);

// Why there is no plan that fits, if there is none.
std::optional<Error> failure_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace berth
