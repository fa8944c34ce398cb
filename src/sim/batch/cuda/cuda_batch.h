// SPDX-License-Identifier: Apache-2.0
// The batch simulator on an NVIDIA GPU: a thread per plan runs the loop of sim/batch/loop/event_loop.h. Times and peaks
// are those of the processor, to the last bit; a plan that outgrew its memory there has the time kNever. In plain
// types: nvcc reads none of our other headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/batch/base_run.h"
#include "sim/batch/loop/compact_view.h"
#include "sim/batch/loop/workspace.h"
#include "sim/batch/ranking.h"

namespace berth::batch {

// How threads are laid out; 0: chosen by the size of the batch.
struct CudaLayout {
  std::uint32_t tile = 0;  // plans that lie interleaved: 1, 8 or 32
  std::uint32_t plans_per_warp = 0;
  std::uint32_t warps_per_block = 2;
};

struct CudaTimes {                // milliseconds of the last batch
  double upload = 0, rank = 0;    // to the card; priorities of every plan into ranks
  double prepare = 0, total = 0;  // where plans begin; all
  double saved = 0;               // share of full runs that was not run, since plans began at moments of a base
};

struct CudaMove {
  std::uint32_t op, device;
};
struct CudaPlans {  // as PlanBatch (sim/batch/plan_batch.h)
  std::size_t size = 0;
  const std::uint8_t* devices = nullptr;
  const std::uint8_t* base = nullptr;
  const std::uint32_t* first_move = nullptr;
  const CudaMove* moves = nullptr;
  const double* priorities = nullptr;    // of every plan, in place of those that all share
  bool is_on_card = false;               // `devices` and `priorities` are memory of the card
  const BaseRun* run_of_base = nullptr;  // if plans shall begin at its moments
};

class CudaBatch {
 public:
  // None where there is no card, or one that cannot be used; `why` says what is wrong. So many threads help with
  // uploads.
  static std::unique_ptr<CudaBatch> make(const CompactView& problem, const CompactTables& tables, int threads,
                                         std::string& why);
  ~CudaBatch();

  // Step times [plan] and peaks [plan * (devices + pools) + place], with priorities that all plans share unless they
  // have their own. False if the card failed; `why` says how.
  bool run(const CudaPlans& plans, const Ranking& ranking, Time* times, std::int64_t* peaks, std::string& why);

  void set_layout(const CudaLayout& layout);
  void set_capacities(const Capacities& capacities);
  [[nodiscard]] const Capacities& capacities() const;
  [[nodiscard]] const CudaTimes& last_times() const;
  [[nodiscard]] std::size_t bytes_per_plan() const;
  [[nodiscard]] const std::string& card() const;

 private:
  struct State;
  explicit CudaBatch(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace berth::batch
