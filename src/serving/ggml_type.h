// SPDX-License-Identifier: Apache-2.0
// Types of weights and caches as ggml stores them: blocks of some elements in some bytes. Facts from the table
// GGML_QUANT_SIZES of the Python package gguf 0.19 (q8_1, which no file holds, as the C code has it: two halves and 32
// bytes). Types that ggml removed keep their numbers and are refused.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/units.h"

namespace berth::llm {

struct GgmlType {
  std::uint32_t id;
  std::string_view name;  // "q4_k", as llama.cpp's -ctk writes it
  std::int64_t block_elements;
  Bytes block_bytes;
};

std::span<const GgmlType> ggml_types();  // by id
const GgmlType* find_ggml_type(std::uint32_t id);
const GgmlType* find_ggml_type(std::string_view name);  // in any case

// Bytes of that many rows of that many elements each; rows are stored in whole blocks. Clamped at the largest Bytes.
Bytes stored_bytes(const GgmlType& type, std::int64_t row, std::int64_t rows);

}  // namespace berth::llm
