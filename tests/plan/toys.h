// SPDX-License-Identifier: Apache-2.0
// Problems for the tests of planners.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {

struct PlanToy {
  std::string name;
  Problem problem;
};

// A toy with constraints; ops and devices of the constraints by id.
inline Problem constrained_toy(std::string_view graph_text, std::string_view machine_text, Constraints constraints) {
  const ToyGraph toy = toy_graph(graph_text);
  const std::shared_ptr<const Machine> machine = toy_machine(machine_text);
  ExplicitCosts costs;
  for (const std::vector<double>& seconds : toy.seconds) {
    costs.time_s.push_back(seconds.size() > 1 ? seconds : std::vector<double>(machine->num_devices(), seconds.front()));
  }
  return make_problem(toy.graph, machine, costs, std::move(constraints)).value();
}

inline constexpr std::string_view kTwoGpus =
    "device cpu; device gpu0 memory=100B; device gpu1 memory=100B; link cpu gpu0 latency=1; link cpu gpu1 latency=1; "
    "link gpu0 gpu1 latency=1";
inline constexpr std::string_view kSmallGpus =
    "device cpu; device gpu0 memory=10B; device gpu1 memory=10B; link cpu gpu0 rate=1; link cpu gpu1 rate=1";
inline constexpr std::string_view kPair = "device x; device y; link x y rate=1";  // 1 s per byte
inline constexpr std::string_view kTraining =
    "x:input:4B -> a:2/1/1:4B -> b:3/1/1:4B; w:param:8B -> a; v:param:8B -> b; b -> gv:1:8B -> uv:1:update=v; "
    "b -> gb:2/1/1:4B -> gw:1:8B -> uw:1:update=w; w -> uw; v -> uv; v -> gb";

// "a@cpu b@gpu0", as toy_plan() reads it.
inline std::string plan_text(const Problem& problem, const Plan& plan) {
  std::string text;
  for (const OpId op : problem.graph().ops()) {
    text += fmt::format("{}{}@{}", text.empty() ? "" : " ", problem.graph().name(op),
                        problem.machine().device(plan.device(op)).name);
  }
  return text;
}

// The example of the HEFT paper (Topcuoglu et al., 2002, figure 2 and table 3): 10 tasks on 3 unequal processors, an
// output for every edge, links without queues. HEFT takes 80, the optimum is 73.
inline Problem heft_example() {
  return toy_problem(
      "t1:14/16/9:18B:12B:9B:11B:14B; t2:13/19/18:19B:16B; t3:11/13/19:23B; t4:13/8/17:27B:23B; t5:12/13/10:13B; "
      "t6:13/16/9:15B; t7:7/15/11:17B; t8:5/11/14:11B; t9:18/12/20:13B; t10:21/7/16:none; t1.0 -> t2; t1.1 -> t3; "
      "t1.2 -> t4; t1.3 -> t5; t1.4 -> t6; t2.0 -> t8; t2.1 -> t9; t3 -> t7; t4.0 -> t8; t4.1 -> t9; t5 -> t9; "
      "t6 -> t8; t7 -> t10; t8 -> t10; t9 -> t10",
      "device p1; device p2; device p3; link p1 p2 rate=1 free; link p1 p3 rate=1 free; link p2 p3 rate=1 free");
}

// What every planner must cope with.
inline std::vector<PlanToy> plan_toys() {
  std::vector<PlanToy> toys;
  const std::string gpus(kTwoGpus);
  toys.push_back({"no op", constrained_toy("", gpus, {})});
  toys.push_back({"one op", toy_problem("a:1", gpus)});
  toys.push_back({"one device", toy_problem("a:1 -> b:2; a -> c:3", "1 devices")});
  toys.push_back({"cpus only", toy_problem("a:1 -> b:2; a -> c:3 -> d:1; b -> d", "3 devices, 1 s per edge")});
  toys.push_back({"gpus only", toy_problem("a:1 -> b:2; a -> c:3", "device g0; device g1; link g0 g1 latency=1")});
  toys.push_back({"a training step", constrained_toy(kTraining, gpus, {})});
  toys.push_back(
      {"impossible memory", constrained_toy("x:input:1B -> a:1:900B -> b:1:900B; w:param:9B -> b",
                                            "device cpu memory=5B; device gpu memory=5B; link cpu gpu latency=1", {})});
  toys.push_back({"no memory at all", constrained_toy("x:input:1B -> a:1:900B -> b:1:900B; w:param:9B -> b",
                                                      "device cpu memory=0B; device g0 memory=0B; device g1 memory=0B; "
                                                      "link cpu g0 latency=1; link cpu g1 latency=1",
                                                      {})});
  toys.push_back({"an op only the cpu runs", toy_problem("a:1 -> b:2/-/- -> c:1", gpus)});
  toys.push_back({"an op only the last gpu runs", toy_problem("a:1 -> b:-/-/2 -> c:1", gpus)});
  Constraints pins;
  pins.pins.push_back({OpId{1}, DeviceId{2}});
  pins.forbids = {{OpId{0}, DeviceId{1}}, {OpId{2}, DeviceId{0}}, {OpId{2}, DeviceId{1}}};
  pins.together.push_back({OpId{3}, OpId{4}});
  toys.push_back({"pins and forbids", constrained_toy("a:1 -> b:2 -> c:1 -> d:1; a -> e:1 -> d", gpus, pins)});
  Constraints narrow;
  narrow.max_devices = 1;
  toys.push_back({"one device at most", constrained_toy("a:1 -> b:2 -> c:1 -> d:1; a -> e:1 -> d", gpus, narrow)});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    toys.push_back({"random " + std::to_string(seed), random_problem(rng, 10 + 10 * seed)});
  }
  return toys;
}

inline Problem plan_toy(std::string_view name) {
  for (const PlanToy& toy : plan_toys()) {
    if (toy.name == name) return toy.problem;
  }
  throw std::invalid_argument(fmt::format("no toy named '{}'", name));
}

}  // namespace berth
