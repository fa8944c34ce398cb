// SPDX-License-Identifier: Apache-2.0
#include "services/problem/dims.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace berth {
namespace {

constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;
constexpr std::size_t kMostBuckets = 64;

struct NamedSizes {
  std::string name;
  std::vector<std::int64_t> sizes;
};

Result<std::int64_t> read_size(std::string_view name, std::string_view text) {
  std::int64_t size = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || stop != text.data() + text.size() || size < 1 || size > kLargestSize) {
    return bad_input("--dim {}: '{}' is not a whole number from 1 to {}", name, text, kLargestSize);
  }
  return size;
}

// Words are NAME=SIZE, or a further SIZE of the name before.
Status read_text(std::string_view text, std::vector<NamedSizes>& dims) {
  bool has_name = false;
  for (std::string_view word : split(text, ',')) {
    word = trim(word);
    const std::size_t equals = word.rfind('=');
    if (equals != std::string_view::npos) {
      const std::string name(trim(word.substr(0, equals)));
      if (name.empty()) return bad_input("--dim: '{}' has no name; write for example --dim batch=8", text);
      if (std::ranges::find(dims, name, &NamedSizes::name) != dims.end()) {
        return bad_input("--dim: '{}' is given twice; give its sizes as one list, {}=128,512", name, name);
      }
      dims.push_back({name, {}});
      has_name = true;
      word = trim(word.substr(equals + 1));
    }
    if (!has_name) return bad_input("--dim: '{}' has no size; write for example --dim batch=8", text);
    BERTH_TRY(const std::int64_t size, read_size(dims.back().name, word));
    dims.back().sizes.push_back(size);
  }
  return {};
}

Result<std::size_t> count_buckets(const std::vector<NamedSizes>& dims) {
  const NamedSizes* longest = nullptr;
  for (const NamedSizes& dim : dims) {
    if (dim.sizes.size() < 2) continue;
    if (longest != nullptr && dim.sizes.size() != longest->sizes.size()) {
      return bad_input(
          "--dim: {} has {} sizes and {} has {}; lists go together, first with first: give as many for each",
          longest->name, longest->sizes.size(), dim.name, dim.sizes.size());
    }
    longest = &dim;
  }
  const std::size_t count = longest != nullptr ? longest->sizes.size() : 1;
  if (count > kMostBuckets) return bad_input("--dim: {} sizes are too many; give at most {}", count, kMostBuckets);
  return count;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

}  // namespace

std::string Bucket::label() const {
  std::vector<std::string> words;
  for (const auto& [name, size] : varied) words.push_back(fmt::format("{}={}", name, size));
  return join(words, ",");
}

std::string Bucket::suffix() const {
  std::vector<std::string> words;
  for (const auto& [name, size] : varied) {
    std::string word = name;
    std::ranges::replace_if(
        word, [](char c) { return !is_plain(c); }, '_');
    words.push_back(fmt::format("{}-{}", word, size));
  }
  return join(words, ".");
}

Result<std::vector<Bucket>> read_buckets(std::span<const std::string> texts) {
  std::vector<NamedSizes> dims;
  for (const std::string& text : texts) BERTH_RETURN_IF_ERROR(read_text(text, dims));
  BERTH_TRY(const std::size_t count, count_buckets(dims));
  std::vector<Bucket> buckets(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (const NamedSizes& dim : dims) {
      const bool is_varied = dim.sizes.size() > 1;
      const std::int64_t size = dim.sizes[is_varied ? i : 0];
      buckets[i].sizes.emplace(dim.name, size);
      if (is_varied) buckets[i].varied.emplace_back(dim.name, size);
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (buckets[other].sizes == buckets[i].sizes) return bad_input("--dim: {} is given twice", buckets[i].label());
    }
  }
  return buckets;
}

Result<DimSizes> read_dims(std::span<const std::string> texts) {
  BERTH_TRY(std::vector<Bucket> buckets, read_buckets(texts));
  if (buckets.size() == 1) return std::move(buckets.front().sizes);
  return bad_input("--dim: {} has {} sizes; only berth place plans for several", buckets.front().varied.front().first,
                   buckets.size());
}

std::string bucket_path(const std::string& path, const Bucket& bucket) {
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t at = path.ends_with(".json.gz") ? path.size() - std::string_view(".json.gz").size()
                                                    : std::min(path.rfind('.'), path.size());
  const std::size_t ending = at > name ? at : path.size();
  return fmt::format("{}.{}{}", path.substr(0, ending), bucket.suffix(), path.substr(ending));
}

}  // namespace berth
