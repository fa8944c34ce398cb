// SPDX-License-Identifier: Apache-2.0
// OpenVINO files in a few words, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "io/openvino/ir_net.h"

namespace berth {

// Whether this build reads OpenVINO files; tests that need it skip without.
inline bool has_openvino() { return openvino::parse_ir("<net><layers/></net>").ok(); }

// Ports written as "FP32 1,3 | I64": type and sizes, then the next port; ids count from `first`.
inline std::string ir_ports(std::string_view ports, int first) {
  std::string text;
  if (trim(ports).empty()) return text;
  for (const std::string_view one : split(ports, '|')) {
    const std::string_view port = trim(one);
    const std::size_t blank = port.find(' ');
    text += fmt::format("<port id=\"{}\" precision=\"{}\">", first++, port.substr(0, blank));
    if (blank != std::string_view::npos) {
      for (const std::string_view size : split(port.substr(blank + 1), ',')) text += fmt::format("<dim>{}</dim>", size);
    }
    text += "</port>";
  }
  return text;
}

// Inputs have the ids from 0, outputs those after them. `data` are attributes as in XML; `more` stands behind the ports.
inline std::string ir_layer(int id, std::string_view name, std::string_view type, std::string_view data,
                            std::string_view inputs, std::string_view outputs, std::string_view more = "") {
  const int num_inputs = trim(inputs).empty() ? 0 : static_cast<int>(split(inputs, '|').size());
  return fmt::format(
      "<layer id=\"{}\" name=\"{}\" type=\"{}\" version=\"opset1\"><data {}/><input>{}</input><output>{}</output>{}</layer>\n",
      id, name, type, data, ir_ports(inputs, 0), ir_ports(outputs, num_inputs), more);
}

// Edges written as "0:0>2:1 1:0>2:0": layer and port, then layer and port.
inline std::string ir_edges(std::string_view edges) {
  std::string text;
  for (const std::string_view edge : split(edges, ' ')) {
    if (edge.empty()) continue;
    const auto ends = split(edge, '>');
    const auto from = split(ends[0], ':'), to = split(ends[1], ':');
    text += fmt::format("<edge from-layer=\"{}\" from-port=\"{}\" to-layer=\"{}\" to-port=\"{}\"/>", from[0], from[1], to[0], to[1]);
  }
  return text;
}

inline std::string ir_parts(std::string_view layers, std::string_view edges) {
  return fmt::format("<layers>{}</layers><edges>{}</edges>", layers, ir_edges(edges));
}

inline std::string ir_file(std::string_view layers, std::string_view edges, int version = 11) {
  return fmt::format("<?xml version=\"1.0\"?>\n<net name=\"toy\" version=\"{}\">{}</net>", version, ir_parts(layers, edges));
}

}  // namespace berth
