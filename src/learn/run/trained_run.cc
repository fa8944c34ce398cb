// SPDX-License-Identifier: Apache-2.0
#include "learn/run/trained_run.h"

#include <filesystem>

#include "base/text.h"
#include "files/files.h"
#include "runs/check_state.h"
#include "runs/fingerprint.h"
#include "runs/run_folder.h"

namespace berth::learn {
namespace {

namespace fs = std::filesystem;

bool has_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "config.json", error);
}

// The user's own folder if there is a run in it, else that of a policy of ours, else as given.
std::string policy_folder(const std::string& given) {
  if (has_run(given) || given.find('/') != std::string::npos) return given;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& library : {program / BERTH_INSTALLED_POLICIES, fs::path(BERTH_SOURCE_POLICIES)}) {
    if (has_run(library / given)) return (library / given).string();
  }
  return given;
}

}  // namespace

std::string TrainedRun::name() const {
  return fmt::format("{} after {}", given, counted(checkpoint.state.updates, "update"));
}

Status TrainedRun::check(const Problem& problem) const {
  if (const std::optional<std::size_t> lesson = lesson_of(config, problem)) {
    const Status fits = check_plans(checkpoint.state.lessons[*lesson], problem);
    return fits ? fits : in_file(fmt::format("{}/checkpoint", given), fits.error());
  }
  const MethodInfo& method = method_of(config.options);
  if (method.is_general()) return {};
  return check_hashes(config.lessons.front(), problem, given, method.why_not_general);
}

std::optional<Plan> TrainedRun::known_plan(const Problem& problem) const {
  const std::optional<std::size_t> lesson = lesson_of(config, problem);
  const ScoredPlan* const best = lesson ? checkpoint.state.lessons[*lesson].best_known() : nullptr;
  return best != nullptr ? std::optional(best->plan) : std::nullopt;
}

Result<TrainedRun> load_trained(const std::string& given) {
  const std::string path = policy_folder(given);
  BERTH_TRY(RunConfig config, load_config(path));
  BERTH_TRY(Checkpoint checkpoint, read_checkpoint(fmt::format("{}/checkpoint", path), config.fingerprint()));
  if (checkpoint.state.lessons.size() != config.lessons.size()) {
    return bad_input("{}/checkpoint: it does not belong to {}/config.json", path, path);
  }
  return TrainedRun{given, std::move(config), std::move(checkpoint)};
}

}  // namespace berth::learn
