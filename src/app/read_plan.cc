// SPDX-License-Identifier: Apache-2.0
#include "app/read_plan.h"

#include "io/files.h"
#include "io/foreign/foreign_plan.h"
#include "io/json_reader.h"
#include "io/plan_file.h"

namespace berth::app {
namespace {

std::optional<std::string> machine_of_plan(const std::string& text) {
  Result<JsonDocument> document = JsonDocument::open(text);
  if (!document || !document->has("machine")) return std::nullopt;
  const Result<std::string> name = document->string("machine");
  return name ? std::optional(*name) : std::nullopt;
}

Result<ReadPlan> read_any(const std::string& path, const ProblemFlags& flags, const Problem& problem) {
  BERTH_TRY(const std::string text, read_file(path));
  if (!is_foreign_plan(path, text)) {
    BERTH_TRY(Plan plan, parse_plan(text, path, problem.graph(), problem.machine()));
    return ReadPlan{std::move(plan), machine_of_plan(text)};
  }
  BERTH_TRY(const ImportOptions options, import_options(flags));
  BERTH_TRY(ForeignPlan plan, read_foreign_plan(text, {path, problem, flags.graph, options}));
  std::string note = fmt::format("{}: it {}", plan.format, words_about(plan.given));
  return ReadPlan{std::move(plan.given.plan), std::nullopt, std::move(note)};
}

}  // namespace

Result<ReadPlan> read_plan(const std::string& path, const ProblemFlags& flags, const Problem& problem) {
  BERTH_TRY(ReadPlan read, read_any(path, flags, problem));
  if (const Status met = check_demands(flags.constraints, problem, read.plan); !met) {
    return within(path, met.error());
  }
  if (const auto broken = verify(problem, read.plan)) return within(path, *broken);
  return read;
}

Result<Outcome> score_plan_file(const std::string& path, const std::string& name, const ProblemFlags& flags,
                                const Problem& problem) {
  BERTH_TRY(const ReadPlan read, read_plan(path, flags, problem));
  Outcome outcome = score_plan(problem, name, read.plan);
  outcome.plan_machine = read.machine;
  outcome.note = read.note;
  return outcome;
}

std::optional<std::string> machine_of_plan_file(const std::string& path) {
  const Result<std::string> text = read_file(path);
  return text ? machine_of_plan(*text) : std::nullopt;
}

}  // namespace berth::app
