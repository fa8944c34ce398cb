// SPDX-License-Identifier: Apache-2.0
#include "sim/batch/batch_simulator.h"

#include <algorithm>

#include "base/thread_pool.h"
#include "sim/batch/gpu_simulator.h"
#include "sim/simulator.h"

namespace berth {
namespace {

// Writes plan i of a batch into a plan whose memory is used again.
void read_plan(const PlanBatch& batch, std::size_t i, std::size_t ops, Plan& plan) {
  plan.device_of.resize(ops);
  const auto row = batch.base.empty() ? batch.devices.subspan(i * ops, ops) : batch.base;
  std::transform(row.begin(), row.end(), plan.device_of.begin(), [](std::uint8_t device) { return DeviceId{device}; });
  if (!batch.base.empty()) {
    for (std::uint32_t k = batch.first_move[i]; k < batch.first_move[i + 1]; ++k) {
      plan.device_of[batch.moves[k].op] = DeviceId(static_cast<std::uint16_t>(batch.moves[k].device));
    }
  }
  const bool is_shared = batch.priorities.size() == ops;
  const auto priorities =
      batch.priorities.empty() || is_shared ? batch.priorities : batch.priorities.subspan(i * ops, ops);
  plan.priority.assign(priorities.begin(), priorities.end());
}

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
  std::vector<std::uint32_t> left;  // plans that the GPU did not do
  BatchScores scores;
  BatchUse use;

  State(const Problem& of, int threads) : problem(of), pool(threads) {
    workers.resize(static_cast<std::size_t>(pool.size()));
    scores.num_places = problem.machine().num_devices() + problem.machine().pools().size();
  }

  void resize(std::size_t plans) {
    scores.step_time.resize(plans);
    scores.over.resize(plans);
    scores.peaks.resize(plans * scores.num_places);
  }

  void run_here(const PlanBatch& batch, std::size_t i, Worker& worker) {
    if (!worker.evaluator) worker.evaluator = make_simulated_evaluator(problem, 1);
    read_plan(batch, i, problem.graph().num_ops(), worker.plan);
    const Score& score = worker.evaluator->evaluate(worker.plan);
    scores.step_time[i] = score.step_time;
    scores.over[i] = score.overflow ? score.overflow->over : 0;
    Bytes* peaks = scores.peaks.data() + i * scores.num_places;
    for (const DeviceUse& device : score.devices) *peaks++ = device.peak;
    std::copy(score.pool_peaks.begin(), score.pool_peaks.end(), peaks);
  }

  // True if the GPU did the batch, but for the plans in `left`.
  bool run_there(const PlanBatch& batch) {
    if (!gpu) return false;
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
  auto state = std::make_unique<State>(problem, threads);
  if (on != SimulateOn::kCpu) {
    auto gpu = make_gpu_simulator(problem);
    if (gpu.ok()) {
      state->gpu = std::move(gpu).value();
      state->use.card = state->gpu->card();
    } else if (on == SimulateOn::kCuda) {
      return gpu.error();
    } else {
      state->use.note = gpu.error().message;
    }
  }
  return BatchSimulator(std::move(state));
}

BatchSimulator::BatchSimulator(std::unique_ptr<State> state) : state_(std::move(state)) {}
BatchSimulator::~BatchSimulator() = default;
BatchSimulator::BatchSimulator(BatchSimulator&&) noexcept = default;
BatchSimulator& BatchSimulator::operator=(BatchSimulator&&) noexcept = default;

const BatchScores& BatchSimulator::evaluate(const PlanBatch& plans) {
  State& state = *state_;
  state.resize(plans.size);
  const bool was_there = state.run_there(plans);
  const std::size_t rest = was_there ? state.left.size() : plans.size;
  state.pool.for_each(rest, [&](std::size_t i, int worker) {
    state.run_here(plans, was_there ? state.left[i] : i, state.workers[static_cast<std::size_t>(worker)]);
  });
  state.use.on_cpu += rest;
  return state.scores;
}

const BatchUse& BatchSimulator::use() const { return state_->use; }

std::optional<Error> check_batch(const Problem& problem, const PlanBatch& batch) {
  const std::size_t ops = problem.graph().num_ops();
  if (batch.base.empty() && batch.devices.size() != batch.size * ops) {
    return bad_input("{} plans of {} ops need {} devices, not {}", batch.size, ops, batch.size * ops,
                     batch.devices.size());
  }
  if (!batch.base.empty() && (batch.base.size() != ops || batch.first_move.size() != batch.size + 1 ||
                              !std::is_sorted(batch.first_move.begin(), batch.first_move.end()) ||
                              batch.first_move.back() > batch.moves.size())) {
    return bad_input("a batch of moves needs a base of {} ops and {} places where moves begin, in order", ops,
                     batch.size + 1);
  }
  if (!batch.priorities.empty() && batch.priorities.size() != ops && batch.priorities.size() != batch.size * ops) {
    return bad_input("priorities are one per op ({}) or one per op of every plan ({}), not {}", ops, batch.size * ops,
                     batch.priorities.size());
  }
  const auto stranger = std::find_if(batch.moves.begin(), batch.moves.end(), [&](const BatchMove& move) {
    return move.op >= ops || move.device >= problem.machine().num_devices();
  });
  if (stranger != batch.moves.end()) {
    return bad_input("move {} is of op {} to device {}: there are {} ops and {} devices",
                     stranger - batch.moves.begin(), stranger->op, stranger->device, ops,
                     problem.machine().num_devices());
  }
  Plan plan;
  for (std::size_t i = 0; i < batch.size; ++i) {
    read_plan(batch, i, ops, plan);
    if (auto error = verify(problem, plan)) return within("plan " + std::to_string(i), *error);
  }
  return std::nullopt;
}

}  // namespace berth
