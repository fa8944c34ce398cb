// SPDX-License-Identifier: Apache-2.0
// Graphviz: the coarse graph, a cluster per device; what goes from device to device is drawn heavier, with its bytes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "export/colours.h"
#include "export/formats.h"
#include "export/source_nodes.h"
#include "graph/module_path.h"
#include "problem/problem.h"

namespace berth {
namespace {

// The coarse graph: ops joined into blocks of one module on one device, for pictures.
struct Block {
  std::string name;  // of its module; without modules, of its first op
  DeviceId device = kNoDevice;
  std::size_t ops = 0;  // of all roles
  Picoseconds time = 0;
  Bytes resident = 0;
};

struct CoarseGraph {
  std::vector<Block> blocks;                                       // in the order of the graph
  std::map<std::pair<std::uint32_t, std::uint32_t>, Bytes> edges;  // bytes from block to block, each tensor once
};

// The first `parts` parts of a path, no further than its block.
std::string_view cut(std::string_view path, std::size_t parts) {
  const std::string_view block = block_of(path);
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts; ++i) {
    end = block.find('.', end == 0 && i == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return block;
  }
  return block.substr(0, end);
}

class Coarsening {
 public:
  Coarsening(const Problem& problem, const Plan& plan) : problem_(problem), graph_(problem.graph()), plan_(plan) {}

  // Parts of paths that give few enough blocks.
  CoarseGraph run(std::size_t most) {
    constexpr std::size_t kDeepest = 8;
    std::size_t parts = kDeepest;
    name_by_modules(parts);
    while (num_blocks() > most && parts > 1) name_by_modules(--parts);
    if (!has_modules_) name_by_stages();
    return collect();
  }

 private:
  void name_by_modules(std::size_t parts) {
    name_of_.assign(graph_.num_ops(), std::string());
    has_modules_ = false;
    for (const OpId op : graph_.ops()) {
      name_of_[index(op)] = cut(path_of(graph_, op), parts);
      has_modules_ = has_modules_ || !name_of_[index(op)].empty();
    }
    const auto order = graph_.topological_order();
    for (auto op = order.rbegin(); op != order.rend(); ++op) follow_readers(*op);
    for (const OpId op : order) follow_inputs(op);
  }

  void follow_readers(OpId op) {
    if (!name_of_[index(op)].empty() || graph_.role(op) == Role::kCompute) return;
    for (const TensorId tensor : graph_.outputs(op)) {
      for (const OpId reader : graph_.consumers(tensor)) {
        if (name_of_[index(op)].empty() && plan_.device(reader) == plan_.device(op)) {
          name_of_[index(op)] = name_of_[index(reader)];
        }
      }
    }
  }

  void follow_inputs(OpId op) {
    for (const TensorId tensor : graph_.inputs(op)) {
      const OpId from = graph_.producer(tensor);
      if (name_of_[index(op)].empty() && plan_.device(from) == plan_.device(op))
        name_of_[index(op)] = name_of_[index(from)];
    }
  }

  // Without modules: what runs on a device without leaving it.
  void name_by_stages() {
    std::vector<SourceNode> nodes(graph_.num_ops());
    for (const OpId op : graph_.ops()) {
      nodes[index(op)].device = plan_.device(op);
      for (const TensorId tensor : graph_.distinct_inputs(op)) {
        nodes[index(op)].inputs.push_back(static_cast<std::uint32_t>(index(graph_.producer(tensor))));
      }
    }
    for (const Stage& stage : make_stages(nodes, place_source_nodes(nodes))) {
      const std::string name(graph_.name(OpId(stage.nodes.front())));
      for (const std::uint32_t op : stage.nodes) name_of_[op] = name;
    }
  }

  [[nodiscard]] std::size_t num_blocks() const {
    std::set<std::pair<std::string_view, DeviceId>> blocks;
    for (const OpId op : graph_.ops()) blocks.emplace(name_of_[index(op)], plan_.device(op));
    return blocks.size();
  }

  CoarseGraph collect() {
    CoarseGraph coarse;
    std::map<std::pair<std::string_view, DeviceId>, std::uint32_t> number_of;
    std::vector<std::uint32_t> block_of_op(graph_.num_ops());
    for (const OpId op : graph_.ops()) {
      const DeviceId device = plan_.device(op);
      const auto number = static_cast<std::uint32_t>(coarse.blocks.size());
      const auto [found, is_new] = number_of.try_emplace({name_of_[index(op)], device}, number);
      if (is_new) coarse.blocks.push_back({.name = name_of_[index(op)], .device = device});
      Block& block = coarse.blocks[found->second];
      ++block.ops;
      block.time += graph_.role(op) == Role::kCompute ? problem_.duration(op, device) : 0;
      block.resident += problem_.resident_bytes(op);
      block_of_op[index(op)] = found->second;
    }
    for (const TensorId tensor : graph_.tensors()) {
      const std::uint32_t from = block_of_op[index(graph_.producer(tensor))];
      std::set<std::uint32_t> to;
      for (const OpId reader : graph_.consumers(tensor)) to.insert(block_of_op[index(reader)]);
      for (const std::uint32_t block : to) {
        if (block != from) coarse.edges[{from, block}] += graph_.bytes(tensor);
      }
    }
    return coarse;
  }

  const Problem& problem_;
  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::string> name_of_;  // per op, of its block
  bool has_modules_ = false;
};

// At most `most` blocks, if modules allow it: paths of modules are cut shorter until they do. Ops without a module (and
// weights) join the block that reads them, or else makes what they read.
CoarseGraph coarse_graph(const Problem& problem, const Plan& plan, std::size_t most) {
  return Coarsening(problem, plan).run(most);
}

constexpr std::size_t kMostBlocks = 200;  // a picture with more shows nothing

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

std::string label_of(const Block& block) {
  std::string label =
      fmt::format("{} op{}, {}", group_digits(block.ops), block.ops == 1 ? "" : "s", format_time(block.time));
  if (block.resident > 0) label += fmt::format(", {}", format_bytes(block.resident));
  std::string name = dot_text(block.name.empty() ? "(no module)" : block.name);
  name.pop_back();
  return fmt::format("{}\\n{}\"", name, label);
}

}  // namespace

Result<Exported> export_dot(const ExportRequest& request) {
  const Machine& machine = request.problem.machine();
  const CoarseGraph coarse = coarse_graph(request.problem, request.plan, kMostBlocks);
  std::string text =
      fmt::format("digraph {} {{\n  rankdir=TB; node [shape=box, style=filled, fontname=\"sans-serif\"];\n",
                  dot_text(request.problem.graph().title()));
  for (const DeviceId device : machine.device_ids()) {
    std::string inside;
    for (std::size_t i = 0; i < coarse.blocks.size(); ++i) {
      if (coarse.blocks[i].device == device)
        inside += fmt::format("    b{} [label={}];\n", i, label_of(coarse.blocks[i]));
    }
    if (inside.empty()) continue;
    text += fmt::format("  subgraph cluster_{} {{\n    label={}; node [fillcolor={}];\n{}  }}\n", index(device),
                        dot_text(machine.device(device).name), dot_text(colour_of(index(device))), inside);
  }
  for (const auto& [ends, bytes] : coarse.edges) {
    const bool crosses = coarse.blocks[ends.first].device != coarse.blocks[ends.second].device;
    text += fmt::format("  b{} -> b{}{};\n", ends.first, ends.second,
                        crosses ? fmt::format(" [penwidth=2, label={}]", dot_text(format_bytes(bytes))) : "");
  }
  return one_file(text + "}\n");
}

}  // namespace berth
