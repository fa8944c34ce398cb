// SPDX-License-Identifier: Apache-2.0
#include "serving/files/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "files/json/json_reader.h"
#include "graph/builder.h"

namespace berth {
namespace {

constexpr std::uint64_t kMostHeader = 100'000'000;  // as in the format's own reader
constexpr std::size_t kMostStoredTensors = 1 << 20, kMostFiles = 4096;

constexpr std::array<std::pair<std::string_view, int>, 14> kBits{{{"F64", 64},
                                                                  {"F32", 32},
                                                                  {"F16", 16},
                                                                  {"BF16", 16},
                                                                  {"F8_E4M3", 8},
                                                                  {"F8_E5M2", 8},
                                                                  {"I64", 64},
                                                                  {"U64", 64},
                                                                  {"I32", 32},
                                                                  {"U32", 32},
                                                                  {"I16", 16},
                                                                  {"I8", 8},
                                                                  {"U8", 8},
                                                                  {"BOOL", 8}}};

Result<std::int64_t> count_elements(const JsonValue& shape) {
  std::int64_t elements = 1;
  BERTH_RETURN_IF_ERROR(shape.for_each([&](const JsonValue& value) -> Status {
    BERTH_TRY(const std::int64_t size, value.integer(0, kMaxTotalBytes));
    if (__builtin_mul_overflow(elements, size, &elements)) return value.error("the size of the tensor overflows");
    return {};
  }));
  return elements;
}

Result<Bytes> stretch(const JsonValue& offsets) {
  const auto begin = offsets.at(0), end = offsets.at(1);
  if (!begin || !end || offsets.size() != 2) return offsets.error("expected the begin and the end of the data");
  BERTH_TRY(const std::int64_t from, begin->integer(0, kMaxTotalBytes));
  BERTH_TRY(const std::int64_t to, end->integer(from, kMaxTotalBytes));
  return to - from;
}

Result<StoredTensor> read_tensor(std::string_view name, const JsonValue& value) {
  const auto dtype = value.find("dtype"), shape = value.find("shape"), offsets = value.find("data_offsets");
  if (!dtype || !shape || !offsets) return value.error("expected an object with dtype, shape and data_offsets");
  StoredTensor tensor;
  tensor.name = name;
  BERTH_TRY(const std::string_view type, dtype->string());
  tensor.dtype = type;
  BERTH_TRY(tensor.elements, count_elements(*shape));
  BERTH_TRY(tensor.bytes, stretch(*offsets));
  const auto known = std::ranges::find(kBits, type, &std::pair<std::string_view, int>::first);
  if (known != kBits.end() && tensor.elements != tensor.bytes / (known->second / 8)) {
    return value.error(fmt::format("{} elements of {} do not take {} bytes", tensor.elements, type, tensor.bytes));
  }
  return tensor;
}

// The text as a value: its members can then be visited whatever their names are.
Result<JsonDocument> as_member(std::string_view text) {
  return JsonDocument::open(fmt::format("{{\"header\":{}}}", text), kMostHeader + 16);
}

}  // namespace

Result<std::vector<StoredTensor>> read_safetensors_header(std::string_view bytes) {
  std::uint64_t size = 0;
  if (bytes.size() < sizeof(size)) return bad_input("it is no safetensors file: it has only {} bytes", bytes.size());
  std::memcpy(&size, bytes.data(), sizeof(size));
  const std::size_t left = bytes.size() - sizeof(size);
  if (size > kMostHeader || size > left) {
    return bad_input("the header is {} bytes long, the file has {} left and at most {} are allowed", size, left,
                     kMostHeader);
  }
  const std::string_view text = bytes.substr(sizeof(size), size);
  if (!text.starts_with("{")) return bad_input("the header does not begin with '{{'; is it a safetensors file?");
  BERTH_TRY(JsonDocument document, as_member(text));
  BERTH_TRY(const JsonValue header, document.member("header"));
  std::vector<StoredTensor> tensors;
  std::set<std::string, std::less<>> names;
  Bytes total = 0;
  BERTH_RETURN_IF_ERROR(header.for_each_member([&](std::string_view name, const JsonValue& value) -> Status {
    if (name == "__metadata__") return {};
    if (name.empty() || name.size() > kMaxNameLength || tensors.size() >= kMostStoredTensors) {
      return value.error("a name is empty or too long, or there are too many tensors");
    }
    BERTH_TRY(StoredTensor tensor, read_tensor(name, value));
    total += tensor.bytes;
    if (total > kMaxTotalBytes) return value.error("the sizes of the tensors overflow");
    if (!names.insert(tensor.name).second) return value.error("the tensor is listed twice");
    tensors.push_back(std::move(tensor));
    return {};
  }));
  return tensors;
}

Result<std::vector<std::string>> read_safetensors_index(std::string text) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text), kMostHeader));
  BERTH_TRY(const JsonValue map, document.member("weight_map"));
  std::set<std::string> files;
  BERTH_RETURN_IF_ERROR(map.for_each_member([&](std::string_view, const JsonValue& value) -> Status {
    BERTH_TRY(const std::string_view file, value.string());
    if (file.empty() || file.find('/') != std::string_view::npos || file.find('\\') != std::string_view::npos ||
        file.find('\0') != std::string_view::npos || file.size() > 255) {
      return value.expected("the name of a file in the same folder");
    }
    files.emplace(file);
    if (files.size() > kMostFiles) return value.error("more than 4,096 files");
    return {};
  }));
  if (files.empty()) return bad_input("weight_map names no file");
  return std::vector<std::string>(files.begin(), files.end());
}

}  // namespace berth
