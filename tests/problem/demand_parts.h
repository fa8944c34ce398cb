// SPDX-License-Identifier: Apache-2.0
// A small network whose ops have names, types, modules and roles, and demands as people write them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "machine/library.h"
#include "problem/demands/resolve.h"

namespace berth {

inline constexpr Bytes kGiB = Bytes{1} << 30;

// A chain: emb/gather -> enc.0/conv -> enc.0.fc/matmul -> enc.1/conv -> enc.10/conv -> head -> a=b. The graph colocates
// enc.1/conv and enc.10/conv, and a=b runs on CPUs only. Each of the two parameters has 8 GiB.
inline std::shared_ptr<const Graph> small_net() {
  GraphBuilder builder("net");
  const auto bytes = [](Bytes size) { return std::vector<TensorSpec>{{DType::kU8, {size}}}; };
  const OpId x =
      builder.add({.name = "x", .type = "Input", .role = Role::kInput, .outputs = bytes(4), .module = "emb"});
  const auto parameter = [&](std::string_view name, std::string_view module) {
    return builder.add(
        {.name = name, .type = "Weight", .role = Role::kParameter, .outputs = bytes(8 * kGiB), .module = module});
  };
  OpSpec gather{.name = "emb/gather", .type = "Gather", .outputs = bytes(4), .module = "emb"};
  gather.inputs = {{x, 0}, {parameter("emb.table", "emb"), 0}};
  OpId last = builder.add(gather);
  const auto follow = [&](OpSpec op) {
    op.inputs.insert(op.inputs.begin(), OutputRef{last, 0});
    op.outputs = bytes(4);
    last = builder.add(op);
  };
  OpSpec first_conv{.name = "enc.0/conv", .type = "Conv", .module = "enc.0"};
  first_conv.inputs = {{parameter("enc.0.w", "enc.0"), 0}};
  follow(first_conv);
  follow({.name = "enc.0.fc/matmul", .type = "MatMul", .module = "enc.0.fc"});
  follow({.name = "enc.1/conv", .type = "Conv", .module = "enc.1", .colocate = "pair"});
  follow({.name = "enc.10/conv", .type = "Conv", .module = "enc.10", .colocate = "pair"});
  follow({.name = "head", .type = "Softmax"});
  follow({.name = "a=b", .type = "Print", .allowed = kind_bit(DeviceKind::kCpu)});
  auto graph = std::move(builder).build();
  EXPECT_TRUE(graph.ok()) << graph.error().message;
  return std::make_shared<const Graph>(*std::move(graph));
}

// cpu (128 GiB), gpu0 and gpu1 (k40, 12 GiB each).
inline Problem small_problem() {
  return make_problem(small_net(), std::make_shared<const Machine>(builtin_machine("k40x2").value())).value();
}

// The demand behind a flag: "pin head=gpu0" is --pin head=gpu0.
inline Result<Demand> demand_of(std::string_view flag) {
  const std::size_t blank = std::min(flag.find(' '), flag.size());
  for (const DemandForm& form : demand_forms()) {
    if (form.name == flag.substr(0, blank)) {
      const std::string_view text = flag.substr(std::min(blank + 1, flag.size()));
      return parse_demand(form, text, short_source(fmt::format("--{}", flag)));
    }
  }
  return bad_input("no flag {}", flag);
}

// A line of a table: "gpu,Conv".
inline Demand unsupported(std::string device, std::string type) {
  return {.kind = Demand::Kind::kUnsupported,
          .source = fmt::format("t.csv:1 {},{}", device, type),
          .ops = {std::move(type)},
          .device = std::move(device),
          .amount = 0};
}

using Flags = std::vector<std::string_view>;

inline std::vector<Demand> demands_of(const Flags& flags) {
  std::vector<Demand> demands;
  for (const std::string_view flag : flags) demands.push_back(demand_of(flag).value());
  return demands;
}

inline Result<Problem> try_constrain(const Problem& problem, const std::vector<Demand>& demands) {
  BERTH_TRY(const std::vector<ResolvedDemand> resolved, resolve_demands(problem.graph(), problem.machine(), demands));
  return constrain(problem, resolved);
}

inline std::string error_of(const std::vector<Demand>& demands) {
  const auto problem = try_constrain(small_problem(), demands);
  return problem ? "no error" : problem.error().message;
}

inline OpId op_named(const Graph& graph, std::string_view name) {
  for (const OpId op : graph.ops()) {
    if (graph.name(op) == name) return op;
  }
  ADD_FAILURE() << "no op " << name;
  return kNoOp;
}

}  // namespace berth
