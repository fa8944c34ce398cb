// SPDX-License-Identifier: Apache-2.0
#include "zoo/models/conv.h"

namespace berth::zoo {

Window square(std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  return {.kernel = {kernel, kernel}, .stride = {stride, stride}, .pad = {pad, pad}};
}

Tensor conv(ModelBuilder& builder, std::string_view name, Tensor x, std::int64_t channels, const ConvShape& shape) {
  const auto scope = builder.scope(name);
  Window window{.kernel = shape.kernel, .stride = {shape.stride, shape.stride}};
  if (shape.same) window.pad = {(shape.kernel[0] - 1) / 2, (shape.kernel[1] - 1) / 2};
  const Tensor weight = builder.parameter("weight", {channels, builder.shape(x)[1], shape.kernel[0], shape.kernel[1]});
  return builder.conv2d(x, weight, window);
}

Tensor batch_norm(ModelBuilder& builder, Tensor x) {
  const auto scope = builder.scope("bn");
  const std::int64_t channels = builder.shape(x)[1];
  const Tensor weight = builder.parameter("weight", {channels});
  const Tensor bias = builder.parameter("bias", {channels});
  const Tensor mean = builder.buffer("running_mean", {channels});
  return builder.batch_norm(x, weight, bias, mean, builder.buffer("running_var", {channels}));
}

Tensor conv_norm(ModelBuilder& builder, std::string_view name, Tensor x, std::int64_t channels,
                 const ConvShape& shape) {
  const auto scope = builder.scope(name);
  return batch_norm(builder, conv(builder, "conv", x, channels, shape));
}

Tensor conv_norm_relu(ModelBuilder& builder, std::string_view name, Tensor x, std::int64_t channels,
                      const ConvShape& shape) {
  const auto scope = builder.scope(name);
  return builder.relu(batch_norm(builder, conv(builder, "conv", x, channels, shape)));
}

void classify(ModelBuilder& builder, Tensor x, std::int64_t classes, double dropout) {
  const std::int64_t batch = builder.shape(x)[0], channels = builder.shape(x)[1];
  Tensor logits;
  {
    const auto scope = builder.scope("head");
    const Tensor pooled = builder.reshape(builder.reduce_mean(x, {batch, channels, 1, 1}), {batch, channels});
    logits = builder.linear("fc", builder.dropout(pooled, dropout), classes);
    if (!builder.training()) return builder.mark_output(builder.softmax(logits));
  }
  const auto scope = builder.scope("loss");
  builder.set_loss(builder.cross_entropy(logits, builder.input("labels", DType::kI64, {batch})));
}

}  // namespace berth::zoo
