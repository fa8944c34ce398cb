// SPDX-License-Identifier: Apache-2.0
#include "serving/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph/builder.h"
#include "problem/cost/streamed_op.h"

namespace berth::llm {
namespace {

// Bytes as they are stored, whatever their type. Not an integer, so that nobody takes weights for an index.
constexpr DType kStored = DType::kF8;

// Weights of one op, by their places in Model::tensors.
using Weights = std::vector<std::size_t>;

struct LayerWeights {
  Weights qkv, out, route, shared, gate, up, down;
};

bool has(std::string_view name, std::string_view word) { return name.find(word) != std::string_view::npos; }

Weights& slot_of(LayerWeights& layer, const Tensor& tensor) {
  switch (tensor.part) {
    case Part::kGate:
      return layer.gate;
    case Part::kUp:
      return layer.up;
    case Part::kDown:
      return layer.down;
    default:
      break;
  }
  if (has(tensor.name, "shexp")) return layer.shared;
  if (has(tensor.name, "ffn_gate_inp") || has(tensor.name, "exp_probs")) return layer.route;
  if (has(tensor.name, "attn_output") || has(tensor.name, "ssm_out") || has(tensor.name, "post_attention") ||
      has(tensor.name, "ffn_norm"))
    return layer.out;
  return layer.qkv;
}

class Writer {
 public:
  Writer(const Model& model, const Workload& workload)
      : model_(model),
        config_(model.config),
        workload_(workload),
        tokens_(workload.tokens()),
        builder_(fmt::format("{}, {}", model.title, workload.phase == Phase::kDecode ? "decode" : "prefill")),
        layers_(static_cast<std::size_t>(config_.layers)) {}

  Result<ServingGraph> write() && {
    sort_tensors();
    hold_towers();
    OutputRef x = embed();
    for (std::int64_t layer = 0; layer < config_.layers; ++layer) x = write_layer(layer, x);
    head(x);
    BERTH_TRY(Graph graph, std::move(builder_).build());
    return ServingGraph{std::move(graph), std::move(berths_)};
  }

 private:
  void sort_tensors() {
    for (std::size_t i = 0; i < model_.tensors.size(); ++i) {
      const Tensor& tensor = model_.tensors[i];
      if (tensor.layer >= 0 && tensor.layer < config_.layers) {
        slot_of(layers_[static_cast<std::size_t>(tensor.layer)], tensor).push_back(i);
      } else if (tensor.part == Part::kOutput) {
        output_.push_back(i);
      } else if (tensor.part == Part::kTower) {
        towers_.push_back(i);
      } else {
        input_.push_back(i);
      }
    }
  }

  // They take memory; a step of words does not compute with them.
  void hold_towers() {
    berth_ = {.layer = -1, .part = Part::kTower};
    module_ = "towers";
    parameters(towers_);
  }

  OutputRef embed() {
    berth_ = {.layer = -1, .part = Part::kInput};
    module_ = "embedding";
    const OutputRef ids =
        add({.name = "ids", .type = "input", .role = Role::kInput, .outputs = {{DType::kI32, {tokens_}}}});
    std::vector<OutputRef> inputs = parameters(input_);
    inputs.insert(inputs.begin(), ids);
    return add({.name = "embed",
                .type = "embedding_lookup",
                .inputs = std::move(inputs),
                .outputs = {activation(config_.hidden)},
                .bytes_touched = 2 * bytes_of(activation(config_.hidden))});
  }

  OutputRef write_layer(std::int64_t layer, OutputRef x) {
    const LayerWeights& weights = layers_[static_cast<std::size_t>(layer)];
    berth_ = {.layer = static_cast<std::int32_t>(layer), .part = Part::kRest};
    module_ = fmt::format("layer.{}.attention", layer);
    const CacheShape shape = cache_shape(config_, layer, workload_.cache);
    const std::int64_t qkv_width = config_.has_state(layer)
                                       ? config_.state.channels() + config_.state.inner
                                       : config_.heads * config_.key_width + shape.key_width + shape.value_width;
    const OutputRef qkv = product(name(layer, "qkv"), weights.qkv, {x}, std::max<std::int64_t>(1, qkv_width));
    const OutputRef mixed = attend(layer, qkv);
    const OutputRef h = product(name(layer, "out"), weights.out, {mixed, x}, config_.hidden);
    module_ = fmt::format("layer.{}.mlp", layer);
    return feed_forward(layer, weights, h);
  }

