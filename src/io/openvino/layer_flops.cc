// SPDX-License-Identifier: Apache-2.0
#include "io/openvino/layer_flops.h"

#include <array>

namespace berth::openvino {
namespace {

constexpr double kPerMultiplyAdd = 2.0;
constexpr std::size_t kData = 0, kWeights = 1;

double size_at(const IrPort& port, std::size_t axis) {
  return axis < port.dims.size() && port.dims[axis] >= 0 ? static_cast<double>(port.dims[axis]) : 1.0;
}
double size_from_end(const IrPort& port, std::size_t back) {
  return back <= port.dims.size() ? size_at(port, port.dims.size() - back) : 1.0;
}
// Elements, or with `skip` those behind each element of the first axes.
double elements(const IrPort& port, std::size_t skip = 0) {
  double product = 1.0;
  for (std::size_t axis = skip; axis < port.dims.size(); ++axis) product *= size_at(port, axis);
  return product;
}

double matmul(const IrLayer& layer) {
  const std::string* transposed = layer.find("transpose_a");
  const bool first_is_transposed = transposed != nullptr && (*transposed == "true" || *transposed == "1");
  const double inner =
      size_from_end(layer.inputs[kData], first_is_transposed && layer.inputs[kData].dims.size() > 1 ? 2 : 1);
  return elements(layer.outputs[0]) * inner;
}
// Weights: outputs, inputs, window. Every output element reads all but the first axis.
double convolution(const IrLayer& layer) { return elements(layer.outputs[0]) * elements(layer.inputs[kWeights], 1); }
// Weights: groups, outputs, inputs, window.
double group_convolution(const IrLayer& layer) {
  return elements(layer.outputs[0]) * elements(layer.inputs[kWeights], 2);
}
// The way back: every input element is used so often.
double convolution_back(const IrLayer& layer) {
  return elements(layer.inputs[kData]) * elements(layer.inputs[kWeights], 1);
}
double group_convolution_back(const IrLayer& layer) {
  return elements(layer.inputs[kData]) * elements(layer.inputs[kWeights], 2);
}
// Queries [..., l, e], keys [..., s, e], values [..., s, v].
double attention(const IrLayer& layer) {
  const double queries_times_width = elements(layer.inputs[0]);
  const double width = size_from_end(layer.inputs[0], 1), keys = size_from_end(layer.inputs[1], 2);
  const double rows = width > 0.0 ? queries_times_width / width : 0.0;
  return rows * keys * (width + size_from_end(layer.inputs[2], 1));
}
// Two matrices, each used once per row of the data; for sequences a row is a sample at one time.
template <std::size_t kMatrix, std::size_t kRowAxes>
double recurrent(const IrLayer& layer) {
  double rows = 1.0;
  for (std::size_t axis = 0; axis < kRowAxes; ++axis) rows *= size_at(layer.inputs[kData], axis);
  return rows * (elements(layer.inputs[kMatrix]) + elements(layer.inputs[kMatrix + 1]));
}

struct Row {
  std::string_view type;
  std::size_t inputs;  // at least so many
  double (*multiply_adds)(const IrLayer&);
};
constexpr std::array kRows{
    Row{"MatMul", 2, matmul},
    Row{"Convolution", 2, convolution},
    Row{"GroupConvolution", 2, group_convolution},
    Row{"ConvolutionBackpropData", 2, convolution_back},
    Row{"GroupConvolutionBackpropData", 2, group_convolution_back},
    Row{"ScaledDotProductAttention", 3, attention},
    Row{"RNNCell", 4, recurrent<2, 1>},
    Row{"GRUCell", 4, recurrent<2, 1>},
    Row{"LSTMCell", 5, recurrent<3, 1>},
    Row{"RNNSequence", 5, recurrent<3, 2>},
    Row{"GRUSequence", 5, recurrent<3, 2>},
    Row{"LSTMSequence", 6, recurrent<4, 2>},
};

}  // namespace

double product_flops(const IrLayer& layer) {
  for (const Row& row : kRows) {
    if (row.type != layer.type) continue;
    if (layer.inputs.size() < row.inputs || layer.outputs.empty()) return 0.0;
    return kPerMultiplyAdd * row.multiply_adds(layer);
  }
  return 0.0;
}

}  // namespace berth::openvino
