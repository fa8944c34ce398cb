// SPDX-License-Identifier: Apache-2.0
// How the weights of a model without a file are stored: as one type ("bf16"), as a GGUF file of a name ("q4_k_m"), or
// packed by one of the methods of Hugging Face ("awq", "fp8").
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "serving/weight_mix.h"

namespace berth::llm {

// Matrices of whole layers in few bits, with scales for groups of elements; the rest stays as it is.
struct Packing {
  std::string method = {};    // "awq"
  double bits = 4.0;          // of an element
  std::int64_t group = 0;     // elements that share scales; 0: a row does, which counts as nothing
  double group_bytes = 0.0;   // scales and zero points of a group
  bool experts_only = false;  // attention and all that every token visits is not packed
  bool packs_head = false;
};

class WeightFormat {
 public:
  // One type of ggml, a GGUF file's, or "awq", "gptq", "fp8", "mxfp4"; in any case.
  static Result<WeightFormat> find(std::string_view name);
  // Packed matrices; others, and those of `type` alone.
  static WeightFormat packed(Packing packing, std::string_view type);

  [[nodiscard]] const std::string& name() const { return name_; }  // "q4_k_m", "awq (4 bit)"
  [[nodiscard]] Bytes bytes(const Config& config, const MatrixToStore& matrix) const;

 private:
  std::string name_;
  const WeightMix* mix_ = nullptr;
  const GgmlType* type_ = nullptr;
  std::optional<Packing> packing_;
};

}  // namespace berth::llm
