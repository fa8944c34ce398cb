// SPDX-License-Identifier: Apache-2.0
// Rules of attention in one operator: ONNX's own (opset 23), and onnxruntime's family. Besides their result they hand
// out the keys and values for the next call ("present"), those of earlier calls ("past") in front.
#include "model/shapes/onnx/rules.h"

#include "model/shapes/dims.h"

namespace berth {
namespace {

Dim heads_of(const NodeView& node, std::string_view attribute) { return known_dim(node.integer(attribute, -1)); }

Dim divided(const Dim& whole, const Dim& parts) {
  return parts.known() && parts.size > 0 ? quotient_of(whole, parts.size) : unknown_dim();
}

// Length of the keys after this call: those of the past and the new ones.
Dim with_past(const NodeView& node, std::size_t past, std::size_t axis, const Dim& added) {
  if (!node.has(past)) return added;
  const Shape* shape = node.shape(past);
  return shape != nullptr && axis < shape->size() ? sum_of((*shape)[axis], added) : unknown_dim();
}

// Of the weight [width, queries + keys + values] in input 1, those of the values.
Dim width_of_values(const NodeView& node) {
  const auto* widths = node.integers("qkv_hidden_sizes");
  if (widths != nullptr && widths->size() == 3) return known_dim(widths->back());
  const Shape* weight = node.shape(1);
  return weight != nullptr && weight->size() == 2 ? quotient_of(weight->back(), 3) : unknown_dim();
}

// Result, and keys and values for the next call.
Outputs with_present(const NodeView& node, std::optional<Shape> result, const Shape& keys, const Shape& values) {
  const auto dtype = node.dtype(0);
  return {{dtype, std::move(result)}, {dtype, keys}, {dtype, values}};
}

// [batch, heads, length, width], or [batch, length, heads * width] with the heads as attributes.
Outputs infer_attention(const NodeView& node) {
  const Shape *query = node.shape(0), *key = node.shape(1), *value = node.shape(2);
  if (query == nullptr || key == nullptr || value == nullptr || key->size() != query->size() ||
      value->size() != query->size())
    return one(node.dtype(0), std::nullopt);
  if (query->size() == 4) {
    const Dim keys = with_past(node, 4, 2, (*key)[2]);
    return with_present(node, Shape{(*query)[0], (*query)[1], (*query)[2], (*value)[3]},
                        {(*key)[0], (*key)[1], keys, (*key)[3]}, {(*value)[0], (*value)[1], keys, (*value)[3]});
  }
  if (query->size() != 3) return one(node.dtype(0), std::nullopt);
  const Dim heads = heads_of(node, "q_num_heads"), key_heads = heads_of(node, "kv_num_heads");
  const Dim keys = with_past(node, 4, 2, (*key)[1]);
  const Dim key_width = divided((*key)[2], key_heads), value_width = divided((*value)[2], key_heads);
  return with_present(node, Shape{(*query)[0], (*query)[1], product_of(heads, value_width)},
                      {(*key)[0], key_heads, keys, key_width}, {(*value)[0], key_heads, keys, value_width});
}

// Input [batch, length, width], weight [width, queries + keys + values]; past and present [2, batch, heads, length,
// width of a head].
Outputs infer_packed_attention(const NodeView& node) {
  const Shape* input = node.shape(0);
  if (input == nullptr || input->size() != 3) return one(node.dtype(0), std::nullopt);
  const Dim width = width_of_values(node);
  const Dim heads = heads_of(node, "num_heads"), keys = with_past(node, 4, 3, (*input)[1]);
  return {{node.dtype(0), Shape{(*input)[0], (*input)[1], width}},
          {node.dtype(0), Shape{known_dim(2), (*input)[0], heads, keys, divided(width, heads)}}};
}

// All sequences of the batch in a row without padding: [tokens, width].
Outputs infer_unpadded_attention(const NodeView& node) {
  const Shape* input = node.shape(0);
  if (input == nullptr || input->size() != 2) return one(node.dtype(0), std::nullopt);
  return one(node.dtype(0), Shape{(*input)[0], width_of_values(node)});
}

// Query [batch, length, width], or all three packed [batch, length, heads, 3, width of a head]; key and value likewise,
// packed into the key as [batch, length, heads, 2, width of a head], or ready as [batch, heads, length, width].
Outputs infer_multi_head_attention(const NodeView& node) {
  const Shape *query = node.shape(0), *key = node.shape(1), *value = node.shape(2);
  if (query == nullptr || (query->size() != 3 && query->size() != 5)) return one(node.dtype(0), std::nullopt);
  const Dim batch = (*query)[0], length = (*query)[1], heads = heads_of(node, "num_heads");
  if (query->size() == 5) {
    const Dim width = query->back();
    const Shape kept{batch, heads, with_past(node, 6, 2, length), width};
    return with_present(node, Shape{batch, length, product_of(heads, width)}, kept, kept);
  }
  const Dim head_width = divided(query->back(), heads);
  Dim keys = unknown_dim(), value_width = head_width;
  if (key != nullptr && key->size() >= 3) keys = (*key)[key->size() == 4 ? 2 : 1];
  if (value != nullptr && value->size() == 3) value_width = divided(value->back(), heads);
  if (value != nullptr && value->size() == 4) value_width = value->back();
  const Dim all_keys = with_past(node, 6, 2, keys);
  return with_present(node, Shape{batch, length, product_of(heads, value_width)}, {batch, heads, all_keys, head_width},
                      {batch, heads, all_keys, value_width});
}

// Query [batch, length, heads * width], key and value [batch, length, fewer heads * width]; without a key, the query
// holds all three. Past and present [batch, fewer heads, length, width].
Outputs infer_group_query_attention(const NodeView& node) {
  const Shape* query = node.shape(0);
  if (query == nullptr || query->size() != 3) return one(node.dtype(0), std::nullopt);
  const Dim heads = heads_of(node, "num_heads"), key_heads = heads_of(node, "kv_num_heads");
  const Dim all_heads = node.has(1) ? heads : sum_of(heads, sum_of(key_heads, key_heads));
  const Dim width = divided(query->back(), all_heads);
  const Shape kept{(*query)[0], key_heads, with_past(node, 3, 2, (*query)[1]), width};
  return with_present(node, Shape{(*query)[0], (*query)[1], product_of(heads, width)}, kept, kept);
}

// The same, but past and present share one buffer, which has room for both.
Outputs infer_sparse_attention(const NodeView& node) {
  Outputs outputs = infer_group_query_attention(node);
  for (std::size_t i = 1; i < outputs.size(); ++i) {
    if (node.has(i + 2)) outputs[i].shape = copy_of(node.shape(i + 2));
  }
  return outputs;
}

constexpr RuleRow kAttentionRules[] = {
    {"Attention", infer_attention},
    {"com.microsoft: Attention QAttention", infer_packed_attention},
    {"com.microsoft: MultiHeadAttention DecoderMaskedMultiHeadAttention", infer_multi_head_attention},
    {"com.microsoft: PackedAttention", infer_unpadded_attention},
    {"com.microsoft: GroupQueryAttention", infer_group_query_attention},
    {"com.microsoft: SparseAttention", infer_sparse_attention},
};

}  // namespace

std::span<const RuleRow> attention_rules() { return kAttentionRules; }

}  // namespace berth
