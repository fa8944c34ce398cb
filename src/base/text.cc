// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace berth {
namespace {

// Longer words are never typed by hand; the quadratic distance is not worth it.
constexpr std::size_t kLongestWord = 64;

constexpr std::size_t kMostCompared = 20'000;  // by distance; more would take seconds
// Shorter words are part of too much to mean anything.
constexpr std::size_t kShortestPart = 3;

bool equal_letters(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return lower(a) == lower(b);
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), equal_letters) != text.end();
}

// The shortest candidate that the word is a part of: 'node_MatMul_11' for 'MatMul_11'. Or the longest that is most of
// the word.
template <typename Word>
std::string_view containing(std::string_view word, std::span<const Word> candidates) {
  std::string_view longer, shorter;
  if (word.size() < kShortestPart) return longer;
  for (const std::string_view candidate : candidates) {
    if (contains(candidate, word) && (longer.empty() || candidate.size() < longer.size())) longer = candidate;
    const bool is_most = candidate.size() >= kShortestPart && 2 * candidate.size() >= word.size();
    if (is_most && candidate.size() > shorter.size() && contains(word, candidate)) shorter = candidate;
  }
  return longer.empty() ? shorter : longer;
}

// The candidate with the fewest slips. Words far longer or shorter are none, and are skipped quickly.
template <typename Word>
std::string_view mistyped(std::string_view word, std::span<const Word> candidates) {
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1, compared = 0;
  for (const std::string_view candidate : candidates) {
    const std::size_t lengths = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (lengths >= least) continue;
    if (++compared > kMostCompared) break;
    const auto distance = static_cast<std::size_t>(edit_distance(word, candidate));
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

template <typename Word>
std::string nearest(std::string_view word, std::span<const Word> candidates) {
  std::string_view best = mistyped(word, candidates);
  if (const bool is_sure = !best.empty() && edit_distance(word, best) == 1; !is_sure) {
    if (const std::string_view whole = containing(word, candidates); !whole.empty()) best = whole;
  }
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

bool is_continuation(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

// One that no program should print: C0, DEL, C1.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first < 0x20U || first == 0x7fU;
  return first == 0xc2U && static_cast<unsigned char>(character[1]) < 0xa0U;
}

// Bytes at the front that stay as they are; 0 if the first cannot.
std::size_t kept_at_front(std::string_view text, std::span<const std::string_view> kept) {
  for (const std::string_view code : kept) {
    if (text.starts_with(code)) return code.size();
  }
  const std::size_t size = utf8_length(text, 0);
  return size > 0 && is_control(text.substr(0, size)) ? 0 : size;
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  return nearest(word, candidates);
}
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  return nearest(word, candidates);
}

int edit_distance(std::string_view a, std::string_view b) {
  if (std::max(a.size(), b.size()) > kLongestWord) return a == b ? 0 : static_cast<int>(std::max(a.size(), b.size()));
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string join(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words.begin(), words.end(), separator));
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", group_digits(number), what, number == 1 ? "" : "s");
}

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80U) return 1;
  if (lead < 0xc2U || lead > 0xf4U || !is_continuation(text, at + 1)) return 0;
  if (lead < 0xe0U) return 2;
  const unsigned char second = byte(at + 1);
  if ((lead == 0xe0U && second < 0xa0U) || (lead == 0xedU && second > 0x9fU)) return 0;
  if ((lead == 0xf0U && second < 0x90U) || (lead == 0xf4U && second > 0x8fU)) return 0;
  if (!is_continuation(text, at + 2)) return 0;
  if (lead < 0xf0U) return 3;
  return is_continuation(text, at + 3) ? 4 : 0;
}

std::string printable(std::string_view text, std::span<const std::string_view> kept) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = kept_at_front(text, kept);
    if (size > 0) {
      result += text.substr(0, size);
    } else {
      result += text.front() == '\n' || text.front() == '\t' ? ' ' : '?';
    }
    text.remove_prefix(size > 0 ? size : 1);
  }
  return result;
}

}  // namespace berth
