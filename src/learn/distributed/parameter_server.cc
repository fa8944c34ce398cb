// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/parameter_server.h"

#include <algorithm>
#include <cmath>

#include "learn/distributed/async_messages.h"
#include "learn/distributed/rooted_communicator.h"
#include "learn/train/learner.h"

namespace berth::learn {
namespace {

constexpr double kLook_s = 0.05;  // how long it waits for a letter before it looks around
constexpr double kMost_s = 0.2;   // what one round counts for at most

std::uint64_t stream_at(std::uint64_t seed, int rank, std::uint64_t updates) {
  const std::uint64_t of_rank = Rng(Rng(seed).next() + static_cast<std::uint64_t>(rank)).next();
  return Rng(of_rank + updates).next();
}

}  // namespace

ParameterServer::ParameterServer(TrainState state, const TrainingOptions& options, std::uint64_t seed,
                                 Communicator& communicator)
    : state_(std::move(state)),
      adam_(state_.values.size()),
      options_(options),
      seed_(seed),
      communicator_(communicator),
      is_active_(static_cast<std::size_t>(communicator.size()), true),
      answered_(is_active_.size()) {
  if (!state_.adam.mean.empty()) adam_.restore(std::move(state_.adam));
  is_active_[0] = false;
}

TrainState ParameterServer::state() const {
  TrainState copy = state_;
  copy.adam = adam_.state();
  return copy;
}

Status ParameterServer::serve(const OnUpdate& on_update) {
  if (communicator_.size() < 2) {
    return bad_input("asynchronous training needs a server and at least one controller; use mpirun -n 2 or more");
  }
  looked_ = Clock::now();
  while (std::find(is_active_.begin(), is_active_.end(), true) != is_active_.end()) {
    if (should_stop_ && should_stop_()) is_stopping_ = true;
    BERTH_RETURN_IF_ERROR(collect());
    std::vector<Message> messages;
    messages.swap(inbox_);
    for (const Message& message : messages) BERTH_RETURN_IF_ERROR(handle(message, on_update));
  }
  return {};
}

// Everything that has arrived is taken before anyone is called silent, and a long round counts for little: the server
// may have been away for longer than the deadline itself, writing a checkpoint, or stopped.
Status ParameterServer::collect() {
  for (double patience = kLook_s;; patience = 0.0) {
    BERTH_TRY(std::optional<Message> message, communicator_.receive(patience));
    if (!message) break;
    inbox_.push_back(*std::move(message));
  }
  const auto now = Clock::now();
  awake_s_ += std::min(std::chrono::duration<double>(now - looked_).count(), kMost_s);
  looked_ = now;
  const std::vector<int> silent = silent_ranks();
  if (silent.empty()) return {};
  return silence(silent, communicator_.deadline_s(), "gradients");
}

std::vector<int> ParameterServer::silent_ranks() const {
  std::vector<int> silent;
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    const auto at = static_cast<std::size_t>(rank);
    const double waited = awake_s_ - answered_[at];
    const bool has_written =
        std::any_of(inbox_.begin(), inbox_.end(), [&](const Message& message) { return message.from == rank; });
    if (is_active_[at] && !has_written && waited > communicator_.deadline_s()) silent.push_back(rank);
  }
  return silent;
}

Status ParameterServer::handle(const Message& message, const OnUpdate& on_update) {
  BERTH_TRY(Report report, report_from(message.bytes));
  const bool is_ready = report.kind == ReportKind::kReady;
  if (is_ready && report.count != state_.values.size()) {
    return bad_input("rank {} learns {} numbers and rank 0 {}; do all ranks have the same graph, machine and options?",
                     message.from, report.count, state_.values.size());
  }
  if (report.plan) state_.lessons.front().offer(*report.plan, report.score);
  if (report.kind == ReportKind::kLeaving) {
    is_stopping_ = true;
    is_active_[static_cast<std::size_t>(message.from)] = false;
    return {};
  }
  if (!is_ready && !is_stopping_) BERTH_RETURN_IF_ERROR(apply(message.from, report, on_update));
  return answer(message.from, is_ready);
}

Status ParameterServer::apply(int rank, Report& report, const OnUpdate& on_update) {
  UpdateFacts& facts = report.facts;
  if (report.gradients.size() != state_.values.size()) {
    return bad_input("rank {} sent {} gradients where {} were expected", rank, report.gradients.size(),
                     state_.values.size());
  }
  const auto start = Clock::now();
  facts.rate = rate_at(options_, state_.updates);
  facts.gradient_norm = adam_.step(state_.values, report.gradients, facts.rate, options_.clip);
  if (!std::isfinite(facts.gradient_norm)) {
    return bad_input("the gradients of update {} are not finite (try --option rate={})", state_.updates + 1,
                     facts.rate / 10);
  }
  facts.step_s = std::chrono::duration<double>(Clock::now() - start).count();
  facts.update = ++state_.updates;
  facts.evaluations = state_.evaluations += static_cast<std::uint64_t>(facts.plans);
  facts.best_s = best_time_of(state_.lessons);
  state_.lessons.front().baseline = facts.baseline;
  state_.lessons.front().deviation = report.deviation;
  BERTH_TRY(const bool goes_on, on_update(facts));
  if (!goes_on) is_stopping_ = true;
  return {};
}

Status ParameterServer::answer(int rank, bool is_first) {
  Orders orders;
  orders.stop = is_stopping_;
  if (!is_stopping_) {
    orders.updates = state_.updates;
    const LessonState& lesson = state_.lessons.front();
    if (is_first) orders.beginning = {stream_at(seed_, rank, state_.updates), lesson.baseline, lesson.deviation};
    if (lesson.best) orders.best = lesson.best->score;
    orders.values = state_.values;
  }
  is_active_[static_cast<std::size_t>(rank)] = !is_stopping_;
  answered_[static_cast<std::size_t>(rank)] = awake_s_;
  return communicator_.send(rank, to_bytes(orders));
}

}  // namespace berth::learn
