// SPDX-License-Identifier: Apache-2.0
// Mixtures of experts (GShard, Lepikhin et al., 2020; Mixtral, Jiang et al., 2024): Llama layers whose feed-forward
// part is a router and several gated experts of fixed capacity. Every expert is a module of its own,
// "layer.<k>.expert.<e>", so that planners can spread them.
#include <fmt/format.h>

#include <algorithm>

#include "zoo/models/attention.h"
#include "zoo/models/llama.h"

namespace berth::zoo {
namespace {

// Tokens an expert takes: its fair share times the capacity factor.
std::int64_t capacity(const LlamaSizes& sizes, const Settings& settings) {
  const std::int64_t choices = sizes.batch * sizes.seq * settings.number("top_k");
  const std::int64_t share = choices * settings.number("capacity") / (100 * settings.number("experts"));
  return std::max<std::int64_t>(1, share);
}

Tensor experts(ModelBuilder& b, Tensor tokens, const LlamaSizes& sizes, const Settings& settings) {
  const std::int64_t count = settings.number("experts");
  ModelBuilder::Gates gates;
  std::vector<Tensor> inputs, outputs;
  {
    const auto scope = b.scope("router");
    gates = b.topk(b.softmax(b.linear("gate", tokens, count, false)), settings.number("top_k"));
    inputs = b.unstack(b.moe_dispatch(tokens, gates.experts, count, capacity(sizes, settings)));
  }
  for (std::size_t e = 0; e < inputs.size(); ++e) {
    const auto scope = b.scope(fmt::format("expert.{}", e));
    outputs.push_back(gated_mlp(b, inputs[e], sizes.ffn));
  }
  const auto scope = b.scope("router");
  return b.moe_combine(b.stack(outputs), gates);
}

Tensor moe_layer(ModelBuilder& b, Tensor x, const LlamaSizes& sizes, const LlamaTables& tables,
                 const Settings& settings) {
  x = llama_attention(b, x, sizes, tables);
  const Shape shape = b.shape(x);
  const Tensor tokens = b.reshape(rms_norm(b, "moe.norm", x), {shape[0] * shape[1], shape[2]});
  return b.add(b.reshape(experts(b, tokens, sizes, settings), shape), x);
}

Status build_moe(ModelBuilder& b, const Settings& settings) {
  BERTH_TRY(const LlamaSizes sizes, llama_sizes(settings));
  if (settings.number("top_k") > settings.number("experts")) {
    return bad_input("top_k={} is more than experts={}", settings.number("top_k"), settings.number("experts"));
  }
  llama_model(b, sizes, settings, moe_layer);
  return {};
}

double estimate_moe(const Settings& settings) {
  const double expert_ops = static_cast<double>(settings.number("experts")) * (settings.training() ? 28.0 : 8.0);
  return static_cast<double>(settings.number("layers") + 2) * ((settings.training() ? 150.0 : 60.0) + expert_ops);
}

std::vector<ParameterInfo> moe_parameters(const LlamaSizes& defaults, CommonDefaults common) {
  std::vector<ParameterInfo> all = llama_parameters(defaults);
  all.push_back(whole_number("experts", 8, 1, 4096, "experts of a layer"));
  all.push_back(whole_number("top_k", 2, 1, 64, "experts that a token visits"));
  all.push_back(whole_number("capacity", 125, 1, 10'000, "tokens an expert takes, in percent of its fair share"));
  return with_common(std::move(all), common);
}

}  // namespace

std::vector<Model> moe_models() {
  return {{"moe", "mixture-of-experts language model, 8 experts a layer",
           moe_parameters({8, 512, 1024, 12, 16, 16, 4096, 32'000}, {.optimizer = "adam"}), estimate_moe, build_moe},
          {"moe-141b", "mixture of experts of 141 B parameters, like Mixtral 8x22B",
           moe_parameters({1, 512, 6144, 56, 48, 8, 16'384, 32'000},
                          {.mode = "infer", .optimizer = "adam", .dtype = "bf16"}),
           estimate_moe, build_moe}};
}

}  // namespace berth::zoo
