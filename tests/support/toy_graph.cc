// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "graph/builder.h"
#include "support/toy.h"
#include "support/toy_text.h"

namespace berth {
namespace {

struct ToyOp {
  std::string name, colocate, updates;
  Role role = Role::kCompute;
  std::vector<Bytes> outputs;
  bool no_output = false;
  std::vector<double> seconds{0.0};
  double compute_seconds = -1.0;
  std::vector<OutputRef> inputs;
  std::vector<OpId> control;
};

class GraphReader {
 public:
  ToyGraph read(std::string_view text) {
    for (const std::string& statement : toy::split(text, ";")) {
      if (statement.starts_with("optimizer ")) {
        optimizer_ = optimizer_from_name(toy::trim(statement.substr(10))).value();
      } else {
        read_chain(statement);
      }
    }
    return build();
  }

 private:
  void read_chain(std::string_view rest) {
    OutputRef before;
    bool is_control = false;
    while (true) {
      const std::size_t data = rest.find("->"), control = rest.find("=>");
      const std::size_t arrow = std::min(data, control);
      const OutputRef item = read_item(toy::trim(rest.substr(0, arrow)));
      ToyOp& op = ops_[index(item.op)];
      if (before.op != kNoOp && is_control) op.control.push_back(before.op);
      if (before.op != kNoOp && !is_control) op.inputs.push_back(before);
      if (arrow == std::string_view::npos) return;
      before = item;
      is_control = control < data;
      rest.remove_prefix(arrow + 2);
    }
  }

  OutputRef read_item(const std::string& text) {
    const std::vector<std::string> parts = toy::split(text, ":");
    if (parts.empty()) toy::fail("no op", text);
    const std::size_t dot = parts[0].find('.');
    const int output = dot == std::string::npos ? 0 : static_cast<int>(toy::number(parts[0].substr(dot + 1)));
    const OutputRef item{op_named(parts[0].substr(0, dot)), output};
    for (std::size_t i = 1; i < parts.size(); ++i) read_attribute(parts[i], item);
    return item;
  }

  OpId op_named(const std::string& name) {
    const auto [entry, is_new] = ids_.try_emplace(name, OpId(ops_.size()));
    if (is_new) {
      ops_.emplace_back();
      ops_.back().name = name;
    }
    return entry->second;
  }

  void read_attribute(const std::string& text, OutputRef item) {
    static const std::map<std::string, Role> kRoles{{"input", Role::kInput},
                                                    {"param", Role::kParameter},
                                                    {"buffer", Role::kBuffer},
                                                    {"const", Role::kConstant},
                                                    {"view", Role::kView}};
    ToyOp& op = ops_[index(item.op)];
    double value = 0.0;
    if (const auto role = kRoles.find(text); role != kRoles.end()) {
      op.role = role->second;
    } else if (text == "out") {
      marks_.push_back(item);
    } else if (text == "none") {
      op.no_output = true;
    } else if (text.starts_with("group=")) {
      op.colocate = text.substr(6);
    } else if (text.starts_with("update=")) {
      op.updates = text.substr(7);
    } else if (text.starts_with("compute=")) {
      op.compute_seconds = toy::number(text.substr(8));
    } else if (toy::has_number_before(text, "B", value)) {
      op.outputs.push_back(static_cast<Bytes>(value));
    } else {
      op.seconds.clear();
      for (const std::string& part : toy::split(text, "/")) op.seconds.push_back(part == "-" ? -1 : toy::number(part));
    }
  }

  ToyGraph build() {
    GraphBuilder builder("toy");
    builder.set_optimizer(optimizer_);
    ToyGraph toy;
    for (ToyOp& op : ops_) {
      if (op.outputs.empty() && !op.no_output) op.outputs.push_back(1);
      OpSpec spec;
      spec.name = op.name;
      spec.type = "toy";
      spec.role = op.role;
      spec.inputs = op.inputs;
      spec.control_inputs = op.control;
      spec.colocate = op.colocate;
      for (const Bytes bytes : op.outputs) spec.outputs.push_back({DType::kU8, {bytes}});
      if (!op.updates.empty()) spec.updates = op_of_text(op.updates);
      builder.add(spec);
      toy.seconds.push_back(op.seconds);
      toy.compute_seconds.push_back(op.compute_seconds);
    }
    for (const OutputRef& mark : marks_) builder.mark_output(mark);
    Result<Graph> graph = std::move(builder).build();
    if (!graph.ok()) toy::fail(graph.error().message, "graph");
    toy.graph = std::make_shared<const Graph>(std::move(graph).value());
    return toy;
  }

  OpId op_of_text(const std::string& name) const {
    const auto entry = ids_.find(name);
    if (entry == ids_.end()) toy::fail("no such op", name);
    return entry->second;
  }

  std::vector<ToyOp> ops_;
  std::map<std::string, OpId> ids_;
  std::vector<OutputRef> marks_;
  Optimizer optimizer_ = Optimizer::kSgd;
};

}  // namespace

ToyGraph toy_graph(std::string_view text) { return GraphReader().read(text); }

}  // namespace berth
