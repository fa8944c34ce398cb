// SPDX-License-Identifier: Apache-2.0
// Inception-V3 (Szegedy et al., 2016). Blocks 0-2 at 35x35, 3 reduces, 4-7 at 17x17, 8 reduces, 9-10 at 8x8.
#include <fmt/format.h>

#include "zoo/models/conv.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

constexpr ConvShape k1x1{};
constexpr ConvShape k3x3{.kernel = {3, 3}};
constexpr ConvShape k5x5{.kernel = {5, 5}};
constexpr ConvShape k1x3{.kernel = {1, 3}};
constexpr ConvShape k3x1{.kernel = {3, 1}};
constexpr ConvShape k1x7{.kernel = {1, 7}};
constexpr ConvShape k7x1{.kernel = {7, 1}};
constexpr ConvShape k3x3Valid{.kernel = {3, 3}, .same = false};
constexpr ConvShape k3x3Half{.kernel = {3, 3}, .stride = 2, .same = false};

struct Step {
  std::int64_t channels;
  ConvShape shape;
};

// A chain of conv + norm + relu in one scope.
Tensor branch(ModelBuilder& b, std::string_view name, Tensor x, std::initializer_list<Step> steps) {
  const auto scope = b.scope(name);
  int number = 0;
  for (const Step& step : steps) x = conv_norm_relu(b, fmt::format("conv{}", number++), x, step.channels, step.shape);
  return x;
}

Tensor pooled_branch(ModelBuilder& b, Tensor x, std::int64_t channels) {
  const auto scope = b.scope("pool");
  return conv_norm_relu(b, "conv", b.avg_pool(x, square(3, 1, 1)), channels, k1x1);
}

Tensor stem(ModelBuilder& b, Tensor x) {
  const auto scope = b.scope("stem");
  x = branch(b, "a", x, {{32, k3x3Half}, {32, k3x3Valid}, {64, k3x3}});
  x = b.max_pool(x, square(3, 2, 0));
  x = branch(b, "b", x, {{80, k1x1}, {192, k3x3Valid}});
  return b.max_pool(x, square(3, 2, 0));
}

Tensor block35(ModelBuilder& b, Tensor x, std::int64_t pool_channels) {
  return b.concat({branch(b, "one", x, {{64, k1x1}}), branch(b, "five", x, {{48, k1x1}, {64, k5x5}}),
                   branch(b, "double", x, {{64, k1x1}, {96, k3x3}, {96, k3x3}}), pooled_branch(b, x, pool_channels)},
                  1);
}

Tensor reduce35(ModelBuilder& b, Tensor x) {
  return b.concat({branch(b, "three", x, {{384, k3x3Half}}),
                   branch(b, "double", x, {{64, k1x1}, {96, k3x3}, {96, k3x3Half}}), b.max_pool(x, square(3, 2, 0))},
                  1);
}

Tensor block17(ModelBuilder& b, Tensor x, std::int64_t n) {
  return b.concat(
      {branch(b, "one", x, {{192, k1x1}}), branch(b, "seven", x, {{n, k1x1}, {n, k1x7}, {192, k7x1}}),
       branch(b, "double", x, {{n, k1x1}, {n, k7x1}, {n, k1x7}, {n, k7x1}, {192, k1x7}}), pooled_branch(b, x, 192)},
      1);
}

Tensor reduce17(ModelBuilder& b, Tensor x) {
  return b.concat(
      {branch(b, "three", x, {{192, k1x1}, {320, k3x3Half}}),
       branch(b, "seven", x, {{192, k1x1}, {192, k1x7}, {192, k7x1}, {192, k3x3Half}}), b.max_pool(x, square(3, 2, 0))},
      1);
}

Tensor block8(ModelBuilder& b, Tensor x) {
  const Tensor three = branch(b, "three", x, {{384, k1x1}});
  const Tensor twice = branch(b, "double", x, {{448, k1x1}, {384, k3x3}});
  return b.concat({branch(b, "one", x, {{320, k1x1}}), branch(b, "three.wide", three, {{384, k1x3}}),
                   branch(b, "three.high", three, {{384, k3x1}}), branch(b, "double.wide", twice, {{384, k1x3}}),
                   branch(b, "double.high", twice, {{384, k3x1}}), pooled_branch(b, x, 192)},
                  1);
}

// The auxiliary classifier of training, weighted 0.4 in the papers' recipe.
Tensor auxiliary_loss(ModelBuilder& b, Tensor x, std::int64_t classes, Tensor labels) {
  const auto scope = b.scope("aux");
  Tensor y = branch(b, "head", b.avg_pool(x, square(5, 3, 0)), {{128, k1x1}});
  const std::int64_t side = b.shape(y)[2];
  y = conv_norm_relu(b, "full", y, 768, {.kernel = {side, side}, .same = false});
  const Tensor logits = b.linear("fc", b.reshape(y, {b.shape(y)[0], 768}), classes);
  return b.scale(b.cross_entropy(logits, labels), 0.4);
}

Status build_inception(ModelBuilder& b, const Settings& settings) {
  const std::int64_t size = settings.number("image"), batch = settings.number("batch");
  const std::int64_t classes = settings.number("classes");
  Tensor x = stem(b, b.input("images", b.dtype(), {batch, 3, size, size}));
  int number = 0;
  const auto block = [&](auto make, auto... sizes) {
    const auto scope = b.scope(fmt::format("block.{}", number++));
    x = make(b, x, sizes...);
  };
  for (const std::int64_t channels : {32, 64, 64}) block(block35, channels);
  block(reduce35);
  for (const std::int64_t channels : {128, 160, 160, 192}) block(block17, channels);
  Tensor aux;
  Tensor aux_labels;
  if (settings.number("aux") == 1 && b.training()) {
    aux_labels = b.input("aux_labels", DType::kI64, {batch});
    aux = auxiliary_loss(b, x, classes, aux_labels);
  }
  block(reduce17);
  for (int i = 0; i < 2; ++i) block(block8);
  classify(b, x, classes, 0.2);
  if (aux) {
    const auto scope = b.scope("loss");
    b.set_loss(b.add(b.loss(), aux));
  }
  return {};
}

double estimate_inception(const Settings& settings) { return settings.training() ? 2500 : 1000; }

}  // namespace

std::vector<Model> inception_models() {
  return {{"inception-v3", "Inception-V3 image classifier",
           with_common({
               whole_number("batch", 32, 1, 65536, "images per step"),
               whole_number("image", 299, 107, 4096, "height and width of an image"),
               whole_number("classes", 1000, 1, 1'000'000, "classes"),
               whole_number("aux", 0, 0, 1, "1: with the auxiliary classifier, in training"),
           }),
           estimate_inception, build_inception}};
}

}  // namespace berth::zoo
