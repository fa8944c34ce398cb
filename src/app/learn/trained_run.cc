// SPDX-License-Identifier: Apache-2.0
#include "app/learn/trained_run.h"

#include "app/learn/fingerprint.h"
#include "app/learn/policy_library.h"
#include "app/learn/run_folder.h"
#include "base/text.h"
#include "files/files.h"
#include "learn/planners.h"
#include "runs/check_state.h"

namespace berth::app {

std::string TrainedRun::name() const {
  return fmt::format("{} after {}", given, counted(checkpoint.state.updates, "update"));
}

Status TrainedRun::check(const Problem& problem) const {
  if (const std::optional<std::size_t> lesson = lesson_of(config, problem)) {
    const Status fits = learn::check_plans(checkpoint.state.lessons[*lesson], problem);
    return fits ? fits : in_file(fmt::format("{}/checkpoint", given), fits.error());
  }
  const learn::MethodInfo& method = learn::method_of(config.options);
  if (method.is_general()) return {};
  return check_hashes(config.lessons.front(), problem, given, method.why_not_general);
}

std::optional<Plan> TrainedRun::known_plan(const Problem& problem) const {
  const std::optional<std::size_t> lesson = lesson_of(config, problem);
  const learn::ScoredPlan* const best = lesson ? checkpoint.state.lessons[*lesson].best_known() : nullptr;
  return best != nullptr ? std::optional(best->plan) : std::nullopt;
}

Result<TrainedRun> load_trained(const std::string& given) {
  const std::string path = policy_folder(given);
  BERTH_TRY(RunConfig config, load_config(path));
  BERTH_TRY(learn::Checkpoint checkpoint,
            learn::read_checkpoint(fmt::format("{}/checkpoint", path), config.fingerprint()));
  if (checkpoint.state.lessons.size() != config.lessons.size()) {
    return bad_input("{}/checkpoint: it does not belong to {}/config.json", path, path);
  }
  return TrainedRun{given, std::move(config), std::move(checkpoint)};
}

}  // namespace berth::app
