// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/batch_simulator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/thread_pool.h"
#include "sim/batch/batch_check.h"
#include "sim/batch/gpu_simulator.h"
#include "sim/evaluator.h"

namespace berth {
namespace {

// On a card a batch takes as long as its longest plan, and a plan takes far longer than on a processor: fewer than
// these are done sooner here.
constexpr std::size_t kWorthACard = 1024;

}  // namespace

struct BatchSimulator::State {
  const Problem& problem;
  ThreadPool pool;
  struct Worker {
    std::unique_ptr<Evaluator> evaluator;
    Plan plan;
  };
  std::vector<Worker> workers;
  std::unique_ptr<GpuSimulator> gpu;
  std::size_t least_there = 0;      // plans that are worth the way to the GPU
  std::vector<std::uint32_t> left;  // plans that the GPU did not do
  BatchScores scores;
  BatchUse use;

  State(const Problem& of, int threads) : problem(of), pool(threads) {
    workers.resize(static_cast<std::size_t>(pool.size()));
    scores.num_places = problem.machine().num_devices() + problem.machine().pools().size();
  }

  void run_here(const PlanBatch& batch, std::size_t i, Worker& worker) {
    batch.read(i, worker.plan);
    run_plan(worker.plan, i, worker);
  }
  void run_plan(const Plan& plan, std::size_t i, Worker& worker) {
    if (!worker.evaluator) worker.evaluator = make_single_evaluator(problem);
    scores.set(i, worker.evaluator->evaluate(plan));
  }

  // True if the GPU did the batch, but for the plans in `left`.
  bool run_there(const PlanBatch& batch) {
    if (!gpu) return false;
    if (batch.size < least_there) {
      use.too_few += batch.size;
      return false;
    }
    if (const auto why = gpu->refusal(batch)) {
      use.refused += batch.size;
      use.note = *why;
      return false;
    }
    left.clear();
    if (const auto error = gpu->run(batch, scores, left)) {
      use.note = error->message + "; the processor goes on";
      use.card.clear();
      gpu.reset();
      return false;
    }
    use.on_gpu += batch.size - left.size();
    use.outgrown += left.size();
    return true;
  }
};

Result<BatchSimulator> BatchSimulator::make(const Problem& problem, int threads, SimulateOn on) {
  if (on != SimulateOn::kCpu) {
    auto gpu = make_gpu_simulator(problem, threads);
    if (gpu.ok())
      return BatchSimulator(problem, threads, std::move(gpu).value(), on == SimulateOn::kAuto ? kWorthACard : 0);
    if (on == SimulateOn::kCuda) return gpu.error();
    BatchSimulator without(std::make_unique<State>(problem, threads));
    without.state_->use.note = gpu.error().message;
    return without;
  }
  return BatchSimulator(std::make_unique<State>(problem, threads));
}

BatchSimulator::BatchSimulator(const Problem& problem, int threads, std::unique_ptr<GpuSimulator> gpu,
                               std::size_t least_there)
    : BatchSimulator(std::make_unique<State>(problem, threads)) {
  state_->use.card = gpu->card();
  state_->gpu = std::move(gpu);
  state_->least_there = least_there;
}

BatchSimulator::BatchSimulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
BatchSimulator::~BatchSimulator() = default;
BatchSimulator::BatchSimulator(BatchSimulator&&) noexcept = default;
BatchSimulator& BatchSimulator::operator=(BatchSimulator&&) noexcept = default;

const BatchScores& BatchSimulator::evaluate(const PlanBatch& plans) {
  State& state = *state_;
  state.scores.resize(plans.size);
  const bool was_there = state.run_there(plans);
  const std::size_t rest = was_there ? state.left.size() : plans.size;
  state.pool.for_each(rest, [&](std::size_t i, int worker) {
    state.run_here(plans, was_there ? state.left[i] : i, state.workers[static_cast<std::size_t>(worker)]);
  });
  state.use.on_cpu += rest;
  return state.scores;
}

Result<const BatchScores*> BatchSimulator::evaluate_on_card(const PlanBatch& plans, std::size_t first_number) {
  State& state = *state_;
  if (!state.gpu) return bad_input("the plans are on a GPU, but none is used here any more: {}", state.use.note);
  const BatchChecker checker(state.problem);
  if (checker.has_limits()) {
    return bad_input("limits of devices and crossings are looked at on the processor: bring the plans there");
  }
  if (const auto why = state.gpu->refusal(plans)) return bad_input("{}: bring the plans to the processor", *why);
  BERTH_TRY(const std::size_t illegal, state.gpu->first_illegal(plans));
  if (illegal < plans.size) {
    BERTH_TRY(const Plan plan, state.gpu->bring(plans, illegal));
    GatheredPlans alone;
    alone.add(plan);
    const auto why = checker.check(alone.batch(), state.pool, first_number + illegal);
    return why ? *why : bad_input("plan {} was changed while it was looked at", first_number + illegal);
  }
  state.scores.resize(plans.size);
  state.left.clear();
  if (auto lost = state.gpu->run(plans, state.scores, state.left)) return *lost;
  std::vector<Plan> left;
  for (const std::uint32_t i : state.left) {
    BERTH_TRY(left.emplace_back(), state.gpu->bring(plans, i));
  }
  state.pool.for_each(left.size(), [&](std::size_t i, int worker) {
    state.run_plan(left[i], state.left[i], state.workers[static_cast<std::size_t>(worker)]);
  });
  state.use.on_gpu += plans.size - left.size();
  state.use.on_cpu += left.size();
  state.use.outgrown += left.size();
  return &state.scores;
}

const BatchUse& BatchSimulator::use() const { return state_->use; }

Result<SimulateOn> find_simulate_on(const std::string& name) {
  constexpr std::array kPlaces{std::pair("cpu", SimulateOn::kCpu), std::pair("cuda", SimulateOn::kCuda),
                               std::pair("auto", SimulateOn::kAuto)};
  for (const auto& [word, place] : kPlaces) {
    if (name == word) return place;
  }
  return bad_input("plans are simulated on cpu, cuda or auto, not on '{}'", name);
}

std::optional<Error> check_simulate_on(const Problem& problem, SimulateOn on) {
  if (on != SimulateOn::kCuda) return std::nullopt;
  const auto gpu = make_gpu_simulator(problem, 1);
  return gpu.ok() ? std::nullopt : std::optional(gpu.error());
}

}  // namespace berth
