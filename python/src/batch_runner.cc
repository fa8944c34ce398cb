// SPDX-License-Identifier: Apache-2.0
#include "batch_runner.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "bindings.h"

namespace berth::python {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr int kMostThreads = 1024;
constexpr std::size_t kMostBytesAtOnce = std::size_t{64} << 20;
// A card wants many plans at once, and is done with them soon.
constexpr std::size_t kMostBytesForACard = std::size_t{1} << 30;

// Without the GIL.
void stop_if_asked_to() {
  const py::gil_scoped_acquire python;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

int threads_for(int wanted) {
  if (wanted < 0 || wanted > kMostThreads) {
    throw BadInput(
        fmt::format("threads: {} is not a number of threads; 0 is one per core, {} the most", wanted, kMostThreads));
  }
  return wanted > 0 ? wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

struct BatchRunner::Workers {
  Where where;
  ThreadPool pool;  // copies and verifies
  BatchSimulator simulator;
  std::size_t at_once;
  std::vector<std::uint8_t> devices;
  std::vector<double> priorities;

  Workers(const Problem& problem, const Where& asked)
      : where(asked),
        pool(threads_for(asked.threads)),
        simulator(unwrap(BatchSimulator::make(problem, pool.size(), asked.on))),
        at_once(least(problem.graph().num_ops(), 4)) {}

  // Of plans with so many ops each thread does a few in that many hundredths of a second.
  [[nodiscard]] std::size_t least(std::size_t ops, std::size_t hundredths) const {
    constexpr std::size_t kOpsInAHundredth = 200'000;
    const std::size_t each = std::max<std::size_t>(kOpsInAHundredth * hundredths / std::max<std::size_t>(ops, 1), 1);
    return each * static_cast<std::size_t>(pool.size());
  }

  // How many of the plans that are left: as many as take about a twentieth of a second, or what a card likes.
  [[nodiscard]] std::size_t part_of(std::size_t left, std::size_t ops) const {
    const bool for_a_card = !simulator.use().card.empty() && left > at_once;
    const std::size_t most = (for_a_card ? kMostBytesForACard : kMostBytesAtOnce) / std::max<std::size_t>(ops, 1);
    return std::min({left, std::max<std::size_t>(most, 1), for_a_card ? left : at_once});
  }
  void learn(std::size_t count, std::size_t ops, Clock::duration took) {
    if (count < at_once) return;
    if (took < 25ms) at_once *= 2;
    if (took > 100ms) at_once = std::max(at_once / 2, least(ops, 1));  // a busy computer makes small parts no faster
  }
};

struct BatchRunner::Scores {
  py::array_t<Picoseconds> step_time;
  py::array_t<Bytes> over, peaks;
  Picoseconds* to_times;
  Bytes *to_over, *to_peaks;

  Scores(std::size_t plans, std::size_t places)
      : step_time(static_cast<py::ssize_t>(plans)),
        over(static_cast<py::ssize_t>(plans)),
        peaks({plans, places}),
        to_times(step_time.mutable_data()),
        to_over(over.mutable_data()),
        to_peaks(peaks.mutable_data()) {}

  [[nodiscard]] py::dict with(const BatchUse& before, const BatchUse& after) const {
    py::dict answer;
    answer["picoseconds"] = step_time;
    answer["over"] = over;
    answer["peaks"] = peaks;
    answer["on_cpu"] = after.on_cpu - before.on_cpu;
    answer["on_gpu"] = after.on_gpu - before.on_gpu;
    answer["outgrown"] = after.outgrown - before.outgrown;
    answer["card"] = after.card;
    answer["lost"] = before.card.empty() || !after.card.empty() ? "" : after.note;
    return answer;
  }

  void add(const BatchScores& part) {
    to_times = std::ranges::copy(part.step_time, to_times).out;
    to_over = std::ranges::copy(part.over, to_over).out;
    to_peaks = std::ranges::copy(part.peaks, to_peaks).out;
  }
};

void BatchRunner::check(const Priorities& priorities, std::size_t plans, std::size_t ops) {
  const bool for_all = priorities.ndim() == 1 && static_cast<std::size_t>(priorities.shape(0)) == ops;
  const bool for_each = priorities.ndim() == 2 && static_cast<std::size_t>(priorities.shape(0)) == plans &&
                        static_cast<std::size_t>(priorities.shape(1)) == ops;
  if (!for_all && !for_each) {
    throw BadInput(
        fmt::format("priorities are [ops] for all plans or [plans, ops], here [{}] or [{}, {}]", ops, plans, ops));
  }
}

BatchRunner::BatchRunner(const Problem& problem, Judge judge)
    : problem_(problem), judge_(std::move(judge)), checker_(problem) {}
BatchRunner::~BatchRunner() = default;

void BatchRunner::prepare(const Where& asked) {
  const Where where{asked.threads, judge_ ? SimulateOn::kCpu : asked.on};
  if (!workers_ || workers_->where != where) workers_ = std::make_unique<Workers>(problem_, where);
}

const BatchScores& BatchRunner::judged(const PlanBatch& plans) {
  return judge_ ? judge_(plans) : workers_->simulator.evaluate(plans);
}

// `part` does so many plans from the first on, without the GIL, and adds their scores.
template <typename Part>
py::dict BatchRunner::run_parts(std::size_t plans, const Where& where, bool all_at_once, const Part& part) {
  const std::size_t ops = problem_.graph().num_ops();
  Scores scores(plans, problem_.machine().num_devices() + problem_.machine().pools().size());
  BatchUse before, after;
  {
    const py::gil_scoped_release others_may_run;
    std::unique_lock lock(busy_, std::defer_lock);
    while (!lock.try_lock_for(50ms)) stop_if_asked_to();
    prepare(where);
    before = workers_->simulator.use();
    for (std::size_t done = 0; done < plans;) {
      const std::size_t count = all_at_once ? plans : workers_->part_of(plans - done, ops);
      const auto start = Clock::now();
      part(done, count, scores);
      workers_->learn(count, ops, Clock::now() - start);
      done += count;
      if (done < plans) stop_if_asked_to();
    }
    after = workers_->simulator.use();
    if (judge_) after.on_cpu += plans;
  }
  return scores.with(before, after);
}

py::dict BatchRunner::run(const DeviceTable& devices, const std::optional<Priorities>& priorities, const Where& where) {
  if (priorities) check(*priorities, devices.rows(), problem_.graph().num_ops());
  return run_parts(devices.rows(), where, false, [&](std::size_t first, std::size_t count, Scores& scores) {
    run_part(devices, priorities, first, count, scores);
  });
}

py::dict BatchRunner::run(const Moved& given, const std::optional<Priorities>& priorities, const Where& where) {
  const std::size_t ops = problem_.graph().num_ops(), plans = static_cast<std::size_t>(given.first_move.size()) - 1;
  if (priorities) check(*priorities, plans, ops);
  std::vector<std::uint8_t> base(ops);
  given.base.copy(0, base.data());
  const std::vector<std::uint32_t> first_move(given.first_move.data(), given.first_move.data() + plans + 1);
  std::vector<BatchMove> moves;
  for (py::ssize_t i = 0; i < given.op.size(); ++i) moves.push_back({given.op.data()[i], given.device.data()[i]});
  std::vector<double> order;
  if (priorities) order.assign(priorities->data(), priorities->data() + priorities->size());
  const PlanBatch all{.size = plans, .base = base, .first_move = first_move, .moves = moves, .priorities = order};
  return run_parts(plans, where, false, [&](std::size_t first, std::size_t count, Scores& scores) {
    const PlanBatch part = all.part(first, count);
    if (const auto illegal = checker_.check(part, workers_->pool, first)) raise(*illegal);
    scores.add(judged(part));
  });
}

py::dict BatchRunner::run(const CardTable& devices, const CardTable* own_priorities,
                          const std::optional<Priorities>& priorities, int threads) {
  const std::size_t ops = problem_.graph().num_ops();
  if (judge_) throw BadInput("devices: they are on a GPU, where nobody counts them; give devices.cpu()");
  if (priorities) check(*priorities, 0, ops);
  if (own_priorities != nullptr && (own_priorities->rows() != devices.rows() || devices.rows() < 2)) {
    throw BadInput(
        fmt::format("priorities are [ops] for all plans, or [plans, ops] of two plans and more, here [{}, {}]",
                    devices.rows(), ops));
  }
  PlanBatch plans{.size = devices.rows(), .devices = devices.numbers<std::uint8_t>(), .is_on_card = true};
  if (own_priorities != nullptr) plans.priorities = own_priorities->numbers<double>();
  std::vector<double> for_all;
  if (priorities) for_all.assign(priorities->data(), priorities->data() + ops);
  if (priorities) plans.priorities = for_all;
  const auto endless = std::ranges::find_if_not(for_all, [](double priority) { return std::isfinite(priority); });
  if (endless != for_all.end()) {
    throw BadInput(fmt::format("op '{}' has a priority that is not finite",
                               problem_.graph().name(OpId(static_cast<std::uint32_t>(endless - for_all.begin())))));
  }
  const Where there{threads, SimulateOn::kCuda};
  return run_parts(plans.size, there, true, [&](std::size_t, std::size_t, Scores& scores) {
    scores.add(*unwrap(workers_->simulator.evaluate_on_card(plans)));
  });
}

void BatchRunner::run_part(const DeviceTable& devices, const std::optional<Priorities>& priorities, std::size_t first,
                           std::size_t count, Scores& scores) {
  Workers& with = *workers_;
  const std::size_t ops = problem_.graph().num_ops();
  with.devices.resize(count * ops);
  std::atomic<std::size_t> strange = count;  // the first plan with a number that is no device's
  with.pool.for_each(count, [&](std::size_t i, int) {
    if (devices.copy(first + i, with.devices.data() + i * ops)) return;
    std::size_t seen = strange.load();
    while (i < seen && !strange.compare_exchange_weak(seen, i)) {
    }
  });
  PlanBatch plans{.size = count, .devices = with.devices};
  if (priorities) {
    const bool for_all = priorities->ndim() == 1;
    const double* from = priorities->data() + (for_all ? 0 : first * ops);
    with.priorities.assign(from, from + (for_all ? 1 : count) * ops);
    plans.priorities = with.priorities;
  }
  if (const auto illegal = checker_.check(plans.part(0, strange), with.pool, first)) raise(*illegal);
  if (strange < count) {
    const py::gil_scoped_acquire python;
    throw BadInput(fmt::format("plan {}: {}", first + strange, devices.stranger(first + strange, problem_)));
  }
  scores.add(judged(plans));
}

}  // namespace berth::python
