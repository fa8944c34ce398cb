// SPDX-License-Identifier: Apache-2.0
#include "support/toy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

#include "support/toy_text.h"

namespace berth {
namespace {

// Turns ToyGraph's short rows into one entry per device.
ExplicitCosts explicit_costs(const ToyGraph& toy, std::size_t devices) {
  ExplicitCosts costs;
  for (std::size_t op = 0; op < toy.seconds.size(); ++op) {
    std::vector<double> row = toy.seconds[op];
    if (row.size() == 1) row.assign(devices, row[0]);
    if (row.size() != devices) toy::fail("wrong number of times", toy.graph->name(OpId(op)));
    costs.time_s.push_back(row);
    if (toy.compute_seconds[op] >= 0) row.assign(devices, toy.compute_seconds[op]);
    costs.compute_s.push_back(row);
  }
  return costs;
}

OpId find_op(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) == name) return op;
  }
  toy::fail("no such op", name);
}

void read_placement(const Problem& problem, const std::string& word, Plan& plan) {
  const std::size_t at = word.find('@'), mark = word.find('!');
  if (at == std::string::npos) toy::fail("no op@device", word);
  const OpId op = find_op(problem.graph(), word.substr(0, at));
  const auto device =
      problem.machine().find_device(word.substr(at + 1, mark == std::string::npos ? mark : mark - at - 1));
  if (!device) toy::fail("no such device", word);
  plan.device_of[index(op)] = *device;
  if (mark != std::string::npos) plan.priority[index(op)] = toy::number(word.substr(mark + 1));
}

std::string seconds(Picoseconds time) { return fmt::format("{}", to_seconds(time)); }

std::string tensor_name(const Graph& graph, TensorId tensor) {
  const int output = graph.output_index(tensor);
  const std::string_view name = graph.name(graph.producer(tensor));
  return output == 0 ? std::string(name) : fmt::format("{}.{}", name, output);
}

}  // namespace

Problem toy_problem(std::string_view graph_text, std::string_view machine_text) {
  const ToyGraph graph = toy_graph(graph_text);
  const std::shared_ptr<const Machine> machine = toy_machine(machine_text);
  Constraints constraints;
  constraints.inputs_on_first_cpu = false;
  auto problem = make_problem(graph.graph, machine, explicit_costs(graph, machine->num_devices()), constraints);
  if (!problem.ok()) toy::fail(problem.error().message, graph_text);
  return std::move(problem).value();
}

Plan toy_plan(const Problem& problem, std::string_view text) {
  Plan plan;
  plan.device_of.assign(problem.graph().num_ops(), DeviceId{0});
  plan.priority.assign(problem.graph().num_ops(), 0.0);
  while (!text.empty()) {
    const std::size_t open = text.find('{'), close = text.find('}');
    for (const std::string& word : toy::split(text.substr(0, open), " ")) read_placement(problem, word, plan);
    if (open == std::string_view::npos) break;
    if (close < open || close == std::string_view::npos) toy::fail("braces do not match", text);
    plan.fusions.emplace_back();
    for (const std::string& name : toy::split(text.substr(open + 1, close - open - 1), " ")) {
      plan.fusions.back().push_back(find_op(problem.graph(), name));
    }
    text.remove_prefix(close + 1);
  }
  if (const auto error = verify(problem, plan)) toy::fail(error->message, "plan");
  return plan;
}

std::string to_text(const Problem& problem, const Timeline& timeline) {
  const auto device_name = [&](DeviceId device) { return problem.machine().device(device).name; };
  std::vector<std::tuple<Picoseconds, int, std::string>> events;  // start, transfers first, text
  for (const TransferEvent& event : timeline.transfers) {
    events.emplace_back(event.start, 0,
                        fmt::format("{}>{} {}-{}", tensor_name(problem.graph(), event.tensor), device_name(event.to),
                                    seconds(event.start), seconds(event.end)));
  }
  for (const OpEvent& event : timeline.ops) {
    events.emplace_back(event.start, 1,
                        fmt::format("{}@{} {}-{}", problem.graph().name(event.op), device_name(event.device),
                                    seconds(event.start), seconds(event.end)));
  }
  std::stable_sort(events.begin(), events.end(), [](const auto& a, const auto& b) {
    return std::tuple(std::get<0>(a), std::get<1>(a)) < std::tuple(std::get<0>(b), std::get<1>(b));
  });
  std::vector<std::string> words;
  for (const auto& event : events) words.push_back(std::get<2>(event));
  return fmt::format("{}", fmt::join(words, " | "));
}

std::string peaks_text(const Problem& problem, const Score& score) {
  std::vector<std::string> words;
  for (const DeviceId device : problem.machine().device_ids()) {
    words.push_back(fmt::format("{}:{}", problem.machine().device(device).name, score.devices[index(device)].peak));
  }
  for (std::size_t pool = 0; pool < score.pool_peaks.size(); ++pool) {
    words.push_back(fmt::format("{}:{}", problem.machine().pools()[pool].name, score.pool_peaks[pool]));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string queues_text(const Problem& problem, const Score& score) {
  std::vector<std::string> words;
  for (std::size_t queue = 0; queue < score.queues.size(); ++queue) {
    words.push_back(fmt::format("{} {}s {}B", problem.machine().queues()[queue], seconds(score.queues[queue].busy),
                                score.queues[queue].bytes));
  }
  return fmt::format("{}", fmt::join(words, " | "));
}

}  // namespace berth
