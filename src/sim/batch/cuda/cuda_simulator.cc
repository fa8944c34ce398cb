// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/cuda/cuda_simulator.h"

#include <algorithm>
#include <limits>

#include "sim/batch/batch_check.h"
#include "sim/batch/compact.h"
#include "sim/batch/cuda/card_check.h"
#include "sim/batch/cuda/cuda_batch.h"
#include "sim/batch/near_base.h"

namespace berth {
namespace {

class CudaSimulator final : public GpuSimulator {
 public:
  CudaSimulator(const Problem& problem, batch::CompactProblem compact, std::unique_ptr<batch::CudaBatch> card,
                const CudaOptions& options)
      : problem_(problem), options_(options), compact_(std::move(compact)), card_(std::move(card)) {
    for (const DeviceId id : problem.machine().device_ids()) {
      const bool has_pool = problem.machine().pool_of(id) >= 0;  // then the pool is judged
      capacities_.push_back(has_pool ? std::numeric_limits<Bytes>::max() : problem.capacity(id));
    }
    for (int pool = 0; pool < static_cast<int>(problem.machine().pools().size()); ++pool) {
      capacities_.push_back(problem.pool_capacity(pool));
    }
  }

  [[nodiscard]] std::optional<std::string> refusal(const PlanBatch& plans) const override {
    const std::size_t ops = compact_.view().num_ops;
    if (plans.priorities.empty() || ops <= batch::kMostRanked) return std::nullopt;
    return fmt::format("the GPU ranks up to {} ops by priority, and this graph has {}", batch::kMostRanked, ops);
  }

  std::optional<Error> run(const PlanBatch& plans, BatchScores& scores, std::vector<std::uint32_t>& left) override {
    if (!plans.has_own_priorities()) ranking_.set(compact_.view(), plans.priorities);
    times_.resize(plans.size);
    batch::CudaPlans there = in_plain_types(plans);
    if (is_near_base(plans)) there.run_of_base = &*run_of_base_;
    std::string why;
    if (!card_->run(there, ranking_, times_.data(), scores.peaks.data(), why)) {
      return bad_input("{}", why);
    }
    for (std::size_t i = 0; i < plans.size; ++i) judge(i, scores, left);
    if (left.size() * 200 > plans.size) grow();
    return std::nullopt;
  }
  [[nodiscard]] const std::string& card() const override { return card_->card(); }

  Result<std::size_t> first_illegal(const PlanBatch& plans) override {
    BERTH_TRY(batch::CardCheck* const check, card_check());
    std::size_t plan = 0;
    std::string why;
    if (!check->first_illegal(in_plain_types(plans), plan, why)) return bad_input("{}", why);
    return plan;
  }

  Result<Plan> bring(const PlanBatch& plans, std::size_t i) override {
    BERTH_TRY(const batch::CardCheck* const check, card_check());
    std::vector<std::uint8_t> devices;
    Plan plan;
    std::string why;
    if (!check->bring(in_plain_types(plans), i, devices, plan.priority, why)) return bad_input("{}", why);
    for (const std::uint8_t device : devices) plan.device_of.push_back(DeviceId{device});
    if (plan.priority.empty()) plan.priority.assign(plans.priorities.begin(), plans.priorities.end());
    return plan;
  }

 private:
  static batch::CudaPlans in_plain_types(const PlanBatch& plans) {
    static_assert(sizeof(BatchMove) == sizeof(batch::CudaMove));
    batch::CudaPlans there{.size = plans.size, .is_on_card = plans.is_on_card};
    if (plans.base.empty()) {
      there.devices = plans.devices.data();
    } else {
      there.base = plans.base.data();
      there.first_move = plans.first_move.data();
      there.moves = reinterpret_cast<const batch::CudaMove*>(plans.moves.data());
    }
    if (plans.has_own_priorities()) there.priorities = plans.priorities.data();
    return there;
  }

  // True if the plans gain by beginning at moments of their base's run, which is there then. The base may be one that
  // only its moves make legal: then it has no run.
  bool is_near_base(const PlanBatch& plans) {
    if (plans.base.empty() || plans.has_own_priorities()) return false;
    if (plans.size * compact_.view().num_ops < options_.least_near_ops) return false;
    if (!run_of_base_) run_of_base_.emplace(compact_, card_->capacities());
    if (!run_of_base_->is_of(plans.base, ranking_)) {
      if (check_batch(problem_, {.size = 1, .devices = plans.base})) return false;
      run_of_base_->set_capacities(card_->capacities());
      if (!run_of_base_->record(plans.base, ranking_)) return false;
    }
    return batch::share_saved(compact_.view(), *run_of_base_, plans) >= options_.least_saved;
  }

  // Made when somebody first has plans there.
  Result<batch::CardCheck*> card_check() {
    if (check_) return check_.get();
    const BatchChecker checker(problem_);
    std::vector<batch::CardBound> bound;
    for (const auto& [op, allowed] : checker.bound()) bound.push_back({allowed, op});
    std::vector<batch::CardPair> together;
    for (const auto& [first, other] : checker.together()) together.push_back({first, other});
    std::string why;
    check_ = batch::CardCheck::make(bound, together, compact_.view().num_ops, compact_.view().num_devices, why);
    if (!check_) return bad_input("{}", why);
    return check_.get();
  }

  void judge(std::size_t i, BatchScores& scores, std::vector<std::uint32_t>& left) {
    if (times_[i] == batch::kNever) return left.push_back(static_cast<std::uint32_t>(i));
    scores.step_time[i] = static_cast<Picoseconds>(times_[i]);
    Bytes over = 0;
    for (std::size_t place = 0; place < scores.num_places; ++place) {
      over = std::max(over, scores.peaks[i * scores.num_places + place] - capacities_[place]);
    }
    scores.over[i] = over;
  }

  // More than one plan in two hundred outgrew its memory: the next batch has twice the room.
  void grow() {
    batch::Capacities room = card_->capacities();
    constexpr std::uint32_t kMost = 1U << 15;  // places in rings are 16-bit numbers
    room.ready = std::min(room.ready * 2, kMost);
    room.queued = std::min(room.queued * 2, kMost);
    room.timeless *= 2;
    room.delayed *= 2;
    card_->set_capacities(room);
  }

  const Problem& problem_;
  const CudaOptions options_;
  batch::CompactProblem compact_;
  std::unique_ptr<batch::CardCheck> check_;
  std::unique_ptr<batch::CudaBatch> card_;
  std::vector<Bytes> capacities_;  // of devices, then pools
  batch::Ranking ranking_;
  std::optional<batch::BaseRun> run_of_base_;
  std::vector<batch::Time> times_;
};

}  // namespace

Result<std::unique_ptr<GpuSimulator>> make_cuda_simulator(const Problem& problem, const CudaOptions& options) {
  if (problem.objective() != Objective::kStep) return bad_input("a pipeline's pace is computed on the processor");
  auto compact = batch::CompactProblem::make(problem);
  if (!compact.ok()) return compact.error();
  std::string why;
  auto card = batch::CudaBatch::make(compact->view(), compact->tables(), options.threads, why);
  if (!card) return bad_input("{}", why);
  return std::unique_ptr<GpuSimulator>(
      new CudaSimulator(problem, std::move(compact).value(), std::move(card), options));
}

}  // namespace berth
