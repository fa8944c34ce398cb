// SPDX-License-Identifier: Apache-2.0
#include "serving/files/gguf.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "files/json/json_reader.h"
#include "graph/builder.h"

namespace berth {
namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is read as it lies in memory");

constexpr std::string_view kMagic = "GGUF";
constexpr std::uint64_t kMostGgufTensors = 1 << 20, kMostKeys = 1 << 20, kMostDims = 4;
constexpr std::size_t kSmallestTensor = 8 + 4 + 8 + 4 + 8, kSmallestPair = 8 + 4 + 1;
constexpr int kDeepestList = 8;

enum class Kind : std::uint32_t { kU8, kI8, kU16, kI16, kU32, kI32, kF32, kBool, kText, kList, kU64, kI64, kF64 };
constexpr std::uint32_t kKinds = static_cast<std::uint32_t>(Kind::kF64) + 1;
constexpr std::array<std::size_t, kKinds> kSizes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
std::size_t size_of(Kind kind) { return kSizes[static_cast<std::size_t>(kind)]; }

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }

  template <typename T>
  Result<T> take(std::string_view what) {
    if (left() < sizeof(T)) return ends_within(what);
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  Result<std::string_view> take_text(std::string_view what) {
    BERTH_TRY(const std::uint64_t size, take<std::uint64_t>(what));
    if (size > left()) {
      return bad_input("byte {}: {} is {} bytes long, the file has {} left", at_, what, size, left());
    }
    const std::string_view text = bytes_.substr(at_, size);
    at_ += size;
    return text;
  }

  Status skip(std::uint64_t count, std::size_t size, std::string_view what) {
    if (count > left() / size) {
      return bad_input("byte {}: {} has {} entries of {} bytes, the file has {} bytes left", at_, what, count, size,
                       left());
    }
    at_ += count * size;
    return {};
  }

  Result<Kind> take_kind(std::string_view what) {
    BERTH_TRY(const std::uint32_t kind, take<std::uint32_t>(what));
    if (kind < kKinds) return static_cast<Kind>(kind);
    return bad_input("byte {}: {} has type {}; GGUF knows types 0 to {}", at_, what, kind, kKinds - 1);
  }

  Result<GgufValue> take_scalar(Kind kind, std::string_view what) {
    switch (kind) {
      case Kind::kU8:
      case Kind::kBool:
        return take_number<std::uint8_t>(what);
      case Kind::kI8:
        return take_number<std::int8_t>(what);
      case Kind::kU16:
        return take_number<std::uint16_t>(what);
      case Kind::kI16:
        return take_number<std::int16_t>(what);
      case Kind::kU32:
        return take_number<std::uint32_t>(what);
      case Kind::kI32:
        return take_number<std::int32_t>(what);
      case Kind::kU64:
        return take_number<std::uint64_t>(what);
      case Kind::kI64:
        return take_number<std::int64_t>(what);
      case Kind::kF32:
        return take_real<float>(what);
      case Kind::kF64:
        return take_real<double>(what);
      case Kind::kText:
      case Kind::kList:
        break;
    }
    BERTH_TRY(const std::string_view text, take_text(what));
    return GgufValue(std::string(text));
  }

  Result<GgufValue> take_value(std::string_view what) {
    BERTH_TRY(const Kind kind, take_kind(what));
    if (kind != Kind::kList) return take_scalar(kind, what);
    BERTH_TRY(GgufList list, take_list(what, 0));
    return GgufValue(std::move(list));
  }

 private:
  Error ends_within(std::string_view what) const {
    return bad_input("the file ends at byte {} within {}; is it truncated?", bytes_.size(), what);
  }

  template <typename T>
  Result<GgufValue> take_number(std::string_view what) {
    BERTH_TRY(const T value, take<T>(what));
    if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>) {
      if (value > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
        return bad_input("byte {}: {} is {}, beyond 63 bits", at_, what, value);
      }
    }
    return GgufValue(static_cast<std::int64_t>(value));
  }

  template <typename T>
  Result<GgufValue> take_real(std::string_view what) {
    BERTH_TRY(const T value, take<T>(what));
    return GgufValue(static_cast<double>(value));
  }

  Result<GgufList> take_list(std::string_view what, int depth) {
    if (depth >= kDeepestList) return bad_input("byte {}: {} nests lists deeper than {}", at_, what, kDeepestList);
    BERTH_TRY(const Kind kind, take_kind(what));
    GgufList list;
    BERTH_TRY(list.length, take<std::uint64_t>(what));
    if (kind == Kind::kText || kind == Kind::kList) {
      const std::size_t least = kind == Kind::kText ? 8 : 12;
      if (list.length > left() / least) {
        return bad_input("byte {}: {} has {} entries, the file has {} bytes left", at_, what, list.length, left());
      }
      for (std::uint64_t i = 0; i < list.length; ++i) {
        if (kind == Kind::kText) {
          BERTH_RETURN_IF_ERROR(take_text(what));
        } else {
          BERTH_RETURN_IF_ERROR(take_list(what, depth + 1));
        }
      }
      return list;
    }
    const bool kept = list.length <= kMostListed && kind != Kind::kF32 && kind != Kind::kF64;
    if (!kept || list.length > left() / size_of(kind)) {
      BERTH_RETURN_IF_ERROR(skip(list.length, size_of(kind), what));
      return list;
    }
    for (std::uint64_t i = 0; i < list.length; ++i) {
      BERTH_TRY(const GgufValue value, take_scalar(kind, what));
      list.numbers.push_back(std::get<std::int64_t>(value));
    }
    return list;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

Status read_metadata(Reader& reader, std::uint64_t count, GgufHeader& header) {
  for (std::uint64_t i = 0; i < count; ++i) {
    BERTH_TRY(const std::string_view key, reader.take_text("a key of the metadata"));
    if (key.empty() || key.size() > kMaxNameLength) {
      return bad_input("key {} of the metadata is {} bytes long; it must be 1 to {}", i, key.size(), kMaxNameLength);
    }
    BERTH_TRY(GgufValue value, reader.take_value(in_quotes(key)));
    if (!header.metadata.emplace(key, std::move(value)).second) {
      return bad_input("key {} of the metadata is given twice", in_quotes(key));
    }
  }
  return {};
}

Result<GgufTensor> read_tensor(Reader& reader) {
  BERTH_TRY(const std::string_view name, reader.take_text("the name of a tensor"));
  if (name.empty() || name.size() > kMaxNameLength) {
    return bad_input("the name of a tensor is {} bytes long; it must be 1 to {}", name.size(), kMaxNameLength);
  }
  BERTH_TRY(const std::uint32_t dims, reader.take<std::uint32_t>("the dimensions of a tensor"));
  if (dims > kMostDims)
    return bad_input("tensor {} has {} dimensions, at most {} are allowed", in_quotes(name), dims, kMostDims);
  std::int64_t row = 1, rows = 1;
  for (std::uint32_t i = 0; i < dims; ++i) {
    BERTH_TRY(const std::uint64_t size, reader.take<std::uint64_t>("the dimensions of a tensor"));
    if (size > static_cast<std::uint64_t>(kMaxTotalBytes)) {
      return bad_input("tensor {}: dimension {} is {}, beyond any model", in_quotes(name), i, size);
    }
    std::int64_t& factor = i == 0 ? row : rows;
    if (__builtin_mul_overflow(factor, static_cast<std::int64_t>(size), &factor)) {
      return bad_input("tensor {}: its size overflows", in_quotes(name));
    }
  }
  BERTH_TRY(const std::uint32_t type_id, reader.take<std::uint32_t>("the type of a tensor"));
  BERTH_RETURN_IF_ERROR(reader.take<std::uint64_t>("the offset of a tensor"));
  const llm::GgmlType* type = llm::find_ggml_type(type_id);
  if (type == nullptr) {
    return bad_input("tensor {} has ggml type {}, which is not known here or was removed from ggml", in_quotes(name),
                     type_id);
  }
  GgufTensor tensor{std::string(name), 0, llm::stored_bytes(*type, row, rows)};
  if (__builtin_mul_overflow(row, rows, &tensor.elements) || tensor.bytes > kMaxTotalBytes) {
    return bad_input("tensor {}: its size overflows", in_quotes(name));
  }
  return tensor;
}

Status read_tensors(Reader& reader, std::uint64_t count, GgufHeader& header) {
  std::set<std::string_view> names;
  header.tensors.reserve(count);  // the caller checked it against the file's size
  Bytes total = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    BERTH_TRY(GgufTensor tensor, read_tensor(reader));
    total += tensor.bytes;
    if (total > kMaxTotalBytes) return bad_input("the sizes of its tensors overflow");
    header.tensors.push_back(std::move(tensor));
    if (!names.insert(header.tensors.back().name).second) {
      return bad_input("tensor {} is listed twice", in_quotes(header.tensors.back().name));
    }
  }
  return {};
}

