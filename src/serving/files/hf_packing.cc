// SPDX-License-Identifier: Apache-2.0
#include "serving/files/hf_packing.h"

#include <algorithm>

#include "files/json/json_reader.h"
#include "serving/files/hf_fields.h"

namespace berth {
namespace {

constexpr double kHalf = 2.0, kSingle = 4.0;  // bytes of a scale

// Whether modules of that name are to stay as they are.
bool is_kept(const HfFields& fields, std::string_view word) {
  for (const std::string_view list : {"modules_to_not_convert", "ignore"}) {
    for (const std::string& module : fields.words(list)) {
      if (module.find(word) != std::string::npos) return true;
    }
  }
  return false;
}

// Elements that share scales; a whole row does where the file says -1 or nothing.
Result<std::int64_t> group_of(const JsonValue& root, std::int64_t otherwise) {
  const auto value = root.find("group_size");
  if (!value || value->is_null()) return otherwise;
  BERTH_TRY(const std::int64_t size, value->integer(-1, std::int64_t{1} << 40));
  return std::max<std::int64_t>(0, size);
}

// Whole numbers with scales and zero points for groups of them.
Result<llm::Packing> integers(const JsonValue& root, const HfFields& fields, const std::string& method) {
  BERTH_TRY(const std::int64_t bits, fields.number({"bits", "w_bit"}, 4));
  BERTH_TRY(const std::int64_t group, group_of(root, 128));
  BERTH_TRY(const bool packs_head, fields.truth("lm_head", false));
  return llm::Packing{method,    static_cast<double>(bits), group, kHalf + static_cast<double>(bits) / 8.0, false,
                      packs_head};
}

Result<llm::Packing> eight_bit_floats(const JsonValue& root) {
  std::int64_t block = 0;
  if (const auto sizes = root.find("weight_block_size"); sizes && sizes->is_array()) {
    block = 1;
    BERTH_RETURN_IF_ERROR(sizes->for_each([&](const JsonValue& size) -> Status {
      BERTH_TRY(const std::int64_t number, size.integer(1, 65536));
      block = std::min<std::int64_t>(block * number, std::int64_t{1} << 32);
      return {};
    }));
  }
  return llm::Packing{"fp8", 8.0, block, kSingle};
}

// The first group stands for all: what the weights of linear layers are stored in.
Result<llm::Packing> compressed(const JsonValue& root) {
  llm::Packing packing{.method = "compressed-tensors", .bits = 8.0};
  const auto groups = root.find("config_groups");
  if (!groups || !groups->is_object()) return packing;
  bool first = true;
  BERTH_RETURN_IF_ERROR(groups->for_each_member([&](std::string_view, const JsonValue& group) -> Status {
    const auto weights = group.find("weights");
    if (!first || !weights || !weights->is_object()) return {};
    first = false;
    const HfFields fields(*weights, "");
    BERTH_TRY(const std::int64_t bits, fields.number({"num_bits"}, 8));
    BERTH_TRY(packing.group, group_of(*weights, 0));
    packing.bits = static_cast<double>(bits);
    packing.group_bytes = bits == 4 && fields.word({"type"}) == "float" ? 1.0 : kHalf;
    return {};
  }));
  return packing;
}

Result<llm::Packing> bits_and_bytes(const HfFields& fields) {
  BERTH_TRY(const bool four, fields.truth("load_in_4bit", false));
  BERTH_TRY(const bool nested, fields.truth("bnb_4bit_use_double_quant", false));
  if (!four) return llm::Packing{.method = "bitsandbytes", .bits = 8.0};
  return llm::Packing{"bitsandbytes", 4.0, 64, nested ? 1.0 + kSingle / 256.0 : kSingle};
}

// Without a method where the file's is not known.
Result<llm::Packing> packing_of(const JsonValue& root, const HfFields& fields, const std::string& method) {
  if (method == "awq" || method == "gptq") return integers(root, fields, method);
  if (method == "fp8" || method == "fbgemm_fp8") return eight_bit_floats(root);
  if (method == "mxfp4") return llm::Packing{.method = "mxfp4", .bits = 4.0, .group = 32, .group_bytes = 1.0};
  if (method == "compressed-tensors") return compressed(root);
  if (method == "bitsandbytes") return bits_and_bytes(fields);
  return llm::Packing{};
}

}  // namespace

Result<HfPacking> read_packing(const JsonValue& quantization) {
  const HfFields fields(quantization, "");
  const std::string method = fields.word({"quant_method"});
  BERTH_TRY(llm::Packing packing, packing_of(quantization, fields, method));
  if (packing.method.empty()) {
    return HfPacking{std::nullopt, fmt::format("quantization_config: method {} is not known, so weights count as not "
                                               "packed, which is too much; safetensors beside it give the true sizes",
                                               in_quotes(method))};
  }
  if (packing.bits < 1.0 || packing.bits > 64.0) {
    return bad_input("quantization_config: {:g} bits are out of bounds; it must be from 1 to 64", packing.bits);
  }
  packing.experts_only = method == "mxfp4" || is_kept(fields, "self_attn");
  return HfPacking{std::move(packing), {}};
}

}  // namespace berth
