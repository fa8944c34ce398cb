// SPDX-License-Identifier: Apache-2.0
// The kinds of fields that options are made of: each reads its member from text, checks it, and writes it back. Inside
// there are numbers and enums; words are here alone.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::learn {

// One option of a struct of options, as users see it.
template <typename Own>
struct FieldOf {
  std::string_view name;  // "tanh-constant"
  std::string_view help;
  std::function<Status(Own&, std::string_view)> set;  // errors say what is allowed
  std::function<std::string(const Own&)> get;         // set() reads it back to the same value
};

using Words = std::vector<std::string_view>;

Result<int> parse_whole(std::string_view name, std::string_view text, int low, int high, int step = 1);
Result<double> parse_real(std::string_view name, std::string_view text, double low, double high);
Result<bool> parse_switch(std::string_view name, std::string_view text);
// Which of the words it is. Else "expected one of a, b, c; found 'd'; did you mean 'c'?"
Result<std::size_t> parse_word(std::string_view name, std::string_view text, std::span<const std::string_view> words);

std::string text_of(int number);
std::string text_of(double number);

// "a, b, c"
std::string listed(std::span<const std::string_view> words);

inline constexpr int kMany = 1'000'000'000;

// Fields of the members of `Own`, those of its bases among them.
template <typename Own>
struct Fields {
  using One = FieldOf<Own>;
  using Text = std::string_view;

  static One whole(Text name, Text help, int Own::*member, int low, int high, int step = 1) {
    const auto set = [=](Own& own, Text text) -> Status {
      BERTH_TRY(own.*member, parse_whole(name, text, low, high, step));
      return {};
    };
    return {name, help, set, [member](const Own& own) { return text_of(own.*member); }};
  }

  static One real(Text name, Text help, double Own::*member, double low, double high) {
    const auto set = [=](Own& own, Text text) -> Status {
      BERTH_TRY(own.*member, parse_real(name, text, low, high));
      return {};
    };
    return {name, help, set, [member](const Own& own) { return text_of(own.*member); }};
  }

  static One on_off(Text name, Text help, bool Own::*member) {
    const auto set = [=](Own& own, Text text) -> Status {
      BERTH_TRY(own.*member, parse_switch(name, text));
      return {};
    };
    return {name, help, set, [member](const Own& own) { return own.*member ? "on" : "off"; }};
  }

  // `words`: of the enumerators, in their order.
  template <typename Enum>
  static One word(Text name, Text help, Enum Own::*member, Words words) {
    const auto set = [=](Own& own, Text text) -> Status {
      BERTH_TRY(const std::size_t which, parse_word(name, text, words));
      own.*member = static_cast<Enum>(which);
      return {};
    };
    return {name, help, set, [=](const Own& own) { return std::string(words[static_cast<std::size_t>(own.*member)]); }};
  }
};

// The fields of a struct from those of the structs that it is made of.
template <typename Own, typename... Parts>
std::vector<FieldOf<Own>> joined_fields(const std::vector<FieldOf<Parts>>&... parts) {
  std::vector<FieldOf<Own>> all;
  const auto add = [&](const auto& part) {
    for (const auto& field : part) all.push_back({field.name, field.help, field.set, field.get});
  };
  (add(parts), ...);
  return all;
}

}  // namespace berth::learn
