// SPDX-License-Identifier: Apache-2.0
// Measured plans as planners see them: a Score whose step time, peaks and busy times were measured. A failed sample is
// a plan that does not fit. Every plan is measured once; later questions get the same answer.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "measure/session.h"
#include "sim/evaluator.h"

namespace berth {

// What a sample says in the terms of a simulation. Feasible iff the measured peaks are within the capacities.
Score score_of_sample(const Problem& problem, const Plan& plan, const Result<Sample>& sample);

// The scores of a session by plan, shared by all evaluators of a search.
class MeasuredScores {
 public:
  // Told of every plan that was run, in order, and of its score.
  using Listener = std::function<void(const Result<Sample>&, const Score&)>;
  explicit MeasuredScores(std::shared_ptr<MeasureSession> session, Listener listener = {})
      : session_(std::move(session)), listener_(std::move(listener)) {}
  Score score(const Plan& plan);
  // Of a further run, made once per plan, from which the plan was not chosen. As before if that run fails.
  Score confirmed(const Plan& plan);
  // Why a plan that was scored could not be run; nothing if it could.
  [[nodiscard]] std::optional<std::string> failure(const Plan& plan);
  [[nodiscard]] MeasureSession& session() { return *session_; }

 private:
  struct PlanLess {
    bool operator()(const Plan& a, const Plan& b) const;
  };
  std::shared_ptr<MeasureSession> session_;
  Listener listener_;
  std::mutex mutex_;
  struct Entry {
    Score score;
    std::optional<std::string> failure;
    bool is_confirmed = false;
  };
  Entry run(const Plan& plan);
  std::map<Plan, Entry, PlanLess> scores_;
};

std::unique_ptr<Evaluator> make_measured_evaluator(std::shared_ptr<MeasuredScores> scores);

// The best plans that simulations of a search have seen: what is worth measuring afterwards.
class Shortlist {
 public:
  explicit Shortlist(std::size_t most) : most_(most) {}
  void offer(const Plan& plan, const Score& score);
  // Whether a plan with such a score could come onto the list.
  [[nodiscard]] bool wants(Bytes over, Picoseconds step_time) const;
  [[nodiscard]] std::vector<Plan> plans() const;  // best first

 private:
  struct Entry {
    Plan plan;
    Score score;
  };
  std::size_t most_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;  // best first
};

// Simulates, and the best plans go onto the list.
std::unique_ptr<Evaluator> make_screening_evaluator(std::unique_ptr<Evaluator> simulated,
                                                    std::shared_ptr<Shortlist> shortlist);

}  // namespace berth
