// SPDX-License-Identifier: Apache-2.0
#include "learn/run/training.h"

#include <algorithm>

#include "base/units.h"
#include "learn/distributed/controller.h"
#include "learn/distributed/parameter_server.h"
#include "learn/guarded.h"
#include "learn/methods.h"
#include "learn/run/ranks.h"
#include "services/words.h"
#include "sim/batch/batch_simulator.h"

namespace berth::learn {
namespace {

constexpr auto kShowEvery = std::chrono::milliseconds(100);

}  // namespace

Status Training::prepare() {
  if (config_.async && ranks_.size() == 1) {
    return bad_input("--async needs a server and controllers, each a process: mpirun -n 2 or more");
  }
  std::vector<std::unique_ptr<Environment>> environments;
  for (const Subject& subject : subjects_) {
    if (const auto missing = check_simulate_on(*subject.problem, simulate_on_))
      return within("--simulate-on", *missing);
    environments.push_back(make_simulated_environment(*subject.problem, config_.threads, simulate_on_));
  }
  BERTH_TRY(learner_,
            make_learner(std::move(environments), config_.options, config_.seed, config_.policy_device, ranks_));
  learner_->set_must_find(true);
  trainer_ = learner_->for_async();
  if (config_.async && (trainer_ == nullptr || subjects_.size() > 1)) {
    return bad_input("--async is for planners that place a graph at once, and for one problem; leave it out");
  }
  if (learner_->parameters().count() == 0) {
    return bad_input("there is nothing to learn: no op has a choice of devices (berth place --planner single)");
  }
  if (const std::uint64_t most = config_.limits.evaluations; most > 0 && most < plans_per_update()) {
    return bad_input("--evaluations {}: one update takes {} plans; give at least as many", most, plans_per_update());
  }
  return {};
}

void Training::restore(TrainState state, double elapsed_s) {
  before_s_ = elapsed_s;
  first_update_ = state.updates;
  first_evaluation_ = state.evaluations;
  learner_->restore(std::move(state));
}

double Training::elapsed_s() const { return before_s_ + std::chrono::duration<double>(Clock::now() - start_).count(); }

bool Training::is_time_over() const { return config_.limits.time_s > 0.0 && elapsed_s() >= config_.limits.time_s; }

std::uint64_t Training::plans_per_update() const {
  return learner_->plans_per_update() * static_cast<std::uint64_t>(config_.async ? 1 : ranks_.size());
}

// Evaluations are spent by whole updates: a run that goes on later is then the same as one that went on at once.
bool Training::is_over(std::uint64_t updates, std::uint64_t evaluations) const {
  const Limits& limits = config_.limits;
  if (limits.updates > 0 && updates >= limits.updates) return true;
  if (limits.evaluations > 0 && evaluations + plans_per_update() > limits.evaluations) return true;
  return is_time_over();
}

Result<Stretch> Training::run() {
  start_ = Clock::now();
  is_running_ = true;
  const bool is_server = config_.async && ranks_.is_root();
  const Status status = guarded([&]() -> Status {
    if (is_server) return run_server();
    if (config_.async) return run_controller();
    return run_together();
  });
  Stretch stretch{served_ ? *std::move(served_) : learner_->state(), elapsed_s(), std::move(warnings_)};
  caller_.part_ends();
  if (recorder_) {
    const Status saved = recorder_->save(stretch.state, stretch.elapsed_s);
    if (status.ok()) BERTH_RETURN_IF_ERROR(saved);
  }
  BERTH_RETURN_IF_ERROR(status);
  return stretch;
}

bool Training::knows_a_plan() const {
  return std::ranges::any_of(learner_->lessons(), [](const auto& lesson) { return lesson.best_known() != nullptr; });
}

Status Training::run_together() {
  const bool is_alone = ranks_.size() == 1;
  bool has_tried = knows_a_plan();  // a run leaves a plan, however short its time is
  // In the midst of an update only one process alone may stop: the others would wait for it.
  if (is_alone) learner_->set_should_stop([this] { return caller_.wants_to_stop() || is_time_over(); });
  Status recorded;
  while (true) {
    const bool is_done = has_tried && is_over(learner_->updates(), learner_->evaluations());
    const bool mine = caller_.wants_to_stop() || !recorded.ok() || (ranks_.is_root() && is_done);
    BERTH_TRY(const bool stop, any_of(ranks_, mine));
    stopped_together_ = stop;
    if (stop) return recorded;
    has_tried = true;
    BERTH_TRY(const std::optional<UpdateFacts> facts, learner_->update());
    if (!facts) continue;
    if (!is_alone) BERTH_RETURN_IF_ERROR(share_best_plans(ranks_, *learner_));
    if (recorder_) recorded = record(*facts, [this] { return learner_->state(); });
  }
}

Status Training::run_controller() {
  trainer_->set_should_stop([this] { return caller_.wants_to_stop(); });
  const Status status = control(*trainer_, ranks_);
  stopped_together_ = status.ok();
  return status;
}

Status Training::run_server() {
  ParameterServer server(trainer_->state(), training_of(config_.options), config_.seed, ranks_);
  server.set_should_stop([this] { return caller_.wants_to_stop() || is_time_over(); });
  const Status status = server.serve([&](const UpdateFacts& facts) -> Result<bool> {
    BERTH_RETURN_IF_ERROR(record(facts, [&] { return server.state(); }));
    return !is_over(facts.update, facts.evaluations);
  });
  served_ = server.state();
  stopped_together_ = status.ok();
  return status;
}

Status Training::record(UpdateFacts facts, const GetState& state) {
  if (!config_.async) facts.best_s = best_time_of(learner_->lessons());  // of all ranks
  BERTH_RETURN_IF_ERROR(recorder_->add(facts, elapsed_s()));
  if (monitor_) {
    for (const std::string& warning : monitor_->watch(facts)) {
      caller_.note(fmt::format("warning: {}", warning));
      warnings_.push_back(warning);
    }
  }
  show(facts);
  return recorder_->is_due() ? recorder_->save(state(), elapsed_s()) : Status();
}

// "12.3 s  update 45  3.70 updates/s  29.6 plans/s  mean 1.90 s  best 1.57 s  gap 31 %"
void Training::show(const UpdateFacts& facts) {
  const Clock::time_point now = Clock::now();
  if (now - shown_ < kShowEvery) return;
  shown_ = now;
  const double seconds = std::max(std::chrono::duration<double>(now - start_).count(), 1e-3);
  std::string text = fmt::format("{:.1f} s  update {}  {} updates/s  {} plans/s  ", elapsed_s(), facts.update,
                                 format_count(static_cast<double>(facts.update - first_update_) / seconds),
                                 format_count(static_cast<double>(facts.evaluations - first_evaluation_) / seconds));
  if (facts.fitting > 0) text += fmt::format("mean {}  ", format_seconds(facts.mean_time_s));
  if (!facts.best_s) {
    text += "no plan that fits yet";
  } else if (subjects_.size() == 1) {
    text += fmt::format("best {}  gap {}", format_seconds(*facts.best_s),
                        gap_text(to_picoseconds(*facts.best_s), subjects_.front().bound));
  } else {
    text += fmt::format("best of {} problems {} in the mean", subjects_.size(), format_seconds(*facts.best_s));
  }
  caller_.show(text);
}

}  // namespace berth::learn
