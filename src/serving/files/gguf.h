// SPDX-License-Identifier: Apache-2.0
// GGUF headers (versions 2 and 3, little-endian): metadata and tensor list, no weights. Input is hostile: every length
// and count is checked against what is left of the file before anything is kept, so memory stays near the header's
// size. The data behind the header may be missing: a header alone is enough to plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/units.h"
#include "serving/ggml_type.h"

namespace berth {

// Numbers and truths as integers, real numbers, texts, short lists of integers; other values are skipped. Of long lists
// (vocabularies) only the length is kept.
struct GgufList {
  std::vector<std::int64_t> numbers;  // empty for lists of texts and for lists longer than kMostListed
  std::uint64_t length = 0;
};
using GgufValue = std::variant<std::int64_t, double, std::string, GgufList>;
inline constexpr std::uint64_t kMostListed = 8192;

struct GgufTensor {
  std::string name;
  std::int64_t elements = 0;
  Bytes bytes = 0;
};

struct GgufHeader {
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<GgufTensor> tensors;

  [[nodiscard]] const std::string* text(std::string_view key) const;  // nullptr: not there, or no text
  [[nodiscard]] std::optional<std::int64_t> number(std::string_view key) const;
  [[nodiscard]] const GgufList* list(std::string_view key) const;
};

Result<GgufHeader> read_gguf_header(std::string_view bytes);

}  // namespace berth
