// SPDX-License-Identifier: Apache-2.0
// Strong ids: small integers that cannot be mixed up. Annotations are arrays indexed by them, kept outside the graph.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>

namespace berth {

enum class OpId : std::uint32_t {};      // position of an op in its graph
enum class TensorId : std::uint32_t {};  // outputs numbered op by op: (op, output index) in ascending order
enum class DeviceId : std::uint16_t {};  // position of a device in its machine

inline constexpr OpId kNoOp{std::numeric_limits<std::uint32_t>::max()};
inline constexpr DeviceId kNoDevice{std::numeric_limits<std::uint16_t>::max()};

template <typename Id>
requires std::is_enum_v<Id>
constexpr std::size_t index(Id id) { return static_cast<std::size_t>(id); }

// Range of ids first, first + 1, ... last - 1, for loops: for (OpId op : ids<OpId>(n)).
template <typename Id>
class IdRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Id;
    using difference_type = std::ptrdiff_t;
    using pointer = const Id*;
    using reference = Id;
    explicit constexpr Iterator(std::size_t at) : at_(at) {}
    constexpr Id operator*() const { return Id(at_); }
    constexpr Iterator& operator++() { return ++at_, *this; }
    constexpr Iterator operator++(int) { return Iterator(at_++); }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::size_t at_;
  };
  constexpr IdRange(std::size_t first, std::size_t last) : first_(first), last_(last) {}
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(first_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(last_); }
  [[nodiscard]] constexpr std::size_t size() const { return last_ - first_; }
  [[nodiscard]] constexpr bool empty() const { return first_ == last_; }
  constexpr Id operator[](std::size_t i) const { return Id(first_ + i); }

 private:
  std::size_t first_, last_;
};

template <typename Id>
constexpr IdRange<Id> ids(std::size_t count) {
  return {0, count};
}

}  // namespace berth
