// SPDX-License-Identifier: Apache-2.0
// The moments of a base's run on the card, and the seats of plans that begin there.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "sim/batch/base_run.h"
#include "sim/batch/cuda/card_memory.h"

namespace berth::batch {

struct BaseOnCard {
  Snapshots snapshots;  // on the card, as these all
  BaseTimes times;

  // False if the card has no room for it: then plans begin at the beginning.
  bool hold(const BaseRun& run) {
    if (id == run.id()) return true;
    Outcome outcome;
    snapshots = run.snapshots();
    tables.begin();
    run.visit(snapshots, times, [&](auto& pointer, const auto& table) { tables.upload(pointer, table, outcome); });
    id = run.id();
    return outcome.ok() || !drop();
  }
  // False if there is none.
  bool drop() {
    tables.clear();
    return std::exchange(id, 0) != 0;
  }

  // From the moment of every plan: their order, those that run longest first, so that neighbours begin together, and
  // the moment of every seat. Returns how many runs are saved in all.
  double seat(const BaseRun& run, std::size_t plans, std::uint32_t* moment, std::uint32_t* plan_at, Outcome& outcome) {
    moment_of.resize(plans);
    if (!outcome.check(cudaMemcpy(moment_of.data(), moment, plans * 4, cudaMemcpyDeviceToHost), "comparing plans")) {
      return 0;
    }
    first_seat.assign(snapshots.count + 1, 0);
    for (const std::uint32_t of_plan : moment_of) ++first_seat[of_plan + 1];
    std::partial_sum(first_seat.begin(), first_seat.end(), first_seat.begin());
    plan_of.resize(plans);
    moment_at.resize(plans);
    double saved = 0;
    for (std::uint32_t plan = 0; plan < plans; ++plan) {
      const std::uint32_t seat = first_seat[moment_of[plan]]++;
      plan_of[seat] = plan;
      moment_at[seat] = moment_of[plan];
      saved += run.share_of(moment_of[plan]);
    }
    outcome.check(cudaMemcpy(plan_at, plan_of.data(), plans * 4, cudaMemcpyHostToDevice), "ordering plans");
    outcome.check(cudaMemcpy(moment, moment_at.data(), plans * 4, cudaMemcpyHostToDevice), "ordering plans");
    return saved;
  }

 private:
  CardTables tables;
  std::uint64_t id = 0;  // of the run that is there
  std::vector<std::uint32_t> moment_of, first_seat, plan_of, moment_at;
};

}  // namespace berth::batch
