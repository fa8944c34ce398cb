// SPDX-License-Identifier: Apache-2.0
#include "report/trace/trace.h"

#include <algorithm>
#include <map>
#include <optional>

#include "sim/memory_timeline.h"

namespace berth {
namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

class TraceMaker {
 public:
  TraceMaker(const Problem& problem, const Plan& plan, const Timeline& timeline)
      : problem_(problem), graph_(problem.graph()), plan_(plan), timeline_(timeline) {}

  Trace run() {
    for (const Device& device : problem_.machine().devices()) trace_.processes.push_back(device.name);
    trace_.processes.emplace_back("links");
    add_ops();
    add_transfers();
    add_flows();
    add_memory();
    add_link_use();
    return std::move(trace_);
  }

 private:
  std::uint32_t track(std::uint32_t process, const std::string& name) {
    const auto [found, is_new] = tracks_.try_emplace({process, name}, static_cast<std::uint32_t>(trace_.tracks.size()));
    if (is_new) trace_.tracks.push_back({process, name});
    return found->second;
  }

  void add_ops() {
    slice_of_op_.assign(graph_.num_ops(), kNone);
    for (const OpEvent& event : timeline_.ops) {
      const auto process = static_cast<std::uint32_t>(index(event.device));
      const bool has_lanes = problem_.machine().device(event.device).lanes > 1;
      const std::string lane = has_lanes ? fmt::format("lane {}", event.lane) : "compute";
      slice_of_op_[index(event.op)] = static_cast<std::uint32_t>(trace_.slices.size());
      trace_.slices.push_back({.track = track(process, lane),
                               .name = graph_.name(event.op),
                               .category = "op",
                               .start = event.start,
                               .end = event.end,
                               .detail = graph_.type(event.op)});
    }
    for (const std::vector<OpId>& group : plan_.fusions) {  // they stand under their lowest member
      const std::uint32_t slice = slice_of_op_[index(*std::ranges::min_element(group))];
      for (const OpId op : group) slice_of_op_[index(op)] = slice;
    }
  }

  // Links without a queue carry several transfers at once: each on the first track that is free.
  void add_transfers() {
    const auto links = static_cast<std::uint32_t>(trace_.processes.size() - 1);
    std::map<int, std::vector<Picoseconds>> busy_until;  // by channel, by track
    for (const TransferEvent& event : timeline_.transfers) {
      const std::string& link = problem_.machine().channels()[static_cast<std::size_t>(event.channel)].name;
      std::vector<Picoseconds>& lanes = busy_until[event.channel];
      const auto free = std::ranges::find_if(lanes, [&](Picoseconds until) { return until <= event.start; });
      const auto lane = static_cast<std::size_t>(free - lanes.begin());
      if (free == lanes.end()) lanes.push_back(0);
      lanes[lane] = event.end;
      const std::string name = lane == 0 ? link : fmt::format("{} ({})", link, lane + 1);
      trace_.slices.push_back({.track = track(links, name),
                               .name = graph_.name(graph_.producer(event.tensor)),
                               .category = "transfer",
                               .start = event.start,
                               .end = event.end,
                               .bytes = event.bytes});
    }
  }

  void add_flows() {
    std::map<std::pair<TensorId, DeviceId>, TraceFlow> flows;
    std::uint32_t slice = static_cast<std::uint32_t>(timeline_.ops.size());
    for (const TransferEvent& event : timeline_.transfers) {
      TraceFlow& flow = flows[{event.tensor, event.to}];
      flow.begin = slice_of_op_[index(graph_.producer(event.tensor))];
      flow.between.push_back(slice++);
    }
    for (auto& [what, flow] : flows) {
      flow.end = first_reader(what.first, what.second);
      if (flow.begin == kNone) {  // a weight or an input: it begins on the link
        flow.begin = flow.between.front();
        flow.between.erase(flow.between.begin());
      }
      if (flow.end == kNone) {  // its reader takes no time
        if (flow.between.empty()) continue;
        flow.end = flow.between.back();
        flow.between.pop_back();
      }
      const std::uint64_t number = trace_.flows.size();
      trace_.slices[flow.begin].flows.push_back(number);
      for (const std::uint32_t between : flow.between) trace_.slices[between].flows.push_back(number);
      trace_.slices[flow.end].flows.push_back(number);
      trace_.flows.push_back(std::move(flow));
    }
  }

  std::uint32_t first_reader(TensorId tensor, DeviceId device) const {
    std::uint32_t first = kNone;
    for (const OpId reader : graph_.consumers(tensor)) {
      const std::uint32_t slice = slice_of_op_[index(reader)];
      if (slice == kNone || plan_.device(reader) != device) continue;
      if (first == kNone || trace_.slices[slice].start < trace_.slices[first].start) first = slice;
    }
    return first;
  }

  void add_memory() {
    const std::size_t first = trace_.counters.size();
    for (const DeviceId device : problem_.machine().device_ids()) {
      trace_.counters.push_back({static_cast<std::uint32_t>(index(device)), "memory"});
    }
    for (const MemoryEvent& event : memory_timeline(problem_, plan_)) {
      trace_.counters[first + index(event.device)].values.emplace_back(event.time, event.held);
    }
  }

  void add_link_use() {
    const auto links = static_cast<std::uint32_t>(trace_.processes.size() - 1);
    std::map<int, std::map<Picoseconds, Bytes>> changes;  // by channel, by time
    for (const TransferEvent& event : timeline_.transfers) {
      changes[event.channel][event.start] += event.bytes;
      changes[event.channel][event.end] -= event.bytes;
    }
    for (const auto& [channel, by_time] : changes) {
      const std::string& link = problem_.machine().channels()[static_cast<std::size_t>(channel)].name;
      TraceCounter counter{links, fmt::format("{} under way", link)};
      Bytes sum = 0;
      for (const auto& [time, change] : by_time) {
        sum += change;
        if (counter.values.empty() || counter.values.back().second != sum) counter.values.emplace_back(time, sum);
      }
      trace_.counters.push_back(std::move(counter));
    }
  }

  const Problem& problem_;
  const Graph& graph_;
  const Plan& plan_;
  const Timeline& timeline_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> tracks_;
  std::vector<std::uint32_t> slice_of_op_;  // per op; kNone if it takes no time
  Trace trace_;
};

}  // namespace

Trace make_trace(const Problem& problem, const Plan& plan, const Timeline& timeline) {
  return TraceMaker(problem, plan, timeline).run();
}

}  // namespace berth
