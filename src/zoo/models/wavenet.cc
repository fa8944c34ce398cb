// SPDX-License-Identifier: Apache-2.0
// WaveNet (van den Oord et al., 2016): stacks of causal dilated convolutions with gated units, residual and skip paths.
// GO's table has 2 stacks of 18 layers on 2 devices and 4 of 36 on 4.
#include <fmt/format.h>

#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

struct WavenetSizes {
  std::int64_t residual, skip, kernel;
};

Tensor conv_bias(ModelBuilder& b, std::string_view name, Tensor x, std::int64_t channels, std::int64_t kernel,
                 std::int64_t dilation) {
  const auto scope = b.scope(name);
  const Tensor y = b.conv1d(x, b.parameter("weight", {channels, b.shape(x)[1], kernel}), dilation);
  return b.bias_add(y, b.parameter("bias", {channels}), 1);
}

struct LayerOutput {
  Tensor residual, skip;
};

LayerOutput gated_layer(ModelBuilder& b, Tensor x, const WavenetSizes& sizes, std::int64_t dilation, bool last) {
  const Tensor both = conv_bias(b, "dilated", x, 2 * sizes.residual, sizes.kernel, dilation);
  const std::vector<Tensor> parts = b.split(both, 1, 2);
  const Tensor signal = b.tanh(parts[0]);
  const Tensor gated = b.mul(signal, b.sigmoid(parts[1]));
  const Tensor skip = conv_bias(b, "skip", gated, sizes.skip, 1, 1);
  if (last) return {x, skip};  // nothing reads the residual path after the last layer
  return {b.add(conv_bias(b, "residual", gated, sizes.residual, 1, 1), x), skip};
}

Status build_wavenet(ModelBuilder& b, const Settings& settings) {
  const std::int64_t batch = settings.number("batch"), length = settings.number("length");
  const std::int64_t classes = settings.number("classes");
  const WavenetSizes sizes{settings.number("residual"), settings.number("skip"), settings.number("kernel")};
  Tensor x;
  {
    const auto scope = b.scope("stem");
    x = conv_bias(b, "conv", b.input("samples", b.dtype(), {batch, 1, length}), sizes.residual, sizes.kernel, 1);
  }
  const std::int64_t stacks = settings.number("stacks"), layers = settings.number("layers");
  Tensor skips;
  for (std::int64_t k = 0; k < stacks * layers; ++k) {
    const auto scope = b.scope(fmt::format("layer.{}", k));
    const std::int64_t dilation = std::int64_t{1} << (k % layers % settings.number("cycle"));
    const auto [residual, skip] = gated_layer(b, x, sizes, dilation, k + 1 == stacks * layers);
    skips = skips ? b.add(skips, skip) : skip;
    x = residual;
  }
  Tensor logits;
  {
    const auto scope = b.scope("head");
    logits = conv_bias(b, "conv0", b.relu(skips), sizes.skip, 1, 1);
    logits = conv_bias(b, "conv1", b.relu(logits), classes, 1, 1);
    if (!b.training()) return b.mark_output(logits), Status();
  }
  const auto scope = b.scope("loss");
  const Tensor rows = b.reshape(b.transpose(logits, {0, 2, 1}), {batch * length, classes});
  b.set_loss(b.cross_entropy(rows, b.input("labels", DType::kI64, {batch * length})));
  return {};
}

double estimate_wavenet(const Settings& settings) {
  const double layers = static_cast<double>(settings.number("stacks") * settings.number("layers"));
  return (layers + 1) * (settings.training() ? 45.0 : 18.0);
}

}  // namespace

std::vector<Model> wavenet_models() {
  return {{"wavenet", "WaveNet of dilated causal convolutions over raw audio",
           with_common({
               whole_number("batch", 8, 1, 65536, "clips per step"),
               whole_number("length", 8192, 1, 10'000'000, "samples of a clip"),
               whole_number("stacks", 2, 1, 1000, "stacks of layers"),
               whole_number("layers", 18, 1, 1000, "layers of a stack"),
               whole_number("cycle", 10, 1, 30, "layers after which the dilation starts at 1 again"),
               whole_number("residual", 128, 1, 65536, "channels of the residual path"),
               whole_number("skip", 256, 1, 65536, "channels of the skip path"),
               whole_number("kernel", 2, 1, 64, "taps of the dilated convolutions"),
               whole_number("classes", 256, 2, 1'000'000, "levels of a sample"),
           }),
           estimate_wavenet, build_wavenet}};
}

}  // namespace berth::zoo
