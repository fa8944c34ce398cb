// SPDX-License-Identifier: Apache-2.0
// Thousands of broken files: whatever is done to a text, its reader takes it or refuses it in one clear line.
#include <gtest/gtest.h>

#include <array>

#include "base/rng.h"
#include "import/samples.h"

namespace berth {
namespace {

constexpr std::array<std::string_view, 28> kTokens{"{",
                                                   "}",
                                                   "[",
                                                   "]",
                                                   ",",
                                                   ":",
                                                   "\"",
                                                   "\\",
                                                   "\\u0000",
                                                   "\\ud800",
                                                   "null",
                                                   "true",
                                                   "false",
                                                   "-1",
                                                   "1e18",
                                                   "1e999",
                                                   "-0.0",
                                                   "{}",
                                                   "[[]]",
                                                   "0.5",
                                                   "\xff",
                                                   "\xc3",
                                                   "\n",
                                                   "\"op\"",
                                                   "\"name\"",
                                                   "99999",
                                                   "9223372036854775807",
                                                   "99999999999999999999"};

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : rng_(seed) {}

  std::string mutate(std::string text) {
    for (std::uint64_t i = 1 + rng_.below(3); i > 0; --i) change(text);
    return text;
  }

 private:
  void change(std::string& text) {
    if (text.empty()) return;
    const std::size_t at = rng_.below(text.size());
    const std::size_t length = 1 + rng_.below(rng_.chance(0.8) ? 6 : 60);
    const std::string_view token = kTokens[rng_.below(kTokens.size())];
    switch (rng_.below(7)) {
      case 0:
        text[at] = static_cast<char>(text[at] ^ (1 << rng_.below(8)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, std::string(text, at, length));
        break;
      case 3:
        text.insert(at, token);
        break;
      case 4:
        text.replace(at, length, token);
        break;
      case 5:
        replace_number(text, at, token);
        break;
      case 6:
        text.insert(rng_.below(text.size()), std::string(text, at, length));
        break;
    }
  }
  // The next number becomes another token: stays valid JSON most of the time.
  static void replace_number(std::string& text, std::size_t at, std::string_view token) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = text.find_first_not_of("0123456789", begin);
    text.replace(begin, end - begin, token);
  }

  Rng rng_;
};

TEST(Mutation, SamplesAreValid) {
  for (const Sample& sample : all_samples()) EXPECT_EQ(sample.read(sample.text), std::nullopt) << sample.format;
}

TEST(Mutation, EveryTruncationOfJsonIsRefused) {
  for (const Sample& sample : json_samples()) {
    SCOPED_TRACE(sample.format);
    const std::size_t end = sample.text.rfind('}');
    for (std::size_t size = 0; size <= end; ++size) {
      const auto message = sample.read(sample.text.substr(0, size));
      ASSERT_TRUE(message) << "taken when cut after " << size << " bytes";
      EXPECT_TRUE(message->starts_with("bad.json: ")) << *message;
    }
  }
}

TEST(Mutation, AFlippedBitAnywhereGetsAClearAnswer) {
  for (const Sample& sample : all_samples()) {
    SCOPED_TRACE(sample.format);
    for (std::size_t at = 0; at < sample.text.size(); ++at) {
      for (const std::size_t bit : {at % 7, std::size_t{7}}) {  // another letter; no ASCII any more
        std::string text = sample.text;
        text[at] = static_cast<char>(text[at] ^ (1 << bit));
        expect_clear_answer(sample, text);
      }
    }
  }
}

TEST(Mutation, RandomDamageGetsAClearAnswer) {
  for (const Sample& sample : all_samples()) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      SCOPED_TRACE(fmt::format("{} seed {}", sample.format, seed));
      expect_clear_answer(sample, Mutator(seed).mutate(sample.text));
      if (HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace berth
