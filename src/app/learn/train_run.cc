// SPDX-License-Identifier: Apache-2.0
// `berth train`: from flags or the config of a run to a policy that is trained, on one process or many.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

#include "app/learn/fingerprint.h"
#include "app/learn/ranks.h"
#include "app/learn/train_output.h"
#include "app/learn/training.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "base/text.h"
#include "base/units.h"
#include "files/files.h"
#include "runs/check_state.h"
#include "runs/checkpoint.h"
#include "runs/metrics.h"
#include "services/plan/single_device.h"
#include "services/problem/problem_request.h"
#include "services/words.h"
#include "sim/bounds/bounds.h"

namespace berth::app {
namespace {

Result<double> seconds_of(std::string_view flag, const std::string& text) {
  const Result<double> seconds = parse_seconds(text);
  if (seconds && *seconds >= 0.0) return *seconds;
  return bad_input("{}: '{}' is no time; write for example 500ms, 60s or 5min", flag, text);
}

// The config of a run that goes on; rank 0 reads it for all.
Result<RunConfig> config_to_resume(const TrainFlags& flags, learn::Communicator& ranks,
                                   std::optional<RunFolder>& folder) {
  BERTH_TRY(std::string text, from_root(ranks, [&]() -> Result<std::string> {
              BERTH_TRY(RunFolder held, RunFolder::open(flags.resume));
              folder.emplace(std::move(held));
              return read_file(folder->config_path());
            }));
  BERTH_TRY(RunConfig config, learn::read_config(std::move(text), flags.resume + "/config.json"));
  BERTH_RETURN_IF_ERROR(update_config(config, flags));
  return config;
}

Result<RunConfig> config_to_begin(const TrainFlags& flags, learn::Communicator& ranks) {
  if (ranks.is_root()) BERTH_RETURN_IF_ERROR(RunFolder::check_new(flags.output));
  return config_of(flags);
}

// What a run that goes on begins with.
struct Past {
  learn::Checkpoint checkpoint;
  std::size_t metrics = 0;  // bytes of its metrics that stay
};

// What a killed run has saved, or a fresh state if it was killed before its first checkpoint. The files may come from
// anybody: whatever does not belong to this run is refused, and nothing in the folder is touched.
Result<Past> read_past(const RunFolder& folder, const RunConfig& config, std::span<const Subject> subjects,
                       const learn::TrainState& fresh) {
  Past past{{config.fingerprint(), 0.0, fresh}};
  const std::string path = folder.checkpoint_path();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    BERTH_TRY(past.checkpoint, learn::read_checkpoint(path, past.checkpoint.fingerprint));
    std::vector<const Problem*> problems;
    for (const Subject& subject : subjects) problems.push_back(subject.problem);
    const Status fits =
        learn::check_state(past.checkpoint.state, fresh, problems, learn::training_of(config.options).epochs);
    if (!fits) return in_file(path, fits.error());
  }
  const learn::TrainState& state = past.checkpoint.state;
  BERTH_TRY(past.metrics, learn::read_metrics(folder.metrics_path(), {state.updates, state.evaluations}));
  return past;
}

// One run, from its config to its end.
class TrainCommand {
 public:
  TrainCommand(const TrainFlags& flags, learn::Communicator& ranks) : flags_(flags), ranks_(ranks) {}

  Result<Exit> run() {
    BERTH_RETURN_IF_ERROR(agree(ranks_, read()));
    const InterruptGuard guard;
    BERTH_RETURN_IF_ERROR(agree(ranks_, begin()));
    BERTH_TRY(learn::TrainState state, share_state(ranks_, checkpoint_.state, config_.seed));
    const std::uint64_t before = state.updates;
    training_->restore(std::move(state), checkpoint_.elapsed_s);
    BERTH_TRY(const Trained trained, training_->run());
    if (!ranks_.is_root()) return Exit::kDone;
    if (trained.state.updates == before && !InterruptGuard::flag()) say_why_nothing_was_done(trained);
    return report(trained);
  }

  // Whether others may be waiting for this rank, or this rank cannot reach them.
  [[nodiscard]] bool is_broken() const { return training_ && !training_->stopped_together(); }

 private:
  // Config and problems, on every rank by itself.
  Status read() {
    const bool goes_on = !flags_.resume.empty();
    BERTH_TRY(config_, goes_on ? config_to_resume(flags_, ranks_, folder_) : config_to_begin(flags_, ranks_));
    if (!flags_.is_given("--threads") && ranks_.size() > 1) {
      config_.threads = std::max(config_.threads / ranks_.size(), 1);  // they share the cores
    }
    if (!ranks_.is_root()) silence_notes();
    for (LessonConfig& lesson : config_.lessons) {
      BERTH_TRY(const ProblemRequest request, request_of(problem_of(config_, lesson)));
      BERTH_TRY(LoadedProblem resolved, load_problem(request, caller_));
      resolved_.push_back(std::make_unique<LoadedProblem>(std::move(resolved)));
      const Problem& problem = resolved_.back()->problem;
      if (goes_on) BERTH_RETURN_IF_ERROR(check_hashes(lesson, problem, flags_.resume));
      take_hashes(lesson, problem);
    }
    return {};
  }

