// SPDX-License-Identifier: Apache-2.0
#include "serving/ggml_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

namespace berth::llm {
namespace {

constexpr std::array kTypes{
    GgmlType{0, "f32", 1, 4},         GgmlType{1, "f16", 1, 2},         GgmlType{2, "q4_0", 32, 18},
    GgmlType{3, "q4_1", 32, 20},      GgmlType{6, "q5_0", 32, 22},      GgmlType{7, "q5_1", 32, 24},
    GgmlType{8, "q8_0", 32, 34},      GgmlType{9, "q8_1", 32, 36},      GgmlType{10, "q2_k", 256, 84},
    GgmlType{11, "q3_k", 256, 110},   GgmlType{12, "q4_k", 256, 144},   GgmlType{13, "q5_k", 256, 176},
    GgmlType{14, "q6_k", 256, 210},   GgmlType{15, "q8_k", 256, 292},   GgmlType{16, "iq2_xxs", 256, 66},
    GgmlType{17, "iq2_xs", 256, 74},  GgmlType{18, "iq3_xxs", 256, 98}, GgmlType{19, "iq1_s", 256, 50},
    GgmlType{20, "iq4_nl", 32, 18},   GgmlType{21, "iq3_s", 256, 110},  GgmlType{22, "iq2_s", 256, 82},
    GgmlType{23, "iq4_xs", 256, 136}, GgmlType{24, "i8", 1, 1},         GgmlType{25, "i16", 1, 2},
    GgmlType{26, "i32", 1, 4},        GgmlType{27, "i64", 1, 8},        GgmlType{28, "f64", 1, 8},
    GgmlType{29, "iq1_m", 256, 56},   GgmlType{30, "bf16", 1, 2},       GgmlType{34, "tq1_0", 256, 54},
    GgmlType{35, "tq2_0", 256, 66},   GgmlType{39, "mxfp4", 32, 17},    GgmlType{40, "nvfp4", 64, 36},
    GgmlType{41, "q1_0", 128, 18},    GgmlType{42, "q2_0", 64, 18},
};

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

Bytes clamped_product(Bytes a, Bytes b) {
  Bytes product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<Bytes>::max() : product;
}

}  // namespace

std::span<const GgmlType> ggml_types() { return kTypes; }

const GgmlType* find_ggml_type(std::uint32_t id) {
  const auto found = std::ranges::find(kTypes, id, &GgmlType::id);
  return found != kTypes.end() ? &*found : nullptr;
}

const GgmlType* find_ggml_type(std::string_view name) {
  const auto found = std::ranges::find_if(kTypes, [&](const GgmlType& type) { return same_word(type.name, name); });
  return found != kTypes.end() ? &*found : nullptr;
}

Bytes stored_bytes(const GgmlType& type, std::int64_t row, std::int64_t rows) {
  const std::int64_t blocks = row / type.block_elements + (row % type.block_elements != 0 ? 1 : 0);
  return clamped_product(clamped_product(blocks, type.block_bytes), rows);
}

}  // namespace berth::llm
