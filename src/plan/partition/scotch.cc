// SPDX-License-Identifier: Apache-2.0
// The only file that knows the library. One call at a time: Scotch 7 keeps one random generator and one error routine
// per process. Same input, same mapping.
#include "plan/partition/scotch.h"

#include <scotch.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/partition/best_cut.h"
#include "plan/partition/cut_graph.h"
#include "plan/search/placement.h"
#include "plan/search/unloaded_times.h"

namespace berth {
namespace {

// What a graph is mapped onto: how much work each target takes, and how far they are from each other.
struct TargetMachine {
  std::vector<std::int32_t> capacity;  // per target, at least 1
  std::vector<std::int32_t> distance;  // [from * targets + to], at least 1 between different ones, the same both ways
};

struct ScotchOptions {
  double imbalance = 0.05;  // how much more than its share a target may take
  bool recursive = true;    // recursive bipartitioning alone; else refined over all targets at once
  std::int32_t seed = 1;
};

constexpr std::int32_t kMaxDistance = 128;

static_assert(sizeof(SCOTCH_Num) == sizeof(std::int32_t), "built against the 64-bit variant of Scotch");

std::mutex& scotch_mutex() {
  static std::mutex mutex;
  return mutex;
}

// What the library complained of in the current call; guarded by the mutex.
std::string& scotch_complaint() {
  static std::string complaint;
  return complaint;
}

void note_complaint(const char* format, std::va_list arguments) {
  char line[256];
  std::vsnprintf(line, sizeof line, format, arguments);
  if (scotch_complaint().empty()) scotch_complaint() = line;
}

Error scotch_error(const char* doing) {
  const std::string& said = scotch_complaint();
  return bad_input("scotch could not {}: {}", doing, said.empty() ? "no reason given" : said);
}

// Scotch's objects as values that clean up after themselves.
template <typename T, int (*init)(T*), void (*exit)(T*)>
class Owned {
 public:
  Owned() : ok_(init(&object_) == 0) {}
  ~Owned() {
    if (ok_) exit(&object_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }
  T* operator&() { return &object_; }  // NOLINT(google-runtime-operator): reads like the C interface

 private:
  T object_;
  bool ok_;
};
using ScotchGraph = Owned<SCOTCH_Graph, SCOTCH_graphInit, SCOTCH_graphExit>;
using ScotchArch = Owned<SCOTCH_Arch, SCOTCH_archInit, SCOTCH_archExit>;
using ScotchStrategy = Owned<SCOTCH_Strat, SCOTCH_stratInit, SCOTCH_stratExit>;
using ScotchContext = Owned<SCOTCH_Context, SCOTCH_contextInit, SCOTCH_contextExit>;

// Every pair of targets is joined by an edge as long as the route is slow: Scotch finds near halves by itself.
Status build_architecture(const TargetMachine& machine, ScotchArch& architecture) {
  const auto targets = static_cast<SCOTCH_Num>(machine.capacity.size());
  std::vector<SCOTCH_Num> begin, neighbour, length, all(machine.capacity.size());
  for (SCOTCH_Num from = 0; from < targets; ++from) {
    begin.push_back(static_cast<SCOTCH_Num>(neighbour.size()));
    for (SCOTCH_Num to = 0; to < targets; ++to) {
      if (from == to) continue;
      neighbour.push_back(to);
      length.push_back(machine.distance[static_cast<std::size_t>(from) * machine.capacity.size() + to]);
    }
  }
  begin.push_back(static_cast<SCOTCH_Num>(neighbour.size()));
  std::iota(all.begin(), all.end(), 0);
  ScotchGraph graph;
  ScotchStrategy strategy;
  if (!graph.ok() || !strategy.ok() ||
      SCOTCH_graphBuild(&graph, 0, targets, begin.data(), nullptr, machine.capacity.data(), nullptr, begin.back(),
                        neighbour.data(), length.data()) != 0 ||
      SCOTCH_archBuild(&architecture, &graph, targets, all.data(), &strategy) != 0) {
    return scotch_error("describe the machine");
  }
  return {};
}

// Costs are sums of edge weight times distance, in 32 bits.
std::vector<std::int32_t> weights_within_reach(const CutGraph& graph, const TargetMachine& machine) {
  const std::int32_t farthest = std::ranges::max(machine.distance);
  std::vector<std::int32_t> weights = graph.edge_weight;
  for (std::int32_t& weight : weights) weight = std::max(1, weight / farthest);
  return weights;
}

Status configure(ScotchContext& context, const ScotchOptions& options) {
  if (!context.ok() || SCOTCH_contextThreadSpawn(&context, 1, nullptr) != 0 ||
      SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) != 0 ||
      SCOTCH_contextRandomClone(&context) != 0) {
    return scotch_error("start");
  }
  SCOTCH_contextRandomSeed(&context, options.seed);
  SCOTCH_contextRandomReset(&context);
  return {};
}

// Guards against a part out of range: without it a small random problem with fixed vertices wrote outside an array.
void place_the_rest(const TargetMachine& machine, std::vector<std::int32_t>& part_of) {
  const auto fastest = static_cast<std::int32_t>(std::ranges::max_element(machine.capacity) - machine.capacity.begin());
  const auto targets = static_cast<std::int32_t>(machine.capacity.size());
  for (std::int32_t& part : part_of) {
    if (part < 0 || part >= targets) part = fastest;
  }
}

// Part of every vertex; pinned ones stay where they are. At least two targets and one vertex.
Result<std::vector<std::int32_t>> map_with_scotch(const CutGraph& graph, const TargetMachine& machine,
                                                  const ScotchOptions& options) {
  const std::lock_guard lock(scotch_mutex());
  scotch_complaint().clear();
  SCOTCH_randomSeed(options.seed);  // the machine is cut outside of any context
  SCOTCH_randomReset();
  ScotchArch architecture;
  BERTH_RETURN_IF_ERROR(build_architecture(machine, architecture));

  const std::vector<std::int32_t> edge_weights = weights_within_reach(graph, machine);
  ScotchGraph plain;
  if (!plain.ok() || SCOTCH_graphBuild(&plain, 0, static_cast<SCOTCH_Num>(graph.size()), graph.begin.data(), nullptr,
                                       graph.work.data(), nullptr, graph.begin.back(), graph.neighbour.data(),
                                       edge_weights.data()) != 0) {
    return scotch_error("take the graph");
  }
  ScotchContext context;
  BERTH_RETURN_IF_ERROR(configure(context, options));
  ScotchGraph bound;
  ScotchStrategy strategy;
  const SCOTCH_Num flags = options.recursive ? SCOTCH_STRATRECURSIVE : SCOTCH_STRATDEFAULT;
  std::vector<std::int32_t> part_of = graph.pinned;
  if (SCOTCH_contextBindGraph(&context, &plain, &bound) != 0 ||
      SCOTCH_stratGraphMapBuild(&strategy, flags, static_cast<SCOTCH_Num>(machine.capacity.size()),
                                options.imbalance) != 0 ||
      SCOTCH_graphMapFixed(&bound, &architecture, &strategy, part_of.data()) != 0) {
    return scotch_error("map the graph");
  }
  place_the_rest(machine, part_of);
  return part_of;
}

constexpr double kFullCapacity = 1000.0;          // of the fastest target
constexpr Bytes kTypicalTensor = Bytes{1} << 20;  // routes are compared by the time it takes

// Distances in halves of the shortest route, and never so long that costs overflow.
std::vector<std::int32_t> target_distances(const Problem& problem, const std::vector<DeviceId>& targets) {
  std::vector<double> times;
  for (const DeviceId from : targets) {
    for (const DeviceId to : targets) {
      const Picoseconds both_ways = unloaded_transfer_time(problem, kTypicalTensor, from, to) +
                                    unloaded_transfer_time(problem, kTypicalTensor, to, from);
      times.push_back(static_cast<double>(both_ways));
    }
  }
  double shortest = 0.0;
  for (const double time : times) {
    if (time > 0.0 && (shortest == 0.0 || time < shortest)) shortest = time;
  }
  std::vector<std::int32_t> distances;
  for (const double time : times) {
    const double halves = shortest > 0.0 ? std::round(2.0 * time / shortest) : 1.0;
    distances.push_back(static_cast<std::int32_t>(std::clamp(halves, 1.0, static_cast<double>(kMaxDistance))));
  }
  return distances;
}

TargetMachine target_machine(const Problem& problem, const std::vector<DeviceId>& targets) {
  TargetMachine machine;
  for (const double speed : target_speeds(problem, targets)) {
    machine.capacity.push_back(std::max(1, static_cast<std::int32_t>(std::lround(kFullCapacity * speed))));
  }
  machine.distance = target_distances(problem, targets);
  return machine;
}

// The workers, and the CPUs as far as a limit on devices leaves room.
std::vector<DeviceId> workers_and_cpus(const Problem& problem) {
  std::vector<DeviceId> targets = worker_devices(problem);
  const auto limit =
      static_cast<std::size_t>(problem.constraints().max_devices.value_or(static_cast<int>(kMaxDevices)));
  for (const DeviceId device : problem.machine().device_ids()) {
    if (targets.size() < limit && std::ranges::find(targets, device) == targets.end()) targets.push_back(device);
  }
  return targets;
}

Result<Plan> map_onto(Search& search, const std::vector<DeviceId>& targets, std::string_view planner) {
  const TargetMachine machine = target_machine(search.problem(), targets);
  const auto seed = static_cast<std::int32_t>(search.budget().seed % 1'000'000'007);
  std::vector<CutMethod> methods;
  for (const bool refined : {false, true}) {
    for (const double imbalance : {0.05, 0.01, 0.2, 0.5}) {
      methods.push_back({fmt::format("{:.0f} % imbalance{}", 100 * imbalance, refined ? ", refined" : ""),
                         [=, &machine](const CutGraph& graph) {
                           return map_with_scotch(graph, machine, {imbalance, !refined, seed});
                         }});
    }
  }
  return best_cut(search, targets, methods, planner);
}

}  // namespace

Result<Plan> ScotchPlanner::plan(Search& search) {
  return map_onto(search, workers_and_cpus(search.problem()), "scotch");
}

Result<Plan> MincutPlanner::plan(Search& search) {
  return map_onto(search, worker_devices(search.problem()), "mincut");
}

}  // namespace berth

// The library's error routines, in place of those of libscotcherr: nothing of it reaches the terminal.
extern "C" {
void SCOTCH_errorProg(const char*) {}
void SCOTCH_errorPrint(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  berth::note_complaint(format, arguments);
  va_end(arguments);
}
void SCOTCH_errorPrintW(const char* format, ...) { static_cast<void>(format); }
}
