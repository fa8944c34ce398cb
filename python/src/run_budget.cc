// SPDX-License-Identifier: Apache-2.0
#include "run_budget.h"

#include <algorithm>

#include "sim/batch/batch_check.h"

namespace berth::python {
namespace {

constexpr std::size_t kMostBytesOfRows = std::size_t{64} << 20;  // that are copied at once
constexpr const char* kSpent = "the budget of this run is used up";

template <typename T>
py::array_t<T> array_of_rows(const std::vector<T>& values, std::size_t columns) {
  py::array_t<T> array({values.size() / columns, columns});
  std::ranges::copy(values, array.mutable_data());
  return array;
}

// Copies plans of the table behind one another; ends with BadInput if some number is no device's. Without the GIL.
void copy_rows(const DeviceTable& table, const Problem& problem, std::size_t first, std::size_t count,
               std::vector<std::uint8_t>& rows) {
  const std::size_t ops = problem.graph().num_ops();
  rows.resize(count * ops);
  for (std::size_t i = 0; i < count; ++i) {
    if (table.copy(first + i, rows.data() + i * ops)) continue;
    const py::gil_scoped_acquire python;
    const auto [op, number] = table.stranger(first + i);
    throw BadInput(fmt::format("plan {}: op '{}' is on device {}; the machine has {}, from 0", first + i,
                               problem.graph().name(OpId(op)), number, problem.machine().num_devices()));
  }
}

}  // namespace

// Without the GIL.
void RunBudget::judge(const DeviceTable& table, const std::optional<BatchRunner::Priorities>& priorities,
                      BatchScores& scores) {
  const Problem& problem = search_->problem();
  const std::size_t ops = problem.graph().num_ops();
  const std::size_t at_once = std::max<std::size_t>(kMostBytesOfRows / std::max<std::size_t>(ops, 1), 1);
  std::vector<std::uint8_t> rows;
  for (std::size_t done = 0; done < table.rows();) {
    const std::size_t count = std::min(at_once, table.rows() - done);
    copy_rows(table, problem, done, count, rows);
    PlanBatch plans{.size = count, .devices = rows};
    if (priorities) {
      const bool for_all = priorities->ndim() == 1;
      plans.priorities = {priorities->data() + (for_all ? 0 : done * ops), for_all ? ops : count * ops};
    }
    if (const auto illegal = check_batch(problem, plans)) raise(*illegal);
    const BatchScores& part = search_->evaluate(plans);
    scores.num_places = part.num_places;
    scores.append(part);
    if (part.size() < count) throw BudgetSpent(kSpent);
    done += count;
  }
}

py::dict RunBudget::evaluate(const py::array& devices, const std::optional<DeviceTable::Columns>& group_of,
                             const std::optional<BatchRunner::Priorities>& priorities) {
  if (is_spent()) throw BudgetSpent(kSpent);
  const Problem& problem = search_->problem();
  const DeviceTable table(devices, group_of, problem.graph().num_ops(), problem.machine().num_devices());
  if (priorities) BatchRunner::check(*priorities, table.rows(), problem.graph().num_ops());
  BatchScores scores;
  scores.num_places = problem.machine().num_devices() + problem.machine().pools().size();
  {
    const py::gil_scoped_release others_may_run;
    const std::lock_guard lock(busy_);
    if (search_ == nullptr) throw BudgetSpent(kSpent);
    judge(table, priorities, scores);
  }
  py::dict answer;
  answer["picoseconds"] = array_of<Picoseconds>(scores.size(), [&](std::size_t i) { return scores.step_time[i]; });
  answer["over"] = array_of<Bytes>(scores.size(), [&](std::size_t i) { return scores.over[i]; });
  answer["peaks"] = array_of_rows(scores.peaks, scores.num_places);
  return answer;
}

void RunBudget::count(std::uint64_t evaluations) {
  if (search_ != nullptr) search_->count_evaluations(evaluations);
}

std::optional<std::uint64_t> RunBudget::evaluations_left() const {
  if (search_ == nullptr) return 0;
  const std::uint64_t all = search_->budget().evaluations;
  if (all == 0) return std::nullopt;
  return search_->evaluations() < all ? all - search_->evaluations() : 0;
}

std::optional<double> RunBudget::seconds_left() const {
  if (search_ == nullptr) return 0.0;
  if (search_->budget().evaluations > 0) return std::nullopt;
  return std::max(search_->seconds_left(), 0.0);
}

void RunBudget::end() {
  const py::gil_scoped_release others_may_run;  // who holds the lock may wait for it
  const std::lock_guard lock(busy_);
  search_ = nullptr;
}

}  // namespace berth::python
