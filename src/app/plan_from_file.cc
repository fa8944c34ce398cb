// SPDX-License-Identifier: Apache-2.0
#include "app/plan_from_file.h"

#include "io/files.h"
#include "io/json_reader.h"
#include "io/plan_file.h"

namespace berth::app {
namespace {

// The name of the machine that a plan file, which has been read without an error, was made for.
std::optional<std::string> machine_of_plan(const std::string& text) {
  Result<JsonDocument> document = JsonDocument::open(text);
  if (!document || !document->has("machine")) return std::nullopt;
  const Result<std::string> name = document->string("machine");
  return name ? std::optional(*name) : std::nullopt;
}

}  // namespace

Result<Outcome> score_file(const std::string& path, const ConstraintFlags& constraints, const Problem& problem) {
  BERTH_TRY(const std::string text, read_file(path));
  BERTH_TRY(const Plan plan, parse_plan(text, path, problem.graph(), problem.machine()));
  if (const Status met = check_demands(constraints, problem, plan); !met) return within(path, met.error());
  if (const auto broken = verify(problem, plan)) return within(path, *broken);
  Outcome outcome = score_plan(problem, "file", plan);
  outcome.plan_machine = machine_of_plan(text);
  return outcome;
}

}  // namespace berth::app
