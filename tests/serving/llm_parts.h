// SPDX-License-Identifier: Apache-2.0
// Small GGUF and safetensors files, written byte by byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

template <typename T>
std::string raw(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
inline std::string gguf_text(std::string_view text) { return raw<std::uint64_t>(text.size()) + std::string(text); }
inline std::string gguf_pair(std::string_view key, std::uint32_t value) {
  return gguf_text(key) + raw<std::uint32_t>(4) + raw(value);
}
inline std::string gguf_pair(std::string_view key, std::string_view value) {
  return gguf_text(key) + raw<std::uint32_t>(8) + gguf_text(value);
}
inline std::string gguf_tensor(std::string_view name, const std::vector<std::uint64_t>& dims, std::uint32_t type) {
  std::string bytes = gguf_text(name) + raw(static_cast<std::uint32_t>(dims.size()));
  for (const std::uint64_t dim : dims) bytes += raw(dim);
  return bytes + raw(type) + raw<std::uint64_t>(0);
}
inline std::string gguf_file(const std::vector<std::string>& pairs, const std::vector<std::string>& tensors) {
  std::string bytes =
      "GGUF" + raw<std::uint32_t>(3) + raw<std::uint64_t>(tensors.size()) + raw<std::uint64_t>(pairs.size());
  for (const std::string& pair : pairs) bytes += pair;
  for (const std::string& tensor : tensors) bytes += tensor;
  return bytes;
}
inline std::vector<std::string> tiny_pairs() {
  return {gguf_pair("general.architecture", "llama"),
          gguf_pair("general.name", "Tiny"),
          gguf_pair("llama.block_count", 2U),
          gguf_pair("llama.embedding_length", 64U),
          gguf_pair("llama.feed_forward_length", 128U),
          gguf_pair("llama.attention.head_count", 4U),
          gguf_pair("llama.attention.head_count_kv", 2U),
          gguf_pair("llama.context_length", 2048U),
          gguf_pair("llama.vocab_size", 100U)};
}
inline std::vector<std::string> tiny_tensors() {
  std::vector<std::string> tensors{gguf_tensor("token_embd.weight", {64, 100}, 1),
                                   gguf_tensor("output_norm.weight", {64}, 0),
                                   gguf_tensor("output.weight", {64, 100}, 8)};
  for (const std::string layer : {"blk.0.", "blk.1."}) {
    tensors.push_back(gguf_tensor(layer + "attn_norm.weight", {64}, 0));
    tensors.push_back(gguf_tensor(layer + "attn_q.weight", {64, 64}, 2));
    tensors.push_back(gguf_tensor(layer + "ffn_up.weight", {64, 128}, 2));
    tensors.push_back(gguf_tensor(layer + "ffn_down.weight", {128, 64}, 2));
  }
  return tensors;
}
inline std::string safetensors_file(std::string_view header) {
  return raw<std::uint64_t>(header.size()) + std::string(header);
}

}  // namespace berth
