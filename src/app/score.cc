// SPDX-License-Identifier: Apache-2.0
#include "app/flags/options.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "services/json/outcome_json.h"
#include "services/plan/place.h"
#include "services/words.h"

namespace berth::app {
namespace {

struct ScoreFlags {
  ProblemFlags problem;
  std::string plan;
  bool json = false, timeline = false, quiet = false;
};

Result<Exit> run_score(const ScoreFlags& flags) {
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const ScoreAnswer answer, score({std::move(problem), flags.plan, flags.timeline}, caller));
  const Outcome& outcome = answer.outcome;
  if (flags.json) {
    BERTH_RETURN_IF_ERROR(print(outcome_json(answer.loaded, outcome, answer.single, answer.before, answer.timeline)));
  } else {
    BERTH_RETURN_IF_ERROR(
        print(outcome_page(answer.loaded.problem, outcome, answer.single, answer.loaded.costs, answer.before)));
    if (answer.timeline) {
      BERTH_RETURN_IF_ERROR(print(fmt::format("\n{}", timeline_text(answer.loaded.problem, *answer.timeline))));
    }
  }
  if (outcome.score.feasible) return Exit::kDone;
  return infeasible("{}", overflow_text(answer.loaded.problem, outcome));
}

}  // namespace

void add_score_command(CLI::App& app, Exit& exit) {
  auto [command, flags] = add_command<ScoreFlags>(app, exit, "score", "what a given plan would do", run_score);
  add_problem_flags(command, flags.problem);
  add_constraint_flags(command, flags.problem.constraints);
  add_what_if_flags(command, flags.problem.changes);
  add_text(command, "--plan", flags.plan, "FILE",
           "plan of berth place -o, or device_map.json (accelerate), layer settings (ONNX Runtime), affinity "
           "JSON (OpenVINO), placed graph (TensorFlow), CSV; default: the placement in the model's file");
  command.add_flag("--timeline", flags.timeline, "also every op and transfer with its start and end");
  command.add_flag("-q,--quiet", flags.quiet, "no progress line; there never is one here");
  add_json_flag(command, flags.json);
  command.footer(
      "Example:\n  berth score zoo:nmt-4 --machine k40x4 --plan plan.json --json --timeline\n"
      "  berth score gnmt.pb --machine box.toml --costs gnmt.csv    (the device fields of a TensorFlow graph)");
}

}  // namespace berth::app
