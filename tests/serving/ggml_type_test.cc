// SPDX-License-Identifier: Apache-2.0
#include "serving/ggml_type.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::llm {
namespace {

TEST(GgmlType, SizesOfBlocks) {
  EXPECT_EQ(find_ggml_type("q4_0")->block_bytes, 18);  // a scale of two bytes and 32 halves of a byte
  EXPECT_EQ(find_ggml_type("Q8_0")->block_bytes, 34);
  EXPECT_EQ(find_ggml_type("q6_k")->block_bytes, 210);
  EXPECT_EQ(find_ggml_type(12)->name, "q4_k");
  EXPECT_EQ(find_ggml_type(39)->name, "mxfp4");
  EXPECT_EQ(find_ggml_type(42)->block_bytes, 18) << "q2_0: a scale of two bytes and 64 quarters of a byte";
  EXPECT_EQ(find_ggml_type(4), nullptr) << "removed from ggml";
  EXPECT_EQ(find_ggml_type("q9"), nullptr);
}

TEST(GgmlType, IdsAndNamesAreUnique) {
  for (const GgmlType& type : ggml_types()) {
    EXPECT_EQ(find_ggml_type(type.id), &type);
    EXPECT_EQ(find_ggml_type(type.name), &type);
  }
}

TEST(GgmlType, RowsAreWholeBlocks) {
  EXPECT_EQ(stored_bytes(*find_ggml_type("q4_0"), 64, 3), 3 * 2 * 18);
  EXPECT_EQ(stored_bytes(*find_ggml_type("q4_0"), 33, 1), 2 * 18);
  EXPECT_EQ(stored_bytes(*find_ggml_type("f32"), 0, 5), 0);
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ(stored_bytes(*find_ggml_type("f64"), huge, huge), std::numeric_limits<Bytes>::max());
}

}  // namespace
}  // namespace berth::llm
