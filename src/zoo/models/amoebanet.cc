// SPDX-License-Identifier: Apache-2.0
// AmoebaNet-D (Real et al., 2018) as GPipe scales it: `layers` normal cells in three groups, `filters` wide. Cells,
// their combinations and the concatenation follow the TensorFlow reference as described in kakaobrain/torchgpipe.
#include <fmt/format.h>

#include <span>

#include "zoo/models/conv.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

enum class Piece { kConv1x1, kConv3x3, kConv7x7, kMaxPool2, kMaxPool3, kAvgPool3, kNone };

struct Choice {
  std::size_t state;  // which earlier state it reads
  Piece piece;
};

// Two choices are added to make the next state.
constexpr std::array kNormal{
    Choice{1, Piece::kConv1x1},  Choice{1, Piece::kMaxPool3}, Choice{1, Piece::kNone},     Choice{0, Piece::kConv7x7},
    Choice{0, Piece::kConv1x1},  Choice{0, Piece::kConv7x7},  Choice{2, Piece::kMaxPool3}, Choice{2, Piece::kNone},
    Choice{1, Piece::kAvgPool3}, Choice{5, Piece::kConv1x1},
};
constexpr std::array<std::size_t, 4> kNormalJoin{0, 3, 4, 6};
constexpr std::array kReduction{
    Choice{0, Piece::kMaxPool2}, Choice{0, Piece::kMaxPool3}, Choice{2, Piece::kNone}, Choice{1, Piece::kConv3x3},
    Choice{2, Piece::kConv7x7},  Choice{2, Piece::kMaxPool3}, Choice{3, Piece::kNone}, Choice{1, Piece::kMaxPool2},
    Choice{2, Piece::kAvgPool3}, Choice{3, Piece::kConv1x1},
};
constexpr std::array<std::size_t, 3> kReductionJoin{4, 5, 6};

Tensor relu_conv_norm(ModelBuilder& b, std::string_view name, Tensor x, std::int64_t channels, const ConvShape& shape) {
  const auto scope = b.scope(name);
  return batch_norm(b, conv(b, "conv", b.relu(x), channels, shape));
}

// Halves height and width: two strided 1x1 convolutions side by side.
Tensor factorized_reduce(ModelBuilder& b, std::string_view name, Tensor x, std::int64_t channels) {
  const auto scope = b.scope(name);
  const Tensor y = b.relu(x);
  const Tensor left = conv(b, "conv0", y, channels / 2, {.stride = 2});
  return batch_norm(b, b.concat({left, conv(b, "conv1", y, channels - channels / 2, {.stride = 2})}, 1));
}

Tensor amoebanet_bottleneck(ModelBuilder& b, Tensor x, std::span<const ConvShape> inner) {
  const std::int64_t channels = b.shape(x)[1];
  Tensor y = relu_conv_norm(b, "in", x, channels / 4, {});
  int number = 0;
  for (const ConvShape& shape : inner) y = relu_conv_norm(b, fmt::format("mid{}", number++), y, channels / 4, shape);
  return relu_conv_norm(b, "out", y, channels, {});
}

Tensor apply(ModelBuilder& b, Piece piece, Tensor x, std::int64_t stride) {
  switch (piece) {
    case Piece::kConv1x1:
      return relu_conv_norm(b, "one", x, b.shape(x)[1], {.stride = stride});
    case Piece::kConv3x3:
      return amoebanet_bottleneck(b, x, std::array{ConvShape{.kernel = {3, 3}, .stride = stride}});
    case Piece::kConv7x7:  // a 1x7 and a 7x1; no cell has it with a stride
      BERTH_CHECK(stride == 1);
      return amoebanet_bottleneck(b, x, std::array{ConvShape{.kernel = {1, 7}}, ConvShape{.kernel = {7, 1}}});
    case Piece::kMaxPool2:
      return b.max_pool(x, square(2, stride, 0));
    case Piece::kMaxPool3:
      return b.max_pool(x, square(3, stride, 1));
    case Piece::kAvgPool3:
      return b.avg_pool(x, square(3, stride, 1));
    case Piece::kNone:
      return x;
  }
  return x;
}

