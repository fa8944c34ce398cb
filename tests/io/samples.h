// SPDX-License-Identifier: Apache-2.0
// Small valid files of every format, to be broken in many ways, and what must hold for whatever comes of it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "io/graph_file.h"
#include "io/native_graph.h"
#include "io/plan_file.h"
#include "io/rich_graph.h"
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

inline std::vector<Sample> all_samples() { return {native_sample(), aten_sample(), plan_sample()}; }

// Taken, or refused in one line that begins with the file's name.
inline void expect_clear_answer(const Sample& sample, const std::string& text) {
  const auto message = sample.read(text);
  if (!message) return;
  EXPECT_TRUE(message->starts_with("bad.json: ")) << *message;
  EXPECT_EQ(message->find('\n'), std::string::npos) << *message;
}

}  // namespace berth