  Status begin() {
    for (const auto& resolved : resolved_) {
      subjects_.push_back({&resolved->problem, lower_bound(resolved->problem).value()});
    }
    training_.emplace(config_, subjects_, ranks_);
    BERTH_RETURN_IF_ERROR(training_->prepare());
    checkpoint_.state = training_->state();
    return ranks_.is_root() ? begin_folder() : Status();
  }

  // Everything is checked before anything in the folder changes.
  Status begin_folder() {
    BERTH_TRY(const double every_s, seconds_of("--checkpoint-every", flags_.checkpoint_every));
    Past past{{config_.fingerprint(), 0.0, checkpoint_.state}};
    if (folder_) {
      BERTH_TRY(past, read_past(*folder_, config_, subjects_, checkpoint_.state));
      folder_->remove_half_written();
    } else {
      BERTH_TRY(RunFolder made, RunFolder::create(flags_.output));
      folder_.emplace(std::move(made));
    }
    checkpoint_ = std::move(past.checkpoint);
    BERTH_RETURN_IF_ERROR(write_file_atomically(folder_->config_path(), learn::write_config(config_)));
    BERTH_TRY(RunRecorder recorder, RunRecorder::open(*folder_, config_, subjects_, past.metrics));
    recorder.set_checkpoint_every(every_s);
    training_->set_recorder(std::move(recorder));
    for (const Subject& subject : subjects_) singles_.push_back(run_single(*subject.problem, subject.bound, caller_));
    const std::optional<Outcome>& single = singles_.front();
    const bool comparable = subjects_.size() == 1 && single && single->feasible();
    const std::optional<double> single_s =
        comparable ? std::optional(to_seconds(single->score.step_time)) : std::nullopt;
    training_->set_monitor(learn::Monitor(config_.options, single_s));
    training_->set_progress(!flags_.search.quiet);
    return {};
  }

  // Not one update was made.
  void say_why_nothing_was_done(const Trained& trained) const {
    const std::string& run = folder_->path();
    const std::uint64_t updates = trained.state.updates;
    if (!training_->is_time_over()) {
      print_note(
          fmt::format("note: {}: nothing was left to do after {}; give larger --updates, --evaluations or --budget",
                      run, counted(updates, "update")));
      return;
    }
    print_note(fmt::format("note: {}: its {} were over before update {}, of {}, was done; give it more time: {}", run,
                           format_seconds(config_.limits.time_s), updates + 1,
                           counted(training_->plans_per_update(), "plan"), more_time(config_, trained, run)));
  }

  Result<Exit> report(const Trained& trained) {
    const TrainReport about{config_, subjects_, resolved_.front()->costs, *folder_, trained, singles_, ranks_.size()};
    std::vector<Outcome> outcomes;
    for (std::size_t i = 0; i < subjects_.size(); ++i) outcomes.push_back(outcome_of(about, i));
    BERTH_RETURN_IF_ERROR(print(flags_.json ? train_json(about, outcomes) : train_page(about, outcomes)));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].error) return *outcomes[i].error;
      if (!outcomes[i].score.feasible) return infeasible("{}", overflow_text(*subjects_[i].problem, outcomes[i]));
    }
    return Exit::kDone;
  }

  const TrainFlags& flags_;
  learn::Communicator& ranks_;
  RunConfig config_;
  TerminalCaller caller_{/*progress=*/false};
  std::vector<std::unique_ptr<LoadedProblem>> resolved_;  // of every lesson
  std::vector<Subject> subjects_;
  std::optional<RunFolder> folder_;  // of rank 0
  learn::Checkpoint checkpoint_;
  std::vector<std::optional<Outcome>> singles_;  // of every lesson
  std::optional<Training> training_;
};

// A run of several ranks that broke ends everywhere. Rank 0, which has saved what it had by now, is given the first
// word; the others speak only if it is gone.
[[noreturn]] void end_all(const learn::Communicator& ranks, const Error& error) {
  if (!ranks.is_root()) std::this_thread::sleep_for(std::chrono::seconds(5));
  print_error(error.message);
  learn::abort_all(static_cast<int>(Exit::kBadInput));
}

}  // namespace

Result<Exit> train(const TrainFlags& flags) {
  BERTH_TRY(const double timeout_s, seconds_of("--rank-timeout", flags.rank_timeout));
  BERTH_TRY(const std::unique_ptr<learn::Communicator> ranks, learn::make_communicator(timeout_s));
  TrainCommand command(flags, *ranks);
  Result<Exit> result = command.run();
  if (result || ranks->size() == 1) return result;
  const bool is_silent = result.error().message.empty();  // rank 0 speaks
  if (command.is_broken() && !is_silent) end_all(*ranks, result.error());
  if (ranks->is_root()) return result;
  return result.error().code == ErrorCode::kInfeasible ? Exit::kInfeasible : Exit::kBadInput;
}

}  // namespace berth::app
