// SPDX-License-Identifier: Apache-2.0
// The building blocks that the convolutional models share.
#pragma once

#include <array>
#include <string_view>

#include "zoo/model_builder.h"

namespace berth::zoo {

struct ConvShape {
  std::array<std::int64_t, 2> kernel{1, 1};
  std::int64_t stride = 1;
  bool same = true;  // pad so that stride 1 keeps the size; false: no padding
};

// Convolution without bias in a scope of its own, with a new weight.
Tensor conv(ModelBuilder& builder, std::string_view name, Tensor x, std::int64_t channels, const ConvShape& shape);
// Batch norm with new weight, bias and running statistics, in the current scope.
Tensor batch_norm(ModelBuilder& builder, Tensor x);
// Convolution, batch norm, relu.
Tensor conv_norm_relu(ModelBuilder& builder, std::string_view name, Tensor x, std::int64_t channels,
                      const ConvShape& shape);
// Convolution, batch norm.
Tensor conv_norm(ModelBuilder& builder, std::string_view name, Tensor x, std::int64_t channels, const ConvShape& shape);

Window square(std::int64_t kernel, std::int64_t stride, std::int64_t pad);

// Mean over height and width, dropout, a linear layer, and the loss (training) or the class probabilities. Scopes
// "head", "loss".
void classify(ModelBuilder& builder, Tensor x, std::int64_t classes, double dropout);

}  // namespace berth::zoo
