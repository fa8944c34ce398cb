// SPDX-License-Identifier: Apache-2.0
#include "serving/weight_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace berth::llm {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// As their makers publish them most often.
std::optional<Packing> usual_packing(std::string_view name) {
  if (name == "awq" || name == "gptq") return Packing{std::string(name), 4.0, 128, 2.5};
  if (name == "fp8") return Packing{"fp8", 8.0, 128 * 128, 4.0};
  return std::nullopt;
}

bool is_packed(const Packing& packing, const MatrixToStore& matrix) {
  if (matrix.layer < 0) return matrix.name == "output" && packing.packs_head;
  return matrix.experts || !packing.experts_only;
}

}  // namespace

Result<WeightFormat> WeightFormat::find(std::string_view name) {
  const std::string word = lower(name);
  WeightFormat format;
  format.name_ = word;
  format.mix_ = find_weight_mix(word);
  if (format.mix_ != nullptr) return format;
  if (auto packing = usual_packing(word)) return packed(*std::move(packing), "bf16");
  format.type_ = find_ggml_type(word);
  if (format.type_ != nullptr) return format;
  return bad_input("no weight type '{}'; write for example f16, bf16, q8_0, q5_k_m, q4_k_m, iq4_xs, mxfp4, awq or fp8",
                   name);
}

WeightFormat WeightFormat::packed(Packing packing, std::string_view type) {
  WeightFormat format;
  format.name_ = fmt::format("{} ({:g} bit)", packing.method, packing.bits);
  format.type_ = find_ggml_type(type);
  format.packing_ = std::move(packing);
  return format;
}

Bytes WeightFormat::bytes(const Config& config, const MatrixToStore& matrix) const {
  if (mix_ != nullptr) return stored_bytes(mixed_type(*mix_, config, matrix), matrix.row, matrix.rows);
  if (!packing_ || !is_packed(*packing_, matrix)) return stored_bytes(*type_, matrix.row, matrix.rows);
  const double elements = static_cast<double>(matrix.row) * static_cast<double>(matrix.rows);
  const double groups = packing_->group > 0 ? elements / static_cast<double>(packing_->group) : 0.0;
  return static_cast<Bytes>(std::min(0x1.0p62, elements * packing_->bits / 8.0 + groups * packing_->group_bytes));
}

}  // namespace berth::llm