  OutputRef attend(std::int64_t layer, OutputRef qkv) {
    const Bytes cached = cache_bytes(config_, layer, workload_.cache);
    const std::int64_t width =
        std::max<std::int64_t>(1, config_.has_state(layer) ? config_.state.inner : config_.heads * config_.value_width);
    std::vector<OutputRef> inputs{qkv};
    if (cached > 0) {
      inputs.push_back(add(
          {.name = name(layer, "cache"), .type = "buffer", .role = Role::kBuffer, .outputs = {{kStored, {cached}}}}));
    }
    const double depth = mean_depth();
    const double reads = workload_.phase == Phase::kDecode ? static_cast<double>(workload_.cache.sequences) : 1.0;
    const double read = reads * cache_bytes_read(config_, layer, workload_.cache, static_cast<std::int64_t>(depth));
    return add({.name = name(layer, "attend"),
                .type = "cached_attention",
                .inputs = std::move(inputs),
                .outputs = {activation(width)},
                .flops = static_cast<double>(tokens_) * attention_flops(layer, depth),
                .bytes_touched = to_bytes(read) + 4 * bytes_of(activation(width))});
  }

  // Of one token in one layer that looks back at so many.
  [[nodiscard]] double attention_flops(std::int64_t layer, double depth) const {
    if (config_.has_state(layer)) {  // the state decays, is read, corrected and read again
      return 8.0 * static_cast<double>(config_.state.state) * static_cast<double>(config_.state.inner);
    }
    const CacheShape shape = cache_shape(config_, layer, workload_.cache);
    const double kv_heads = std::max<double>(1.0, static_cast<double>(config_.kv_heads_at(layer)));
    const double width_seen = config_.is_latent() ? static_cast<double>(2 * config_.kv_rank + config_.rope_width)
                                                  : static_cast<double>(shape.key_width + shape.value_width) / kv_heads;
    const double seen = config_.is_windowed(layer) ? std::min(depth, static_cast<double>(config_.window)) : depth;
    return 2.0 * static_cast<double>(config_.heads) * seen * width_seen;
  }

  // Tokens that a new token looks back at, on average over the step.
  [[nodiscard]] double mean_depth() const {
    if (workload_.phase == Phase::kPrefill) {
      return static_cast<double>(std::max<std::int64_t>(0, workload_.depth)) +
             static_cast<double>(workload_.cache.prompt_batch) / 2.0;
    }
    return static_cast<double>(workload_.depth >= 0 ? workload_.depth : workload_.cache.context);
  }

  OutputRef feed_forward(std::int64_t layer, const LayerWeights& weights, OutputRef h) {
    OutputRef x = h;
    if (!weights.route.empty()) x = product(name(layer, "route"), weights.route, {h}, config_.hidden);
    std::vector<OutputRef> joined{h};
    if (!weights.shared.empty()) joined.push_back(product(name(layer, "shared"), weights.shared, {x}, config_.hidden));
    const std::int64_t width = inner_width(weights);
    std::vector<OutputRef> inner;
    if (!weights.gate.empty()) {
      berth_.part = Part::kGate;
      inner.push_back(product(name(layer, "gate"), weights.gate, {x}, width));
    }
    if (!weights.up.empty()) {
      berth_.part = Part::kUp;
      inner.push_back(product(name(layer, "up"), weights.up, {x}, width));
    }
    if (!weights.down.empty()) {
      berth_.part = Part::kDown;
      if (inner.empty()) inner.push_back(x);
      joined.push_back(product(name(layer, "down"), weights.down, inner, config_.hidden));
    }
    berth_.part = Part::kRest;
    return add({.name = name(layer, "join"),
                .type = "add",
                .inputs = std::move(joined),
                .outputs = {activation(config_.hidden)}});
  }

  [[nodiscard]] std::int64_t inner_width(const LayerWeights& weights) const {
    const bool mixture = !weights.down.empty() && model_.tensors[weights.down.front()].experts;
    const std::int64_t width = mixture ? config_.expert_ffn * config_.experts_used : config_.ffn;
    return std::max<std::int64_t>(1, width);
  }

  void head(OutputRef x) {
    berth_ = {.layer = -1, .part = Part::kOutput};
    module_ = "head";
    // A prompt needs the words behind its last token alone.
    tokens_ = workload_.phase == Phase::kDecode ? tokens_ : 1;
    const bool has_head =
        std::ranges::any_of(output_, [&](std::size_t i) { return model_.tensors[i].name == "output.weight"; });
    std::vector<OutputRef> inputs = parameters(output_);
    double elements = elements_read(output_);
    Bytes bytes = bytes_read(output_);
    if (!has_head) {  // tied: runtimes keep a second copy of the word table beside the head
      for (const std::size_t i : input_) {
        if (model_.tensors[i].name != "token_embd.weight") continue;
        inputs.push_back(add({.name = "output.weight (tied)",
                              .type = "parameter",
                              .role = Role::kParameter,
                              .outputs = {{kStored, {model_.tensors[i].bytes}}}}));
        elements += static_cast<double>(model_.tensors[i].elements);
        bytes += model_.tensors[i].bytes;
      }
    }
    inputs.insert(inputs.begin(), x);
    const TensorSpec words{DType::kF16, {tokens_, std::max<std::int64_t>(1, config_.vocab)}};
    const OutputRef logits = add(
        {.name = "logits",
         .type = type_of_product(false, bits_of_weights(8.0 * static_cast<double>(bytes) / std::max(1.0, elements))),
         .inputs = std::move(inputs),
         .outputs = {words},
         .flops = 2.0 * static_cast<double>(tokens_) * elements,
         .bytes_touched = bytes + bytes_of(words) + bytes_of(activation(config_.hidden))});
    builder_.mark_output(logits);
  }

