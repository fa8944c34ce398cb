// SPDX-License-Identifier: Apache-2.0
#include "support/reference_simulator.h"

#include <algorithm>
#include <tuple>

#include "support/reference_parts.h"

namespace berth {
namespace {

using reference::History;
using reference::Task;
using reference::Tasks;
using reference::Transfer;

void record_ops(const Tasks& tasks, const History& history, Timeline& timeline) {
  for (std::size_t i = 0; i < tasks.all.size(); ++i) {
    const Task& task = tasks.all[i];
    for (const OpId op : task.members) {
      timeline.op_end[index(op)] = history.end[i];
      timeline.op_ready[index(op)] = history.ready[i];
    }
    if (task.duration == 0) continue;
    timeline.ops.push_back({task.id, task.device, 0, history.start[i], history.end[i]});
    timeline.score.devices[index(task.device)].busy += task.duration;
  }
  std::sort(timeline.ops.begin(), timeline.ops.end(),
            [](const OpEvent& a, const OpEvent& b) { return std::tuple(a.start, a.op) < std::tuple(b.start, b.op); });
}

// Hops that cost nothing leave no event; uncontended links leave one, but have no queue to count in.
void record_transfers(const Problem& problem, const History& history, Timeline& timeline) {
  for (const Transfer& transfer : history.transfers) {
    const Bytes bytes = problem.graph().bytes(transfer.tensor);
    for (const Transfer::Hop& hop : transfer.hops) {
      if (hop.start == hop.end) continue;
      timeline.transfers.push_back(
          {transfer.tensor, transfer.from, transfer.to, hop.channel, hop.start, hop.end, bytes});
      const int queue = problem.machine().channels()[static_cast<std::size_t>(hop.channel)].queue;
      if (queue < 0) continue;
      QueueUse& use = timeline.score.queues[static_cast<std::size_t>(queue)];
      use.busy += hop.end - hop.start;
      use.bytes += bytes;
    }
  }
  std::sort(timeline.transfers.begin(), timeline.transfers.end(), [](const TransferEvent& a, const TransferEvent& b) {
    return std::tuple(a.start, a.tensor, a.to) < std::tuple(b.start, b.tensor, b.to);
  });
}

}  // namespace

Timeline reference_simulate(const Problem& problem, const Plan& plan) {
  const Tasks tasks = reference::make_tasks(problem, plan);
  const History history =
      problem.machine().overlap() ? reference::run_clock(problem, tasks) : reference::run_regions(problem, tasks);
  Timeline timeline;
  timeline.score.step_time = history.step_time;
  timeline.score.devices.resize(problem.machine().num_devices());
  timeline.score.queues.resize(problem.machine().queues().size());
  timeline.op_end.resize(problem.graph().num_ops());
  timeline.op_ready.resize(problem.graph().num_ops());
  record_ops(tasks, history, timeline);
  record_transfers(problem, history, timeline);
  reference::judge_memory(problem, tasks, history, timeline.score);
  return timeline;
}

}  // namespace berth
