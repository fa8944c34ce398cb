// SPDX-License-Identifier: Apache-2.0
// Matrix products, convolutions, pooling, normalisations and losses.
#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "import/tensorflow/shape_tools.h"

namespace berth::tensorflow {
namespace {

// The last two dimensions of a matrix product.
std::pair<Dim, Dim> rows_and_columns(const Shape& a, const Shape& b, bool turn_a, bool turn_b) {
  return {a[a.size() - (turn_a ? 1 : 2)], b[b.size() - (turn_b ? 2 : 1)]};
}

Shapes matmul(const OpContext& op) {
  const Shape *a = op.shape(0), *b = op.shape(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return one(std::nullopt);
  const auto [rows, columns] =
      rows_and_columns(*a, *b, op.attributes.boolean("transpose_a"), op.attributes.boolean("transpose_b"));
  return one(Shape{rows, columns});
}

Shapes batch_matmul(const OpContext& op) {
  const Shape *a = op.shape(0), *b = op.shape(1);
  if (a == nullptr || b == nullptr || a->size() < 2 || b->size() < 2) return one(std::nullopt);
  const auto [rows, columns] = rows_and_columns(*a, *b, op.attributes.boolean("adj_x"), op.attributes.boolean("adj_y"));
  Shape shape = broadcast(Shape(a->begin(), a->end() - 2), Shape(b->begin(), b->end() - 2));
  shape.push_back(rows);
  shape.push_back(columns);
  return one(std::move(shape));
}

// A sparse matrix as positions, values and its shape, times a dense one.
Shapes sparse_matmul(const OpContext& op) {
  const auto sparse = stated_in(op, 2);
  const Shape* dense = op.shape(3);
  if (!sparse || dense == nullptr || sparse->size() != 2 || dense->size() != 2) return one(std::nullopt);
  const auto [rows, columns] =
      rows_and_columns(*sparse, *dense, op.attributes.boolean("adjoint_a"), op.attributes.boolean("adjoint_b"));
  return one(Shape{rows, columns});
}

// "bij,bjk->bik": every letter is one dimension. Equations with dots are not worked out.
Shapes einsum(const OpContext& op) {
  const std::string_view equation = op.attributes.string("equation");
  const std::size_t arrow = equation.find("->");
  if (arrow == std::string_view::npos || equation.size() > 256) return one(std::nullopt);
  std::map<char, Dim> sizes;
  const auto terms = split(equation.substr(0, arrow), ',');
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Shape* input = op.shape(i);
    if (input == nullptr || input->size() != terms[i].size()) return one(std::nullopt);
    for (std::size_t k = 0; k < input->size(); ++k) {
      Dim& dim = sizes[terms[i][k]];
      if (!dim.known() && (dim.symbol.empty() || (*input)[k].known())) dim = (*input)[k];
    }
  }
  Shape shape;
  for (const char letter : equation.substr(arrow + 2)) {
    const auto found = sizes.find(letter);
    if (found == sizes.end() || shape.size() == kMaxShapeRank) return one(std::nullopt);
    shape.push_back(found->second);
  }
  return one(std::move(shape));
}

// Where a window moves over images. Channels are last unless the data format says otherwise.
struct Window {
  std::vector<std::int64_t> size, stride, dilation, padding;  // per dimension of the images; padding: before, after
  bool same = false;
};

constexpr std::int64_t kMostDilation = 1 << 20;

bool channels_first(const OpContext& op) { return op.attributes.string("data_format").starts_with("NC"); }

Dim windows_in(const Dim& dim, const Window& window, std::size_t axis) {
  const std::int64_t stride = window.stride[axis], size = window.size[axis], dilation = window.dilation[axis];
  if (!dim.known() || stride < 1 || stride > kMaxDimSize) return {};
  if (window.same) return dim_of((dim.size + stride - 1) / stride);
  if (size < 1 || size > kMaxDimSize / 2 || dilation < 1 || dilation > kMostDilation) return {};
  const std::int64_t covered = (size - 1) * dilation + 1;
  const std::int64_t room = dim.size + window.padding[2 * axis] + window.padding[2 * axis + 1] - covered;
  return room < 0 ? Dim{0} : dim_of(room / stride + 1);
}

// All but the window's size, which is 1.
Window window_of(const OpContext& op, std::size_t rank) {
  Window window;
  window.stride = op.attributes.integers("strides");
  window.dilation = op.attributes.integers("dilations");
  window.padding = op.attributes.integers("explicit_paddings");
  window.same = op.attributes.string("padding") == "SAME";
  window.stride.resize(rank, 1);
  window.dilation.resize(rank, 1);
  window.padding.resize(2 * rank, 0);
  window.size.assign(rank, 1);
  for (std::int64_t& pixels : window.padding) pixels = std::clamp<std::int64_t>(pixels, 0, kMaxDimSize);
  return window;
}

// The images after the window went over them.
Shapes slide(const OpContext& op, const Window& window, const Dim& channels) {
  Shape shape = *op.shape(0);
  const std::size_t channel = channels_first(op) ? 1 : shape.size() - 1;
  for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = i == channel ? channels : windows_in(shape[i], window, i);
  return one(std::move(shape));
}

Shapes convolution(const OpContext& op, bool per_channel) {
  const Shape *images = op.shape(0), *filter = op.shape(1);
  const bool known = images != nullptr && filter != nullptr && images->size() >= 3 && images->size() == filter->size();
  if (!known) return one(std::nullopt);
  Window window = window_of(op, images->size());
  const std::size_t first = channels_first(op) ? 2 : 1;
  for (std::size_t i = 0; i + 2 < filter->size(); ++i) window.size[first + i] = (*filter)[i].size;
  const Dim& last = filter->back();
  return slide(op, window, per_channel ? product((*filter)[filter->size() - 2], last) : last);
}
Shapes conv(const OpContext& op) { return convolution(op, false); }
Shapes depthwise_conv(const OpContext& op) { return convolution(op, true); }

// As many channels as before.
Shapes slide(const OpContext& op, const Window& window) {
  const Shape& images = *op.shape(0);
  return slide(op, window, images[channels_first(op) ? 1 : images.size() - 1]);
}

Shapes pool(const OpContext& op) {
  const Shape* images = op.shape(0);
  const auto sizes = op.attributes.integers("ksize");
  if (images == nullptr || images->size() < 3 || sizes.size() != images->size()) return one(std::nullopt);
  Window window = window_of(op, images->size());
  window.size = sizes;
  return slide(op, window);
}
Shapes pool_with_positions(const OpContext& op) { return Shapes(2, pool(op).front()); }

// Window and strides are inputs.
Shapes pool_by_inputs(const OpContext& op) {
  const Shape* images = op.shape(0);
  const auto *sizes = op.contents(1), *strides = op.contents(2);
  const bool known = images != nullptr && images->size() >= 3 && sizes != nullptr && strides != nullptr &&
                     sizes->size() == images->size() && strides->size() == images->size();
  if (!known) return one(std::nullopt);
  Window window = window_of(op, images->size());
  window.size = *sizes;
  window.stride = *strides;
  return slide(op, window);
}

// The largest sum under a window of [height, width, channels].
Shapes dilation(const OpContext& op) {
  const Shape *images = op.shape(0), *filter = op.shape(1);
  if (images == nullptr || filter == nullptr || images->size() != 4 || filter->size() != 3) return one(std::nullopt);
  Window window = window_of(op, images->size());
  window.size = {1, (*filter)[0].size, (*filter)[1].size, 1};
  window.dilation = op.attributes.integers("rates");
  window.dilation.resize(images->size(), 1);
  return slide(op, window);
}

// Gradients of a convolution: the shape that an input states, as whole numbers.
Shapes conv_input_gradient(const OpContext& op) { return one(stated_in(op, 0)); }
Shapes conv_filter_gradient(const OpContext& op) { return one(stated_in(op, 1)); }

// Result, mean, variance and two values for the gradient; the third of newer versions is empty on most devices.
Shapes batch_norm(const OpContext& op) {
  const auto channels = copy_of(op.shape(1));
  Shapes shapes{copy_of(op.shape(0)), channels, channels, channels, channels};
  if (op.type == "FusedBatchNormV3" || op.type == "_FusedBatchNormEx") shapes.emplace_back(Shape{Dim{0}});
  return shapes;
}
Shapes batch_norm_gradient(const OpContext& op) {
  const auto channels = copy_of(op.shape(2));
  return {copy_of(op.shape(1)), channels, channels, Shape{Dim{0}}, Shape{Dim{0}}};
}

Shapes bias_gradient(const OpContext& op) {
  const Shape* gradient = op.shape(0);
  if (gradient == nullptr || gradient->size() < 2) return one(Shape(1));
  return one(Shape{(*gradient)[channels_first(op) ? 1 : gradient->size() - 1]});
}

Shapes cross_entropy(const OpContext& op) {
  const Shape* logits = op.shape(0);
  if (logits == nullptr || logits->empty()) return Shapes(2);
  return {Shape(logits->begin(), logits->end() - 1), *logits};
}

// inputs [time, batch, classes]: a loss per sample, and the gradient.
Shapes ctc_loss(const OpContext& op) {
  const Shape* inputs = op.shape(0);
  if (inputs == nullptr || inputs->size() != 3) return Shapes(2);
  return {Shape{(*inputs)[1]}, *inputs};
}

// Quantised ops also give the range of what they make.
Shapes with_range(Shapes shapes) {
  shapes.resize(1);
  shapes.insert(shapes.end(), 2, Shape());
  return shapes;
}
Shapes quantize(const OpContext& op) { return with_range(one(copy_of(op.shape(0)))); }
Shapes quantized_matmul(const OpContext& op) { return with_range(matmul(op)); }
Shapes quantized_conv(const OpContext& op) { return with_range(conv(op)); }

constexpr std::array kLayerRules{RuleRow{"MatMul", matmul},
                                 RuleRow{"BatchMatMul", batch_matmul},
                                 RuleRow{"BatchMatMulV2", batch_matmul},
                                 RuleRow{"BatchMatMulV3", batch_matmul},
                                 RuleRow{"_FusedMatMul", matmul},
                                 RuleRow{"_FusedBatchMatMulV2", batch_matmul},
                                 RuleRow{"SparseMatMul", matmul},
                                 RuleRow{"SparseTensorDenseMatMul", sparse_matmul},
                                 RuleRow{"QuantizedMatMul", quantized_matmul},
                                 RuleRow{"QuantizeV2", quantize},
                                 RuleRow{"Einsum", einsum},
                                 RuleRow{"XlaEinsum", einsum},
                                 RuleRow{"Conv2D", conv},
                                 RuleRow{"Conv3D", conv},
                                 RuleRow{"_FusedConv2D", conv},
                                 RuleRow{"_FusedConv3D", conv},
                                 RuleRow{"QuantizedConv2D", quantized_conv},
                                 RuleRow{"DepthwiseConv2dNative", depthwise_conv},
                                 RuleRow{"DepthwiseConv2d", depthwise_conv},
                                 RuleRow{"_FusedDepthwiseConv2dNative", depthwise_conv},
                                 RuleRow{"Dilation2D", dilation},
                                 RuleRow{"MaxPool", pool},
                                 RuleRow{"MaxPoolV2", pool_by_inputs},
                                 RuleRow{"MaxPoolWithArgmax", pool_with_positions},
                                 RuleRow{"AvgPool", pool},
                                 RuleRow{"MaxPool3D", pool},
                                 RuleRow{"AvgPool3D", pool},
                                 RuleRow{"Conv2DBackpropInput", conv_input_gradient},
                                 RuleRow{"Conv3DBackpropInputV2", conv_input_gradient},
                                 RuleRow{"DepthwiseConv2dNativeBackpropInput", conv_input_gradient},
                                 RuleRow{"AvgPoolGrad", conv_input_gradient},
                                 RuleRow{"AvgPool3DGrad", conv_input_gradient},
                                 RuleRow{"Conv2DBackpropFilter", conv_filter_gradient},
                                 RuleRow{"Conv3DBackpropFilterV2", conv_filter_gradient},
                                 RuleRow{"DepthwiseConv2dNativeBackpropFilter", conv_filter_gradient},
                                 RuleRow{"FusedBatchNorm", batch_norm},
                                 RuleRow{"FusedBatchNormV2", batch_norm},
                                 RuleRow{"FusedBatchNormV3", batch_norm},
                                 RuleRow{"_FusedBatchNormEx", batch_norm},
                                 RuleRow{"FusedBatchNormGrad", batch_norm_gradient},
                                 RuleRow{"FusedBatchNormGradV2", batch_norm_gradient},
                                 RuleRow{"FusedBatchNormGradV3", batch_norm_gradient},
                                 RuleRow{"BiasAddGrad", bias_gradient},
                                 RuleRow{"CTCLoss", ctc_loss},
                                 RuleRow{"SparseSoftmaxCrossEntropyWithLogits", cross_entropy},
                                 RuleRow{"SoftmaxCrossEntropyWithLogits", cross_entropy}};

}  // namespace

std::span<const RuleRow> layer_rules() { return kLayerRules; }

}  // namespace berth::tensorflow