// The two last outputs, which every cell reads, and what the next cell must know about them.
struct Trunk {
  Tensor last, before;
  std::int64_t channels = 0;
  bool reduced = false;  // last is half as high and wide as before
  int cells = 0;
};

Tensor fit_before(ModelBuilder& b, const Trunk& trunk) {
  if (trunk.reduced) return factorized_reduce(b, "reduce2", trunk.before, trunk.channels);
  if (b.shape(trunk.before)[1] == trunk.channels) return trunk.before;
  return relu_conv_norm(b, "reduce2", trunk.before, trunk.channels, {});
}

void add_cell(ModelBuilder& b, Trunk& trunk, bool reduction) {
  if (reduction) trunk.channels *= 2;
  const auto scope = b.scope(fmt::format("block.{}", trunk.cells++));
  const std::span<const Choice> choices = reduction ? std::span<const Choice>(kReduction) : kNormal;
  std::vector<Tensor> states{relu_conv_norm(b, "reduce1", trunk.last, trunk.channels, {}), fit_before(b, trunk)};
  for (std::size_t i = 0; i < choices.size(); i += 2) {
    std::array<Tensor, 2> parts;
    for (std::size_t j = 0; j < 2; ++j) {
      const Choice& choice = choices[i + j];
      const auto inner = b.scope(fmt::format("op{}", i + j));
      parts[j] = apply(b, choice.piece, states[choice.state], reduction && choice.state < 2 ? 2 : 1);
    }
    states.push_back(b.add(parts[0], parts[1]));
  }
  std::vector<Tensor> joined;
  for (const std::size_t state : reduction ? std::span<const std::size_t>(kReductionJoin) : kNormalJoin) {
    joined.push_back(states[state]);
  }
  trunk.before = trunk.last;
  trunk.last = b.concat(joined, 1);
  trunk.reduced = reduction;
}

Status build_amoebanet(ModelBuilder& b, const Settings& settings) {
  const std::int64_t size = settings.number("image"), layers = settings.number("layers");
  const std::int64_t filters = settings.number("filters");
  if (layers % 3 != 0) return bad_input("layers={} is no multiple of 3", layers);
  if (filters % 8 != 0) return bad_input("filters={} is no multiple of 8", filters);
  if (size % 32 != 0) return bad_input("image={} is no multiple of 32", size);
  const Tensor images = b.input("images", b.dtype(), {settings.number("batch"), 3, size, size});
  const Tensor stem = conv_norm(b, "stem", images, filters / 4, {.kernel = {3, 3}, .stride = 2});
  Trunk trunk{stem, stem, filters / 4};
  add_cell(b, trunk, true);
  for (int group = 0; group < 3; ++group) {
    add_cell(b, trunk, true);
    for (std::int64_t i = 0; i < layers / 3; ++i) add_cell(b, trunk, false);
  }
  classify(b, trunk.last, settings.number("classes"), 0.0);
  return {};
}

double estimate_amoebanet(const Settings& settings) {
  return static_cast<double>(settings.number("layers") + 4) * (settings.training() ? 260.0 : 105.0);
}

}  // namespace

std::vector<Model> amoebanet_models() {
  return {{"amoebanet", "AmoebaNet-D, the evolved image classifier of GPipe and GO",
           with_common({
               whole_number("batch", 32, 1, 65536, "images per step"),
               whole_number("image", 224, 64, 4096, "height and width of an image, a multiple of 32"),
               whole_number("layers", 18, 3, 9999, "normal cells, a multiple of 3"),
               whole_number("filters", 208, 16, 65536, "width, a multiple of 8"),
               whole_number("classes", 1000, 1, 1'000'000, "classes"),
           }),
           estimate_amoebanet, build_amoebanet}};
}

}  // namespace berth::zoo
