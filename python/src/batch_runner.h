// SPDX-License-Identifier: Apache-2.0
// Batches of plans from Python: copied, verified and simulated in parts, without the GIL. Between two parts it looks
// whether somebody pressed Ctrl-C.
#pragma once

#include <pybind11/numpy.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "device_table.h"
#include "dlpack.h"
#include "sim/batch/batch_check.h"
#include "sim/batch/batch_simulator.h"

namespace berth::python {

class BatchRunner {
 public:
  using Priorities = py::array_t<double, py::array::c_style | py::array::forcecast>;
  using Numbers = py::array_t<std::uint32_t, py::array::c_style>;
  struct Where {
    int threads;  // 0: one per core
    SimulateOn on;
    bool operator==(const Where&) const = default;
  };

  // Ends with BadInput unless there is one for every op, of all plans or of each.
  static void check(const Priorities& priorities, std::size_t plans, std::size_t ops);

  // Who judges plans that are legal, in place of a simulator of its own. What it gives is valid until the next call.
  using Judge = std::function<const BatchScores&(const PlanBatch&)>;

  explicit BatchRunner(const Problem& problem, Judge judge = {});  // the problem must outlive it
  ~BatchRunner();

  [[nodiscard]] bool has_judge() const { return judge_ != nullptr; }

  // Step times [plan] in picoseconds, bytes that lack [plan], peaks [plan, device or pool], and what ran where. One
  // batch at a time: others wait. With the GIL, which is free while it works.
  py::dict run(const DeviceTable& devices, const std::optional<Priorities>& priorities, const Where& where);
  // The same of plans that are a base [op] with a few moves each: those of a plan begin at its place in `first_move`,
  // which has one more for the end, and are (op, device).
  struct Moved {
    const DeviceTable& base;
    const Numbers &first_move, &op, &device;
  };
  py::dict run(const Moved& plans, const std::optional<Priorities>& priorities, const Where& where);
  // The same of plans that are on a GPU, simulated there without coming here; so are priorities of their own, and those
  // for all are here.
  py::dict run(const CardTable& devices, const CardTable* own_priorities, const std::optional<Priorities>& priorities,
               int threads);

 private:
  struct Workers;
  struct Scores;
  template <typename Part>
  py::dict run_parts(std::size_t plans, const Where& where, bool all_at_once, const Part& part);
  void prepare(const Where& where);
  void run_part(const DeviceTable& devices, const std::optional<Priorities>& priorities, std::size_t first,
                std::size_t count, Scores& scores);

  const BatchScores& judged(const PlanBatch& plans);

  const Problem& problem_;
  Judge judge_;
  BatchChecker checker_;
  std::timed_mutex busy_;
  std::unique_ptr<Workers> workers_;  // kept for the next batch, unless that wants others
};

}  // namespace berth::python
