// SPDX-License-Identifier: Apache-2.0
// Fingerprints: what ties a run to the problem it was begun with.
#pragma once

#include <optional>
#include <string>

#include "problem/problem.h"
#include "runs/run_config.h"

namespace berth::learn {

// Everything that a score depends on: graph, machine, objective, times, sizes, constraints.
std::string hash_of(const Problem& problem);
std::string hash_of(const Machine& machine);

void take_hashes(LessonConfig& lesson, const Problem& problem);
// Which lesson of a run is exactly this problem, if any is.
std::optional<std::size_t> lesson_of(const RunConfig& config, const Problem& problem);
// An error that says what is not as it was when the lesson was first taken: graph, machine, or something else.
Status check_hashes(const LessonConfig& lesson, const Problem& problem, std::string_view run,
                    std::string_view reason = {});

}  // namespace berth::learn
