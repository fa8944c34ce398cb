// SPDX-License-Identifier: Apache-2.0
// ResNet-50 and ResNet-152 (He et al., 2016): bottleneck blocks, the stride in the 3x3 convolution as frameworks build
// them.
#include <fmt/format.h>

#include "zoo/models/conv.h"
#include "zoo/models/model.h"

namespace berth::zoo {
namespace {

constexpr std::int64_t kWidening = 4;  // a block's output channels over its inner ones

Tensor resnet_bottleneck(ModelBuilder& b, Tensor x, std::int64_t inner, std::int64_t stride) {
  Tensor y = conv_norm_relu(b, "conv1", x, inner, {});
  y = conv_norm_relu(b, "conv2", y, inner, {.kernel = {3, 3}, .stride = stride});
  y = conv_norm(b, "conv3", y, inner * kWidening, {});
  const bool changes = stride != 1 || b.shape(x)[1] != inner * kWidening;
  const Tensor shortcut = changes ? conv_norm(b, "shortcut", x, inner * kWidening, {.stride = stride}) : x;
  return b.relu(b.add(y, shortcut));
}

Status build_resnet(ModelBuilder& b, const Settings& settings) {
  const std::int64_t size = settings.number("image");
  const std::int64_t width = settings.number("width");
  Tensor x = b.input("images", b.dtype(), {settings.number("batch"), 3, size, size});
  {
    const auto scope = b.scope("stem");
    x = conv_norm_relu(b, "conv", x, width, {.kernel = {7, 7}, .stride = 2});
    x = b.max_pool(x, square(3, 2, 1));
  }
  const std::array blocks{settings.number("blocks1"), settings.number("blocks2"), settings.number("blocks3"),
                          settings.number("blocks4")};
  int number = 0;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage) {
    for (std::int64_t i = 0; i < blocks[stage]; ++i) {
      const auto scope = b.scope(fmt::format("block.{}", number++));
      x = resnet_bottleneck(b, x, width << stage, stage > 0 && i == 0 ? 2 : 1);
    }
  }
  classify(b, x, settings.number("classes"), 0.0);
  return {};
}

double estimate_resnet(const Settings& settings) {
  const std::int64_t blocks =
      settings.number("blocks1") + settings.number("blocks2") + settings.number("blocks3") + settings.number("blocks4");
  return static_cast<double>(blocks + 2) * (settings.training() ? 48.0 : 26.0);
}

Model resnet(std::string_view name, std::string_view summary, std::array<std::int64_t, 4> blocks) {
  return {name, summary,
          with_common({
              whole_number("batch", 32, 1, 65536, "images per step"),
              whole_number("image", 224, 32, 4096, "height and width of an image"),
              whole_number("classes", 1000, 1, 1'000'000, "classes"),
              whole_number("width", 64, 1, 4096, "channels of the stem"),
              whole_number("blocks1", blocks[0], 1, 10'000, "blocks of the first stage"),
              whole_number("blocks2", blocks[1], 1, 10'000, "blocks of the second stage"),
              whole_number("blocks3", blocks[2], 1, 10'000, "blocks of the third stage"),
              whole_number("blocks4", blocks[3], 1, 10'000, "blocks of the last stage"),
          }),
          estimate_resnet, build_resnet};
}

}  // namespace

std::vector<Model> resnet_models() {
  return {resnet("resnet-50", "residual network of 50 layers", {3, 4, 6, 3}),
          resnet("resnet-152", "residual network of 152 layers", {3, 8, 36, 3})};
}

}  // namespace berth::zoo
