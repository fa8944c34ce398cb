// SPDX-License-Identifier: Apache-2.0
// Two towers of matrix products on one input, joined at the end: plans them for two K40 and prints who goes where.
#include <berth/graph/builder.h>
#include <berth/machine/library.h>
#include <berth/plan/planners.h>
#include <fmt/core.h>

using namespace berth;

Result<Graph> two_towers() {
  const std::vector<TensorSpec> square{{DType::kF32, {4096, 4096}}};
  constexpr double kFlops = 2.0 * 4096 * 4096 * 4096;
  GraphBuilder builder("two towers");
  const OpId x = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = square});
  const OpId a = builder.add({.name = "a", .type = "weight", .role = Role::kParameter, .outputs = square});
  const OpId b = builder.add({.name = "b", .type = "weight", .role = Role::kParameter, .outputs = square});
  const auto product = [&](std::string_view name, OpId in, OpId weight) {
    return builder.add({.name = name, .type = "mm", .inputs = {{in}, {weight}}, .outputs = square, .flops = kFlops});
  };
  OpId left = x, right = x;
  for (const int layer : {1, 2, 3}) {
    left = product(fmt::format("left{}", layer), left, a);
    right = product(fmt::format("right{}", layer), right, b);
  }
  const OpId sum = builder.add({.name = "sum", .type = "add", .inputs = {{left}, {right}}, .outputs = square});
  builder.mark_output({sum});
  return std::move(builder).build();
}

Status plan_and_print() {
  BERTH_TRY(auto graph, two_towers());
  BERTH_TRY(auto machine, builtin_machine("k40x2"));
  BERTH_TRY(const Problem problem, make_problem(std::make_shared<const Graph>(std::move(graph)),
                                                std::make_shared<const Machine>(std::move(machine))));
  Search search(problem, Budget{.evaluations = 100});
  BERTH_TRY(const Plan plan, find_classical_planner("auto")->make()->plan(search));
  for (const OpId op : problem.graph().ops()) {
    fmt::print("{:8} {}\n", problem.graph().name(op), problem.machine().device(plan.device(op)).name);
  }
  fmt::print("step time {}\n", format_time(search.best_score().step_time));
  return {};
}

int main() {
  const Status status = plan_and_print();
  if (!status.ok()) fmt::print(stderr, "{}\n", status.error().message);
  return status.ok() ? 0 : 1;
}
