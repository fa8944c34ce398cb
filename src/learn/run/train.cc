// SPDX-License-Identifier: Apache-2.0
#include "learn/run/train.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "files/files.h"
#include "learn/run/ranks.h"
#include "learn/run/training.h"
#include "runs/check_state.h"
#include "runs/checkpoint.h"
#include "runs/fingerprint.h"
#include "runs/metrics.h"
#include "services/plan/single_device.h"
#include "services/problem/constraints.h"
#include "services/problem/dims.h"
#include "sim/bounds/bounds.h"

namespace berth::learn {
namespace {

// What a run that goes on begins with.
struct Past {
  Checkpoint checkpoint;
  std::size_t metrics = 0;  // bytes of its metrics that stay
};

// What a killed run has saved, or a fresh state if it was killed before its first checkpoint. The files may come from
// anybody: whatever does not belong to this run is refused, and nothing in the folder is touched.
Result<Past> read_past(const RunFolder& folder, const RunConfig& config, std::span<const Subject> subjects,
                       const TrainState& fresh) {
  Past past{{config.fingerprint(), 0.0, fresh}};
  const std::string path = folder.checkpoint_path();
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    BERTH_TRY(past.checkpoint, read_checkpoint(path, past.checkpoint.fingerprint));
    std::vector<const Problem*> problems;
    for (const Subject& subject : subjects) problems.push_back(subject.problem);
    const Status fits = check_state(past.checkpoint.state, fresh, problems, training_of(config.options).epochs);
    if (!fits) return in_file(path, fits.error());
  }
  const TrainState& state = past.checkpoint.state;
  BERTH_TRY(past.metrics, read_metrics(folder.metrics_path(), {state.updates, state.evaluations}));
  return past;
}

// Of the best single device, if that is something to compare with.
std::optional<double> time_to_beat(std::span<const std::optional<Outcome>> singles) {
  const std::optional<Outcome>& single = singles.front();
  const bool comparable = singles.size() == 1 && single && single->feasible();
  return comparable ? std::optional(to_seconds(single->score.step_time)) : std::nullopt;
}

}  // namespace

// A run in the hands of one process.
class TrainRun::Parts {
 public:
  Parts(const TrainRequest& request, Communicator& ranks, Caller& caller)
      : request_(request), ranks_(ranks), own_(caller), silent_(caller), caller_(ranks.is_root() ? caller : silent_) {}

  Result<std::optional<TrainAnswer>> run();
  [[nodiscard]] bool is_broken() const { return training_ && !training_->stopped_together(); }

 private:
  Status read();
  Result<RunConfig> read_config();
  Result<RunConfig> config_to_resume();
  Status begin();
  Status begin_folder();
  [[nodiscard]] Outcome outcome_of(std::size_t lesson, const Stretch& stretch) const;
  [[nodiscard]] TrainAnswer answer_of(Stretch stretch, std::uint64_t updates_before) const;

  const TrainRequest& request_;
  Communicator& ranks_;
  Caller& own_;     // of this rank, which anybody may want to stop
  Silent silent_;   // the same without words
  Caller& caller_;  // rank 0 alone speaks
  RunConfig config_;
  std::vector<std::shared_ptr<const LoadedProblem>> loaded_;  // of every lesson
  std::vector<Subject> subjects_;
  std::optional<RunFolder> folder_;  // of rank 0
  Checkpoint checkpoint_;
  std::vector<std::optional<Outcome>> singles_;  // of every lesson
  std::optional<Training> training_;
};

Result<std::optional<TrainAnswer>> TrainRun::Parts::run() {
  BERTH_RETURN_IF_ERROR(agree(ranks_, read()));
  own_.work_begins();
  BERTH_RETURN_IF_ERROR(agree(ranks_, begin()));
  BERTH_TRY(TrainState state, share_state(ranks_, checkpoint_.state, config_.seed));
  const std::uint64_t updates_before = state.updates;
  training_->restore(std::move(state), checkpoint_.elapsed_s);
  BERTH_TRY(Stretch stretch, training_->run());
  if (!ranks_.is_root()) return std::optional<TrainAnswer>();
  return std::optional(answer_of(std::move(stretch), updates_before));
}

// Rank 0 reads it for all.
Result<RunConfig> TrainRun::Parts::config_to_resume() {
  BERTH_TRY(std::string text, from_root(ranks_, [&]() -> Result<std::string> {
              BERTH_TRY(RunFolder held, RunFolder::open(request_.folder));
              folder_.emplace(std::move(held));
              return read_file(folder_->config_path());
            }));
  BERTH_TRY(RunConfig config, learn::read_config(std::move(text), request_.folder + "/config.json"));
  apply(request_.changes, config);
  return config;
}

Result<RunConfig> TrainRun::Parts::read_config() {
  if (!request_.begins) return config_to_resume();
  if (ranks_.is_root()) BERTH_RETURN_IF_ERROR(RunFolder::check_new(request_.folder));
  return config_of(*request_.begins);
}