Status check_count(std::uint64_t count, std::uint64_t most, std::size_t least_bytes, std::size_t left,
                   std::string_view what) {
  if (count <= most && count <= left / least_bytes) return {};
  return bad_input("the header counts {} {}, more than its {} bytes can hold", count, what, left);
}

}  // namespace

const std::string* GgufHeader::text(std::string_view key) const {
  const auto found = metadata.find(key);
  return found != metadata.end() ? std::get_if<std::string>(&found->second) : nullptr;
}

std::optional<std::int64_t> GgufHeader::number(std::string_view key) const {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number != nullptr ? std::optional(*number) : std::nullopt;
}

const GgufList* GgufHeader::list(std::string_view key) const {
  const auto found = metadata.find(key);
  return found != metadata.end() ? std::get_if<GgufList>(&found->second) : nullptr;
}

Result<GgufHeader> read_gguf_header(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return bad_input("it is no GGUF file: the first four bytes are not 'GGUF'");
  Reader reader(bytes.substr(kMagic.size()));
  BERTH_TRY(const std::uint32_t version, reader.take<std::uint32_t>("the header"));
  if (version != 2 && version != 3) {
    const bool swapped = version != 0 && (version & 0xffffU) == 0;
    return bad_input("GGUF version {} is not read, only 2 and 3{}", version,
                     swapped ? "; it may be a big-endian file" : "");
  }
  BERTH_TRY(const std::uint64_t tensors, reader.take<std::uint64_t>("the header"));
  BERTH_TRY(const std::uint64_t keys, reader.take<std::uint64_t>("the header"));
  BERTH_RETURN_IF_ERROR(check_count(tensors, kMostGgufTensors, kSmallestTensor, reader.left(), "tensors"));
  BERTH_RETURN_IF_ERROR(check_count(keys, kMostKeys, kSmallestPair, reader.left(), "keys of metadata"));
  GgufHeader header;
  BERTH_RETURN_IF_ERROR(read_metadata(reader, keys, header));
  BERTH_RETURN_IF_ERROR(read_tensors(reader, tensors, header));
  return header;
}

}  // namespace berth
