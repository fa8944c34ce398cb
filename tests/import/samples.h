// SPDX-License-Identifier: Apache-2.0
// Small valid files of every format, to be broken in many ways, and what must hold for whatever comes of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "format/native_graph.h"
#include "format/plan_file.h"
#include "format/rich_graph.h"
#include "import/costs/costs_file.h"
#include "import/exported_text.h"
#include "import/graph_file.h"
#include "import/problems/public_problem.h"
#include "import/pt2/exported_program.h"
#include "support/random_problem.h"
#include "support/toy.h"

namespace berth {

// A valid text, and its reader: nothing if it is taken, else the error's message.
struct Sample {
  std::string format;
  std::string text;
  std::function<std::optional<std::string>(const std::string&)> read;
};

inline std::optional<std::string> read_as_graph(const std::string& text) {
  const auto graph = parse_graph(text, "bad.json");
  if (!graph) return graph.error().message;
  EXPECT_TRUE(write_graph_json(*graph)) << "a graph that was read can be written";
  return std::nullopt;
}

inline Sample native_sample() {
  return {"berth-graph/1", *write_graph_json(*RichGraphMaker(8).make(8)), read_as_graph};
}

inline Sample aten_sample() {
  const std::string text = R"({"format":"aten-graph/1","name":"toy","mode":"train",
"measured_on":{"cuda":"NVIDIA H200","cpu":"16-core Xeon"},"outputs":[2,4],"ops":[
{"name":"w","outputs":[{"dtype":"f32","shape":[8,3]}],"type":"parameter","label":"conv.weight"},
{"name":"x","outputs":[{"dtype":"f32","shape":[2,3]}],"type":"input"},
{"name":"c","outputs":[{"dtype":"f32","shape":[2,8]}],"type":"aten.mm.default","args":[{"op":1},{"op":0},null],
 "kwargs":{"like":{"op":1}},"flops":96,"us":{"cuda":10.5,"cpu":null},"module":"m.conv"},
{"name":"b","outputs":[{"dtype":"f32","shape":[8,3]}],"type":"aten.convolution_backward.default",
 "args":[{"op":2},{"list":[{"b":false},{"b":true}]}]},
{"name":"g","outputs":[{"dtype":"f32","shape":[8,3]}],"type":"getitem","args":[{"op":3},{"i":1}]},
{"name":"u","type":"sgd_update","args":[{"op":0},{"op":4}],"outputs":[],"updates":0}]})";
  return {"aten-graph/1", text, read_as_graph};
}

inline Sample plan_sample() {
  auto problem = std::make_shared<Problem>(toy_problem("aa:1 -> bb:2 -> cc:3", "2 devices, 1 s per edge"));
  const Plan plan = toy_plan(*problem, "aa@0 bb@1!2.5 cc@1!-1 {bb cc}");
  const auto read = [problem](const std::string& text) -> std::optional<std::string> {
    const auto parsed = parse_plan(text, "bad.json", problem->graph(), problem->machine());
    if (!parsed) return parsed.error().message;
    EXPECT_EQ(parsed->device_of.size(), problem->graph().num_ops());
    return std::nullopt;
  };
  return {"berth-plan/1", write_plan_json(problem->graph(), problem->machine(), plan, {}), read};
}

inline std::optional<std::string> read_as_problem(const std::string& text) {
  const auto problem = parse_public_problem(text, "bad.json");
  if (!problem) return problem.error().message;
  EXPECT_GT(problem->machine().num_devices(), 0U);
  return std::nullopt;
}

inline Sample msr_sample() {
  const std::string text = R"({"maxSizePerFPGA": 100.0, "maxFPGAs": 2, "maxCPUs": 1, "nodes": [
{"id": 5, "name": "a", "supportedOnFpga": 1, "cpuLatency": 40, "fpgaLatency": 4.5, "isBackwardNode": 0, "colorClass": 3, "size": 60.0},
{"id": 7, "supportedOnFpga": true, "cpuLatency": 20, "fpgaLatency": 2, "isBackwardNode": true, "colorClass": 3, "size": 50.0}],
"edges": [{"sourceId": 5, "destId": 7, "cost": 0.5, "size": 1}]})";
  return {"msr", text, read_as_problem};
}

inline Sample stg_sample() { return {"stg", "  2\n 0 0 0\n 1 3 1 0\n 2 4 1 0\n 3 0 2 1 2\n# end\n", read_as_problem}; }

