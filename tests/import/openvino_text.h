// SPDX-License-Identifier: Apache-2.0
// OpenVINO files in a few words, and their models in a few words, for tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "import/openvino/ir_xml.h"
#include "import/openvino/openvino_model.h"
#include "model/shapes/openvino/shapes.h"

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

// Inputs have the ids from 0, outputs those after them. `data` are attributes as in XML; `more` stands behind the
// ports.
inline std::string ir_layer(int id, std::string_view name, std::string_view type, std::string_view data,
                            std::string_view inputs, std::string_view outputs, std::string_view more = "") {
  const int num_inputs = trim(inputs).empty() ? 0 : static_cast<int>(split(inputs, '|').size());
  return fmt::format(
      "<layer id=\"{}\" name=\"{}\" type=\"{}\" version=\"opset1\"><data "
      "{}/><input>{}</input><output>{}</output>{}</layer>\n",
      id, name, type, data, ir_ports(inputs, 0), ir_ports(outputs, num_inputs), more);
}

// Edges written as "0:0>2:1 1:0>2:0": layer and port, then layer and port.
inline std::string ir_edges(std::string_view edges) {
  std::string text;
  for (const std::string_view edge : split(edges, ' ')) {
    if (edge.empty()) continue;
    const auto ends = split(edge, '>');
    const auto from = split(ends[0], ':'), to = split(ends[1], ':');
    text += fmt::format("<edge from-layer=\"{}\" from-port=\"{}\" to-layer=\"{}\" to-port=\"{}\"/>", from[0], from[1],
                        to[0], to[1]);
  }
  return text;
}

inline std::string ir_parts(std::string_view layers, std::string_view edges) {
  return fmt::format("<layers>{}</layers><edges>{}</edges>", layers, ir_edges(edges));
}

inline std::string ir_file(std::string_view layers, std::string_view edges, int version = 11) {
  return fmt::format("<?xml version=\"1.0\"?>\n<net name=\"toy\" version=\"{}\">{}</net>", version,
                     ir_parts(layers, edges));
}

class OpenVino : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_openvino()) GTEST_SKIP() << "built without OpenVINO files";
  }
};

// A convolution with weights compressed to FP16, its bias, a rectifier and a pool with indices that nobody reads. The
// layers stand in another order than their ids.
inline std::string convolution_layers() {
  return ir_layer(1, "w", "Const", R"(element_type="f16" shape="8, 3, 3, 3" offset="0" size="432")", "",
                  "FP16 8,3,3,3") +
         ir_layer(0, "x", "Parameter", R"(shape="1,3,9,9" element_type="f32")", "", "FP32 1,3,9,9") +
         ir_layer(2, "w32", "Convert", R"(destination_type="f32")", "FP16 8,3,3,3", "FP32 8,3,3,3") +
         ir_layer(3, "net/conv", "Convolution",
                  R"(strides="1, 1" pads_begin="0, 0" pads_end="0, 0" dilations="1, 1" auto_pad="explicit")",
                  "FP32 1,3,9,9 | FP32 8,3,3,3", "FP32 1,8,7,7") +
         ir_layer(4, "b", "Const", "", "", "FP32 1,8,1,1") +
         ir_layer(5, "add", "Add", R"(auto_broadcast="numpy")", "FP32 1,8,7,7 | FP32 1,8,1,1", "FP32 1,8,7,7") +
         ir_layer(6, "square", "Multiply", "", "FP32 1,8,7,7 | FP32 1,8,7,7", "FP32 1,8,7,7") +
         ir_layer(7, "pool", "MaxPool", R"(kernel="3, 3")", "FP32 1,8,7,7", "FP32 1,8,5,5 | I64 1,8,5,5") +
         ir_layer(8, "y", "Result", "", "FP32 1,8,5,5", "");
}
inline const std::string kConvolutionEdges = "1:0>2:0 0:0>3:0 2:1>3:1 3:2>5:0 4:0>5:1 5:2>6:0 5:2>6:1 6:2>7:0 7:1>8:0";

// Ten turns of a product of 4x128 by 128x32 (weights inside), the sequence cut along axis 0.
inline std::string iterator_layer(const std::string& sliced, const std::string& type = "TensorIterator") {
  const std::string body =
      ir_layer(0, "xt", "Parameter", "", "", "FP32 1,4,128") + ir_layer(1, "weights", "Const", "", "", "FP32 128,32") +
      ir_layer(2, "product", "MatMul", R"(transpose_a="false")", "FP32 4,128 | FP32 128,32", "FP32 4,32") +
      ir_layer(3, "out", "Result", "", "FP32 4,32", "");
  const std::string more = R"(<port_map><input external_port_id="0" internal_layer_id="0" )" + sliced +
                           R"(/><output external_port_id="1" internal_layer_id="3"/></port_map><back_edges/><body>)" +
                           ir_parts(body, "0:0>2:0 1:0>2:1 2:2>3:0") + "</body>";
  return ir_layer(1, "loop", type, "", "FP32 10,4,128", "FP32 4,32", more);
}
inline std::string file_with_loop(const std::string& layer) {
  return ir_file(
      ir_layer(0, "x", "Parameter", "", "", "FP32 10,4,128") + layer + ir_layer(2, "y", "Result", "", "FP32 4,32", ""),
      "0:0>1:0 1:1>2:0");
}
// Shapes included; `given` are sizes of names.
inline Model model_of(const std::string& text, const DimSizes& given = {}) {
  auto model = read_openvino_model(text);
  EXPECT_TRUE(model) << model.error().message;
  if (!model) return {};
  infer_openvino_shapes(*model, given);
  return *std::move(model);
}
inline std::string ir_error_of(const std::string& text) {
  const auto model = read_openvino_model(text);
  return model ? "fine" : model.error().message;
}

inline const Node& node_named(const Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.nodes, name, &Node::name);
  EXPECT_NE(found, model.nodes.end()) << name;
  return *found;
}
// "w:parameter b:constant": the leaves in order.
inline std::string leaves_of(const Model& model) {
  std::string text;
  for (const Leaf& leaf : model.leaves) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", model.values[leaf.value].name, name_of(leaf.role));
  }
  return text;
}
inline std::string names_of(const Model& model, const std::vector<ValueIndex>& values) {
  std::string text;
  for (const ValueIndex value : values) text += (text.empty() ? "" : " ") + model.values[value].name;
  return text;
}

}  // namespace berth
