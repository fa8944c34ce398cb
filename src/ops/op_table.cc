// SPDX-License-Identifier: Apache-2.0
#include "ops/op_table.h"

#include <array>
#include <functional>
#include <initializer_list>
#include <string>
#include <unordered_map>

#include "base/text.h"
#include "ops/rows.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 5> kAtenPrefixes{"aten.", "aten::", "prims.", "higher_order.", "torchvision."};
constexpr std::array<std::string_view, 3> kMicrosoftPrefixes{"com.microsoft.nchwc.", "com.microsoft.experimental.",
                                                             "com.microsoft."};
constexpr std::string_view kOnnxPrefix = "ai.onnx.";

// Lower case without underscores, up to an overload. In a buffer of its own: no allocation, since every op of a graph
// passes here once per device model. What does not fit is no name of ours.
class CanonicalName {
 public:
  explicit CanonicalName(std::string_view type) {
    for (const char c : type.substr(0, type.find('.'))) {
      if (c == '_' || c == '-') continue;
      if (size_ == text_.size()) return;
      text_[size_++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
  }
  [[nodiscard]] std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 64> text_{};
  std::size_t size_ = 0;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

// Rows by canonical name; the first of a name counts.
class Index {
 public:
  explicit Index(std::initializer_list<std::span<const OpRow>> chapters) {
    for (const auto rows : chapters) {
      for (const OpRow& row : rows) {
        for (const std::string_view type : split(row.types, ' ')) infos_.try_emplace(canonical(type), row.info);
      }
    }
  }

  [[nodiscard]] std::optional<OpInfo> find(std::string_view type) const {
    const CanonicalName canonical_name(type);
    const std::string_view name = canonical_name.view();
    if (const auto found = infos_.find(name); found != infos_.end()) return found->second;
    // The gradient of an elementwise op is elementwise and needs no row.
    for (const std::string_view suffix : {"grad", "backward"}) {
      if (!name.ends_with(suffix)) continue;
      const auto base = infos_.find(name.substr(0, name.size() - suffix.size()));
      if (base != infos_.end() && base->second.cost_class == CostClass::kElementwise) return OpInfo{};
    }
    return std::nullopt;
  }

 private:
  static std::string canonical(std::string_view type) { return std::string(CanonicalName(type).view()); }
  std::unordered_map<std::string, OpInfo, TextHash, std::equal_to<>> infos_;
};

template <std::size_t N>
bool remove_prefix(std::string_view& type, const std::array<std::string_view, N>& prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (!type.starts_with(prefix)) continue;
    type.remove_prefix(prefix.size());
    return true;
  }
  return false;
}

// "add_" of "add_.Tensor" writes its first input; "__and__" does not.
bool writes_in_place(std::string_view type) {
  const std::string_view name = type.substr(0, type.find('.'));
  return name.ends_with('_') && !name.starts_with("__");
}

std::optional<OpInfo> find_aten(std::string_view type) {
  static const Index index{rows::aten()};
  auto info = index.find(type);
  if (info && info->effect == Effect::kMakes && writes_in_place(type)) info->effect = Effect::kInPlace;
  return info;
}

std::optional<OpInfo> find_onnx(std::string_view type) {
  static const Index standard{rows::onnx()}, microsoft{rows::onnx_microsoft(), rows::onnx()};
  if (remove_prefix(type, kMicrosoftPrefixes)) return microsoft.find(type);
  return standard.find(type);
}

}  // namespace

std::optional<OpInfo> find_op(Dialect dialect, std::string_view type) {
  static const Index tensorflow{rows::tensorflow()}, openvino{rows::openvino()}, zoo{rows::zoo()};
  if (remove_prefix(type, kAtenPrefixes)) return find_aten(type);
  switch (dialect) {
    case Dialect::kOnnx:
      return find_onnx(type);
    case Dialect::kTensorFlow:
      return tensorflow.find(type);
    case Dialect::kOpenVino:
      return openvino.find(type);
    case Dialect::kAten:
      return find_aten(type);
    case Dialect::kZoo:
      return zoo.find(type);
  }
  return std::nullopt;
}

std::optional<OpInfo> find_op(std::string_view type) {
  static const Index any{rows::zoo(),        rows::onnx(),     rows::onnx_microsoft(),
                         rows::tensorflow(), rows::openvino(), rows::aten()};
  if (remove_prefix(type, kAtenPrefixes)) {
    const auto info = find_aten(type);
    return info ? info : any.find(type);
  }
  if (!remove_prefix(type, kMicrosoftPrefixes) && type.starts_with(kOnnxPrefix)) type.remove_prefix(kOnnxPrefix.size());
  return any.find(type);
}

std::span<const OpChapter> op_table() {
  static const std::array<OpChapter, 6> kChapters{{{Dialect::kZoo, "", rows::zoo()},
                                                   {Dialect::kOnnx, "", rows::onnx()},
                                                   {Dialect::kOnnx, "com.microsoft.", rows::onnx_microsoft()},
                                                   {Dialect::kTensorFlow, "", rows::tensorflow()},
                                                   {Dialect::kOpenVino, "", rows::openvino()},
                                                   {Dialect::kAten, "aten.", rows::aten()}}};
  return kChapters;
}

}  // namespace berth
