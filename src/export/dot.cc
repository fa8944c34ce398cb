// SPDX-License-Identifier: Apache-2.0
// Graphviz: the coarse graph, a cluster per device; what goes from device to device is drawn heavier, with its bytes.
#include "base/text.h"
#include "export/blocks.h"
#include "export/colours.h"
#include "export/formats.h"

namespace berth {
namespace {

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