inline Sample pipedream_sample() {
  const std::string text =
      "a -- Linear(3, 4) -- forward_compute_time=1.0, backward_compute_time=2.0, activation_size=[9.0; 8.0], "
      "parameter_size=8.0\n"
      "b -- Softmax() -- forward_compute_time=3.0, backward_compute_time=4.0, activation_size=0.0, parameter_size=0.0 "
      "-- "
      "stage_id=1\n"
      "\ta -- b\n";
  return {"pipedream", text, read_as_problem};
}

// Every value that a node reads or that is an output is made once, by a leaf or an earlier node.
inline std::optional<std::string> read_as_exported_program(const std::string& text) {
  const auto model = parse_exported_program(text, "bad.json");
  if (!model) return model.error().message;
  std::vector<int> made(model->values.size(), 0);
  for (const Leaf& leaf : model->leaves) ++made.at(leaf.value);
  for (const Node& node : model->nodes) {
    for (const ValueIndex input : node.inputs) EXPECT_EQ(made.at(input), 1);
    for (const ValueIndex output : node.outputs) EXPECT_EQ(++made.at(output), 1);
  }
  for (const ValueIndex output : model->outputs) EXPECT_EQ(made.at(output), 1);
  return std::nullopt;
}

inline Sample exported_sample() {
  ProgramText program = linear_program();
  program.symbols = std::string("\"n\":") + symbolic("Symbol('s0')", 8);
  program.tensors = program.tensors + "," + tensor_meta("v", symbolic("Add(Symbol('s0'), Integer(1))", 9));
  const std::string graph =
      R"({"as_graph":{"name":"g","graph":{"inputs":[{"as_tensor":{"name":"x"}}],"outputs":[{"as_tensor":{"name":"y"}}],"nodes":[)" +
      node_text("torch.ops.aten.relu.default", named_tensor("self", "x"), tensor_arg("y")) +
      R"(],"tensor_values":{},"sym_int_values":{},"sym_bool_values":{}}}})";
  program.nodes =
      program.nodes + "," +
      node_text("torch.ops.aten.item.default", named_tensor("self", "x"), R"({"as_sym_int":{"as_name":"n"}})") + "," +
      node_text(
          "torch.ops.aten.view.default",
          named_tensor("self", "relu") + "," + named("size", R"({"as_sym_ints":[{"as_name":"n"},{"as_int":-1}]})"),
          R"({"as_tensors":[{"name":"v"},{"name":"u"}]})") +
      "," + node_text("torch.ops.higher_order.wrap", named("", graph) + "," + named_tensor("", "v"), tensor_arg("w"));
  program.output_specs = program.output_specs + "," + output_spec("w");
  return {"exported program", program.json(), read_as_exported_program};
}

inline std::optional<std::string> read_as_costs(const std::string& text) {
  const auto costs = parse_costs(text, "bad.json");
  if (!costs) return costs.error().message;
  EXPECT_FALSE(costs->times.empty());
  for (const Measurement& time : costs->times) EXPECT_TRUE(!time.ops.empty() && time.seconds >= 0.0);
  return std::nullopt;
}

inline Sample csv_sample() {
  return {"csv", "op,device,microseconds\na,gpu0,12.5\n\"b, \"\"c\"\"\",*,3e0\n", read_as_costs};
}

inline Sample trace_sample() {
  const std::string text = R"({"schemaVersion":1,"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"a","pid":7,"tid":"main","ts":1,"dur":9.5,"args":{"External id":3}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":4,"dur":3,"args":{"External id":3,"stream":7}},
{"ph":"X","cat":"Op","name":"MatMul","pid":7,"tid":2,"ts":20,"dur":2,"args":{"name":"dense/MatMul"}},
{"ph":"M","name":"process_name","pid":7,"args":{"name":"python"}}],"traceName":"t"})";
  return {"trace", text, read_as_costs};
}

inline std::vector<Sample> json_samples() {
  return {native_sample(), aten_sample(), plan_sample(), msr_sample(), exported_sample(), trace_sample()};
}
inline std::vector<Sample> all_samples() {
  std::vector<Sample> samples = json_samples();
  for (Sample sample : {stg_sample(), pipedream_sample(), csv_sample()}) samples.push_back(std::move(sample));
  return samples;
}

// Taken, or refused in one line that begins with the file's name.
inline void expect_clear_answer(const Sample& sample, const std::string& text) {
  const auto message = sample.read(text);
  if (!message) return;
  EXPECT_TRUE(message->starts_with("bad.json: ")) << *message;
  EXPECT_EQ(message->find('\n'), std::string::npos) << *message;
}

}  // namespace berth
