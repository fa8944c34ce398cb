// SPDX-License-Identifier: Apache-2.0
// Matrix products, convolutions, pooling, normalisations and losses.
#include "model/shapes/tensorflow/rules.h"

#include <algorithm>
#include <array>

#include "model/shapes/arrange.h"
#include "model/shapes/window.h"

namespace berth::tensorflow {
namespace {

std::optional<Shape> product_of_turned(const Shape& a, const Shape& b, bool turn_a, bool turn_b) {
  return matrix_product(turn_a ? with_last_two_swapped(a) : a, turn_b ? with_last_two_swapped(b) : b,
                        Mismatch::kUnknown);
}

Outputs matmul(const NodeView& op) {
  const Shape *a = op.shape(0), *b = op.shape(1);
  if (a == nullptr || b == nullptr || a->size() != 2 || b->size() != 2) return one(std::nullopt);
  return one(product_of_turned(*a, *b, op.is_set("transpose_a"), op.is_set("transpose_b")));
}

Outputs batch_matmul(const NodeView& op) {
  const Shape *a = op.shape(0), *b = op.shape(1);
  if (a == nullptr || b == nullptr || a->size() < 2 || b->size() < 2) return one(std::nullopt);
  return one(product_of_turned(*a, *b, op.is_set("adj_x"), op.is_set("adj_y")));
}

// A sparse matrix as positions, values and its shape, times a dense one.
Outputs sparse_matmul(const NodeView& op) {
  const auto sparse = stated_in(op, 2);
  const Shape* dense = op.shape(3);
  if (!sparse || dense == nullptr || sparse->size() != 2 || dense->size() != 2) return one(std::nullopt);
  return one(product_of_turned(*sparse, *dense, op.is_set("adjoint_a"), op.is_set("adjoint_b")));
}

// What it makes is always stated.
Outputs einsum(const NodeView& op) {
  if (op.text("equation").find("->") == std::string_view::npos) return one(std::nullopt);
  ShapeList inputs;
  for (std::size_t i = 0; i < op.num_inputs(); ++i) {
    if (op.shape(i) == nullptr) return one(std::nullopt);
    inputs.push_back(op.shape(i));
  }
  return one(einsum_shape(op.text("equation"), inputs));
}

// Where a window moves over images. Channels are last unless the data format says otherwise.
struct ImageWindow {
  std::vector<std::int64_t> size, stride, dilation, padding;  // per dimension of the images; padding: before, after
  bool same = false;
};

Dim windows_in(const Dim& dim, const ImageWindow& window, std::size_t axis) {
  if (!dim.known()) return unknown_dim();
  const SlidingWindow along{window.same ? 1 : window.size[axis], window.stride[axis],
                            window.same ? 1 : window.dilation[axis], window.padding[2 * axis],
                            window.padding[2 * axis + 1]};
  return known_dim(slide(dim.size, along, window.same ? Padding::kSame : Padding::kStated));
}

// All but the window's size, which is 1.
ImageWindow window_of(const NodeView& op, std::size_t rank) {
  ImageWindow window;
  window.stride = list_of(op, "strides");
  window.dilation = list_of(op, "dilations");
  window.padding = list_of(op, "explicit_paddings");
  window.same = op.text("padding") == "SAME";
  window.stride.resize(rank, 1);
  window.dilation.resize(rank, 1);
  window.padding.resize(2 * rank, 0);
  window.size.assign(rank, 1);
  for (std::int64_t& pixels : window.padding) pixels = std::clamp<std::int64_t>(pixels, 0, kLargestWindow - 1);
  return window;
}

// The images after the window went over them.
Outputs slide_over(const NodeView& op, const ImageWindow& window, const Dim& channels) {
  Shape shape = *op.shape(0);
  const std::size_t channel = has_channels_first(op) ? 1 : shape.size() - 1;
  for (std::size_t i = 1; i < shape.size(); ++i) shape[i] = i == channel ? channels : windows_in(shape[i], window, i);
  return one(std::move(shape));
}

Outputs convolution(const NodeView& op, bool per_channel) {
  const Shape *images = op.shape(0), *filter = op.shape(1);
  const bool known = images != nullptr && filter != nullptr && images->size() >= 3 && images->size() == filter->size();
  if (!known) return one(std::nullopt);
  ImageWindow window = window_of(op, images->size());
  const std::size_t first = has_channels_first(op) ? 2 : 1;
  for (std::size_t i = 0; i + 2 < filter->size(); ++i) window.size[first + i] = (*filter)[i].size;
  const Dim& last = filter->back();
  return slide_over(op, window, per_channel ? product_of((*filter)[filter->size() - 2], last) : last);
}
Outputs conv(const NodeView& op) { return convolution(op, false); }
Outputs depthwise_conv(const NodeView& op) { return convolution(op, true); }

// As many channels as before.
Outputs slide_over(const NodeView& op, const ImageWindow& window) {
  const Shape& images = *op.shape(0);
  return slide_over(op, window, images[has_channels_first(op) ? 1 : images.size() - 1]);
}

Outputs pool(const NodeView& op) {
  const Shape* images = op.shape(0);
  const auto sizes = list_of(op, "ksize");
  if (images == nullptr || images->size() < 3 || sizes.size() != images->size()) return one(std::nullopt);
  ImageWindow window = window_of(op, images->size());
  window.size = sizes;
  return slide_over(op, window);
}
Outputs pool_with_positions(const NodeView& op) { return Outputs(2, pool(op).front()); }

// Window and strides are inputs.
Outputs pool_by_inputs(const NodeView& op) {
  const Shape* images = op.shape(0);
  const auto *sizes = op.contents(1), *strides = op.contents(2);
  const bool known = images != nullptr && images->size() >= 3 && sizes != nullptr && strides != nullptr &&
                     sizes->size() == images->size() && strides->size() == images->size();
  if (!known) return one(std::nullopt);
  ImageWindow window = window_of(op, images->size());
  window.size = *sizes;
  window.stride = *strides;
  return slide_over(op, window);
}

// The largest sum under a window of [height, width, channels].
Outputs dilation(const NodeView& op) {
  const Shape *images = op.shape(0), *filter = op.shape(1);
  if (images == nullptr || filter == nullptr || images->size() != 4 || filter->size() != 3) return one(std::nullopt);
  ImageWindow window = window_of(op, images->size());
  window.size = {1, (*filter)[0].size, (*filter)[1].size, 1};
  window.dilation = list_of(op, "rates");
  window.dilation.resize(images->size(), 1);
  return slide_over(op, window);
}

// Gradients of a convolution: the shape that an input states, as whole numbers.
Outputs conv_input_gradient(const NodeView& op) { return one(stated_in(op, 0)); }
Outputs conv_filter_gradient(const NodeView& op) { return one(stated_in(op, 1)); }

// Result, mean, variance and two values for the gradient; the third of newer versions is empty on most devices.
Outputs batch_norm(const NodeView& op) {
  const auto channels = copy_of(op.shape(1));
  Outputs shapes{copy_of(op.shape(0)), channels, channels, channels, channels};
  if (op.type() == "FusedBatchNormV3" || op.type() == "_FusedBatchNormEx") shapes.emplace_back(Shape{Dim{0}});
  return shapes;
}
Outputs batch_norm_gradient(const NodeView& op) {
  const auto channels = copy_of(op.shape(2));
  return {copy_of(op.shape(1)), channels, channels, Shape{Dim{0}}, Shape{Dim{0}}};
}

Outputs bias_gradient(const NodeView& op) {
  const Shape* gradient = op.shape(0);
  if (gradient == nullptr || gradient->size() < 2) return one(Shape(1));
  return one(Shape{(*gradient)[has_channels_first(op) ? 1 : gradient->size() - 1]});
}

Outputs cross_entropy(const NodeView& op) {
  const Shape* logits = op.shape(0);
  if (logits == nullptr || logits->empty()) return Outputs(2);
  return {Shape(logits->begin(), logits->end() - 1), *logits};
}

// inputs [time, batch, classes]: a loss per sample, and the gradient.
Outputs ctc_loss(const NodeView& op) {
  const Shape* inputs = op.shape(0);
  if (inputs == nullptr || inputs->size() != 3) return Outputs(2);
  return {Shape{(*inputs)[1]}, *inputs};
}

// Quantised ops also give the range of what they make.
Outputs with_range(Outputs shapes) {
  shapes.resize(1);
  shapes.insert(shapes.end(), 2, Shape());
  return shapes;
}
Outputs quantize(const NodeView& op) { return with_range(one(copy_of(op.shape(0)))); }
Outputs quantized_matmul(const NodeView& op) { return with_range(matmul(op)); }
Outputs quantized_conv(const NodeView& op) { return with_range(conv(op)); }

constexpr std::array kLayersRules{
    RuleRow{"MatMul _FusedMatMul SparseMatMul", matmul},
    RuleRow{"BatchMatMul BatchMatMulV2 BatchMatMulV3 _FusedBatchMatMulV2", batch_matmul},
    RuleRow{"SparseTensorDenseMatMul", sparse_matmul},
    RuleRow{"QuantizedMatMul", quantized_matmul},
    RuleRow{"QuantizeV2", quantize},
    RuleRow{"Einsum XlaEinsum", einsum},
    RuleRow{"Conv2D Conv3D _FusedConv2D _FusedConv3D", conv},
    RuleRow{"QuantizedConv2D", quantized_conv},
    RuleRow{"DepthwiseConv2dNative DepthwiseConv2d _FusedDepthwiseConv2dNative", depthwise_conv},
    RuleRow{"Dilation2D", dilation},
    RuleRow{"MaxPool AvgPool MaxPool3D AvgPool3D", pool},
    RuleRow{"MaxPoolV2", pool_by_inputs},
    RuleRow{"MaxPoolWithArgmax", pool_with_positions},
    RuleRow{"Conv2DBackpropInput Conv3DBackpropInputV2 DepthwiseConv2dNativeBackpropInput AvgPoolGrad "
            "AvgPool3DGrad",
            conv_input_gradient},
    RuleRow{"Conv2DBackpropFilter Conv3DBackpropFilterV2 DepthwiseConv2dNativeBackpropFilter", conv_filter_gradient},
    RuleRow{"FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 _FusedBatchNormEx", batch_norm},
    RuleRow{"FusedBatchNormGrad FusedBatchNormGradV2 FusedBatchNormGradV3", batch_norm_gradient},
    RuleRow{"BiasAddGrad", bias_gradient},
    RuleRow{"CTCLoss", ctc_loss},
    RuleRow{"SparseSoftmaxCrossEntropyWithLogits SoftmaxCrossEntropyWithLogits", cross_entropy},
};

}  // namespace

std::span<const RuleRow> layer_rules() { return kLayersRules; }

}  // namespace berth::tensorflow