  // A product of activations with all of these weights.
  OutputRef product(std::string op_name, const Weights& weights, std::vector<OutputRef> inputs, std::int64_t width) {
    for (const OutputRef& weight : parameters(weights)) inputs.push_back(weight);
    const TensorSpec output = activation(width);
    return add({.name = op_name,
                .type = type_of(weights),
                .inputs = std::move(inputs),
                .outputs = {output},
                .flops = 2.0 * static_cast<double>(tokens_) * elements_used(weights),
                .bytes_touched = bytes_read(weights) + bytes_of(output) + bytes_of(activation(config_.hidden))});
  }

  std::vector<OutputRef> parameters(const Weights& weights) {
    std::vector<OutputRef> refs;
    for (const std::size_t i : weights) {
      const Tensor& tensor = model_.tensors[i];
      berth_.tensor = static_cast<std::int32_t>(i);
      refs.push_back(add({.name = tensor.name,
                          .type = "parameter",
                          .role = Role::kParameter,
                          .outputs = {{kStored, {tensor.bytes}}},
                          .label = tensor.name}));
      berth_.tensor = -1;
    }
    return refs;
  }

  // Elements that one token is multiplied with, and those of all weights.
  [[nodiscard]] double elements_used(const Weights& weights) const {
    double sum = 0.0;
    for (const std::size_t i : weights) {
      const double share = model_.tensors[i].experts && config_.experts > 0
                               ? static_cast<double>(config_.experts_used) / static_cast<double>(config_.experts)
                               : 1.0;
      sum += share * static_cast<double>(model_.tensors[i].elements);
    }
    return sum;
  }
  [[nodiscard]] double elements_read(const Weights& weights) const {
    double sum = 0.0;
    for (const std::size_t i : weights) sum += static_cast<double>(model_.tensors[i].elements);
    return sum;
  }

  // By the largest of the weights: norms and biases are of another type than what they stand beside.
  [[nodiscard]] std::string_view type_of(const Weights& weights) const {
    const Tensor* largest = nullptr;
    for (const std::size_t i : weights) {
      const Tensor& tensor = model_.tensors[i];
      if (largest == nullptr || tensor.elements > largest->elements) largest = &tensor;
    }
    if (largest == nullptr || largest->elements == 0) return type_of_product(false, WeightBits::kHalf);
    const double bits = 8.0 * static_cast<double>(largest->bytes) / static_cast<double>(largest->elements);
    return type_of_product(largest->experts, bits_of_weights(bits));
  }

  [[nodiscard]] Bytes bytes_read(const Weights& weights) const {
    double sum = 0.0;
    for (const std::size_t i : weights) {
      const Tensor& tensor = model_.tensors[i];
      const double share =
          tensor.experts && config_.experts > 0
              ? expected_experts(config_.experts, config_.experts_used, tokens_) / static_cast<double>(config_.experts)
              : 1.0;
      sum += share * static_cast<double>(tensor.bytes);
    }
    return to_bytes(sum);
  }

  [[nodiscard]] TensorSpec activation(std::int64_t width) const { return {DType::kF16, {tokens_, width}}; }
  static Bytes bytes_of(const TensorSpec& spec) { return std::max<Bytes>(0, tensor_bytes(spec)); }
  static Bytes to_bytes(double bytes) { return static_cast<Bytes>(std::min(bytes, 1e17)); }
  static std::string name(std::int64_t layer, std::string_view what) { return fmt::format("blk.{}.{}", layer, what); }

  OutputRef add(OpSpec spec) {
    spec.module = module_;
    berths_.push_back(berth_);
    return {builder_.add(spec), 0};
  }

  const Model& model_;
  const Config& config_;
  const Workload& workload_;
  std::int64_t tokens_;
  GraphBuilder builder_;
  std::vector<LayerWeights> layers_;
  Weights input_, output_, towers_;
  std::vector<Berth> berths_;
  Berth berth_;
  std::string module_;
};

}  // namespace

double expected_experts(std::int64_t experts, std::int64_t used, std::int64_t tokens) {
  if (experts <= 0) return 0.0;
  const auto all = static_cast<double>(experts);
  const double untouched = std::pow(1.0 - static_cast<double>(used) / all, static_cast<double>(tokens));
  return all * (1.0 - untouched);
}

Result<ServingGraph> build_serving_graph(const Model& model, const Workload& workload) {
  return Writer(model, workload).write();
}

}  // namespace berth::llm