// Config and problems, on every rank by itself.
Status TrainRun::Parts::read() {
  BERTH_TRY(config_, read_config());
  if (request_.shares_threads && ranks_.size() > 1) config_.threads = std::max(config_.threads / ranks_.size(), 1);
  for (LessonConfig& lesson : config_.lessons) {
    BERTH_TRY(const ProblemRequest request, request_of(config_, lesson));
    BERTH_TRY(LoadedProblem loaded, load_problem(request, caller_));
    loaded_.push_back(std::make_shared<const LoadedProblem>(std::move(loaded)));
    const Problem& problem = loaded_.back()->problem;
    if (!request_.begins) BERTH_RETURN_IF_ERROR(check_hashes(lesson, problem, request_.folder));
    take_hashes(lesson, problem);
  }
  return {};
}

Status TrainRun::Parts::begin() {
  for (const auto& loaded : loaded_) {
    subjects_.push_back({&loaded->problem, lower_bound(loaded->problem).value()});
  }
  training_.emplace(config_, subjects_, ranks_, caller_);
  training_->set_simulate_on(request_.simulate_on);
  BERTH_RETURN_IF_ERROR(training_->prepare());
  checkpoint_.state = training_->state();
  return ranks_.is_root() ? begin_folder() : Status();
}

// Everything is checked before anything in the folder changes.
Status TrainRun::Parts::begin_folder() {
  Past past{{config_.fingerprint(), 0.0, checkpoint_.state}};
  if (folder_) {
    BERTH_TRY(past, read_past(*folder_, config_, subjects_, checkpoint_.state));
    folder_->remove_half_written();
  } else {
    BERTH_TRY(RunFolder made, RunFolder::create(request_.folder));
    folder_.emplace(std::move(made));
  }
  checkpoint_ = std::move(past.checkpoint);
  BERTH_RETURN_IF_ERROR(write_file_atomically(folder_->config_path(), write_config(config_)));
  BERTH_TRY(RunRecorder recorder, RunRecorder::open(*folder_, config_, subjects_, past.metrics));
  recorder.set_checkpoint_every(request_.checkpoint_every_s);
  training_->set_recorder(std::move(recorder));
  for (const Subject& subject : subjects_) singles_.push_back(run_single(*subject.problem, subject.bound, silent_));
  training_->set_monitor(Monitor(config_.options, time_to_beat(singles_)));
  return {};
}

// The best plan of a lesson.
Outcome TrainRun::Parts::outcome_of(std::size_t lesson, const Stretch& stretch) const {
  const TrainState& state = stretch.state;
  Outcome outcome;
  outcome.planner = config_.planner;
  outcome.note = fmt::format("preset {}, {}", config_.preset, counted(state.updates, "update"));
  if (ranks_.size() > 1) outcome.note += fmt::format(" by {} processes", ranks_.size());
  outcome.lower_bound = subjects_[lesson].bound;
  outcome.search_s = stretch.elapsed_s;
  outcome.evaluations = state.evaluations;
  outcome.seed = config_.seed;
  outcome.interrupted = caller_.wants_to_stop();
  if (const ScoredPlan* const best = state.lessons[lesson].best_known()) {
    outcome.plan = best->plan;
    outcome.score = best->score;
  } else {
    outcome.error = infeasible("no plan was measured yet; go on with berth train --resume {}", folder_->path());
  }
  return outcome;
}

TrainAnswer TrainRun::Parts::answer_of(Stretch stretch, std::uint64_t updates_before) const {
  TrainAnswer answer{.config = config_, .folder = folder_->path(), .lessons = {}};
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    answer.lessons.push_back({loaded_[i], outcome_of(i, stretch), singles_[i], folder_->plan_path(i, loaded_.size())});
  }
  answer.updates = stretch.state.updates;
  answer.updates_before = updates_before;
  answer.plans_per_update = training_->plans_per_update();
  answer.elapsed_s = stretch.elapsed_s;
  answer.is_time_over = training_->is_time_over();
  answer.interrupted = caller_.wants_to_stop();
  answer.warnings = std::move(stretch.warnings);
  answer.processes = ranks_.size();
  return answer;
}

TrainRun::TrainRun(const TrainRequest& request, Communicator& ranks, Caller& caller)
    : parts_(std::make_unique<Parts>(request, ranks, caller)) {}

TrainRun::~TrainRun() = default;

Result<std::optional<TrainAnswer>> TrainRun::run() { return parts_->run(); }

bool TrainRun::is_broken() const { return parts_->is_broken(); }

Result<TrainAnswer> train(const TrainRequest& request, Caller& caller) {
  const std::unique_ptr<Communicator> alone = make_alone();
  BERTH_TRY(std::optional<TrainAnswer> answer, TrainRun(request, *alone, caller).run());
  return *std::move(answer);
}

Result<ProblemRequest> request_of(const RunConfig& config, const LessonConfig& lesson) {
  const ProblemWords& words = config.problem;
  ProblemRequest request{.graph = lesson.graph, .machine = lesson.machine, .costs = words.costs};
  BERTH_TRY(request.import.dims, read_dims(words.dims));
  request.import.step = words.step;
  BERTH_TRY(request.objective, find_objective(words.objective));
  ConstraintTexts constraints{.files = words.constraints, .tables = words.unsupported};
  for (const auto& [form, text] : words.demands) constraints.given.push_back({form, text});
  BERTH_TRY(request.demands, read_demands(constraints));
  return request;
}

}  // namespace berth::learn
