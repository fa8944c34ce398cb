// SPDX-License-Identifier: Apache-2.0
#include "serving/files/tensor_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "base/text.h"
#include "files/json/json_reader.h"
#include "serving/files/layer_pattern.h"

namespace berth {
namespace {

constexpr std::size_t kLongestPattern = 4096;
constexpr std::size_t kMostPermutedDevices = 4;

enum class Need : std::uint8_t { kMatch, kAvoid, kFree };

bool found_in(const std::regex& regex, const std::string& name) { return std::regex_search(name, regex); }

// What is left of a name behind its layer: "ffn_up_exps.weight".
std::string_view suffix_of(const llm::Tensor& tensor) {
  const std::string_view name = tensor.name;
  if (tensor.layer < 0) return name;
  return name.substr(name.find('.', std::string_view("blk.").size()) + 1);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '.') {
      result += "\\.";
    } else if (c == ',' || c == '=') {
      result += '.';  // llama.cpp splits its argument there
    } else if (std::string_view("()[]{}*+?^$|\\").find(c) != std::string_view::npos) {
      result += '\\';
      result += c;
    } else {
      result += c;
    }
  }
  return result;
}

// Makes the pattern of one device.
class Synthesis {
 public:
  Synthesis(std::span<const llm::Tensor> tensors, std::vector<Need> needs)
      : tensors_(tensors), needs_(std::move(needs)) {
    for (const llm::Tensor& tensor : tensors) layers_ = std::max(layers_, tensor.layer + 1);
  }

  std::string run() {
    // Suffixes that are wanted in the same layers are one alternative.
    std::map<std::vector<std::int64_t>, std::vector<std::string>> groups;
    for (const auto& [suffix, layers] : wanted_layers()) groups[layers].push_back(suffix);
    std::vector<std::string> alternatives;
    for (const auto& [layers, suffixes] : groups) alternatives.push_back(shortest(layers, suffixes));
    return join(alternatives, "|");
  }

 private:
  std::map<std::string, std::vector<std::int64_t>> wanted_layers() const {
    std::map<std::string, std::vector<std::int64_t>> layers;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (needs_[i] == Need::kMatch) layers[std::string(suffix_of(tensors_[i]))].push_back(tensors_[i].layer);
    }
    for (auto& [suffix, numbers] : layers) std::ranges::sort(numbers);
    return layers;
  }

  // The shortest expression that matches these suffixes in these layers and nothing that must be avoided.
  std::string shortest(const std::vector<std::int64_t>& layers, const std::vector<std::string>& suffixes) const {
    std::vector<std::string> tails = suffix_words(suffixes);
    if (layers.front() < 0) {
      for (const std::string& tail : tails) {
        if (matches(tail, layers, suffixes)) return tail;
      }
      return exact_names(layers, suffixes);
    }
    std::vector<std::string> candidates = tails;  // in any layer
    // Digits may stand for layers without these suffixes, unless what the tail matches there is another's.
    const auto is_without = [&](std::int64_t layer) { return is_free(layer, suffixes); };
    for (const std::string& numbers : {number_pattern(layers, layers_, is_without),
                                       number_pattern(layers, layers_, [](std::int64_t) { return false; })}) {
      const bool several = numbers.find('|') != std::string::npos;
      const std::string group = several ? fmt::format("({})", numbers) : numbers;
      for (const std::string_view head : {"\\.", "blk\\."}) {
        for (const std::string& tail : tails) candidates.push_back(fmt::format("{}{}\\.{}", head, group, tail));
        for (const std::string& tail : tails) candidates.push_back(fmt::format("{}{}\\..*{}", head, group, tail));
        candidates.push_back(fmt::format("{}{}\\.", head, group));
      }
    }
    std::ranges::stable_sort(candidates, {}, &std::string::size);
    for (const std::string& candidate : candidates) {
      if (matches(candidate, layers, suffixes)) return candidate;
    }
    return exact_names(layers, suffixes);
  }

  // Always right, if long.
  static std::string exact_names(const std::vector<std::int64_t>& layers, const std::vector<std::string>& suffixes) {
    std::vector<std::string> names, numbers;
    for (const std::string& suffix : suffixes) names.push_back(escaped(suffix));
    const std::string tail = names.size() == 1 ? names.front() : fmt::format("({})", join(names, "|"));
    if (layers.front() < 0) return fmt::format("^{}$", tail);
    for (const std::int64_t layer : layers) numbers.push_back(fmt::format("{}", layer));
    return fmt::format("^blk\\.({})\\.{}$", join(numbers, "|"), tail);
  }

  // Whether layers other than those wanted may be matched with these suffixes.
  bool is_free(std::int64_t layer, const std::vector<std::string>& suffixes) const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].layer != layer || needs_[i] != Need::kAvoid) continue;
      if (std::ranges::find(suffixes, suffix_of(tensors_[i])) != suffixes.end()) return false;
    }
    return true;
  }

  // What may stand for the suffixes: stretches of whole words that all have in common, so that people can read the
  // line, and an alternation of what differs.
  static std::vector<std::string> suffix_words(const std::vector<std::string>& suffixes) {
    std::set<std::string> common;
    const std::string& first = suffixes.front();
    const auto is_edge = [&](std::size_t at) {
      return at == 0 || at == first.size() || first[at] == '_' || first[at] == '.' || first[at - 1] == '_' ||
             first[at - 1] == '.';
    };
    for (std::size_t begin = 0; begin < first.size(); ++begin) {
      for (std::size_t end = begin + 2; end <= first.size(); ++end) {
        if (!is_edge(begin) || !is_edge(end)) continue;
        const std::string word = first.substr(begin, end - begin);
        const bool in_all = std::ranges::all_of(
            suffixes, [&](const std::string& suffix) { return suffix.find(word) != std::string::npos; });
        if (in_all) common.insert(escaped(word));
      }
    }
    std::vector<std::string> words(common.begin(), common.end());
    std::ranges::stable_sort(words, {}, &std::string::size);
    if (suffixes.size() > 1) words.push_back(alternation(suffixes));
    return words;
  }

  // "ffn_(gate|up)_exps\.weight"
  static std::string alternation(const std::vector<std::string>& suffixes) {
    std::size_t front = suffixes.front().size(), back = front;
    for (const std::string& suffix : suffixes) {
      std::size_t same = 0;
      while (same < std::min(front, suffix.size()) && suffix[same] == suffixes.front()[same]) ++same;
      front = same;
    }
    for (const std::string& suffix : suffixes) {
      std::size_t same = 0;
      const std::string& other = suffixes.front();
      while (same < std::min({back, suffix.size() - front, other.size() - front}) &&
             suffix[suffix.size() - 1 - same] == other[other.size() - 1 - same])
        ++same;
      back = same;
    }
    std::vector<std::string> middles;
    for (const std::string& suffix : suffixes) {
      middles.push_back(escaped(std::string_view(suffix).substr(front, suffix.size() - front - back)));
    }
    const std::string& any = suffixes.front();
    const std::string ending = any.substr(any.size() - back);
    // The ending only separates what is alike so far: without ".weight" it is as clear.
    const std::string shown = ending.substr(0, ending.find(".weight"));
    return fmt::format("{}({}){}", escaped(any.substr(0, front)), join(middles, "|"), escaped(shown));
  }

  // Every tensor of these layers and suffixes is matched, and none that must be avoided.
  bool matches(const std::string& pattern, const std::vector<std::int64_t>& layers,
               const std::vector<std::string>& suffixes) const {
    const std::regex regex(pattern);
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const bool ours = needs_[i] == Need::kMatch && std::ranges::binary_search(layers, tensors_[i].layer) &&
                        std::ranges::find(suffixes, suffix_of(tensors_[i])) != suffixes.end();
      if (!ours && needs_[i] != Need::kAvoid) continue;
      if (found_in(regex, tensors_[i].name) != ours) return false;
    }
    return true;
  }

  std::span<const llm::Tensor> tensors_;
  std::vector<Need> needs_;
  std::int64_t layers_ = 0;
};

// Patterns in this order of devices: each must leave to later ones what is theirs, and may take again what is gone.
std::vector<TensorPattern> patterns_in_order(std::span<const llm::Tensor> tensors, std::span<const DeviceId> homes,
                                             std::span<const DeviceId> wanted, const std::vector<DeviceId>& order) {
  std::vector<TensorPattern> patterns;
  std::vector<bool> is_gone(tensors.size(), false);
  for (const DeviceId device : order) {
    std::vector<Need> needs(tensors.size(), Need::kAvoid);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const bool ours = wanted[i] == device && !is_gone[i];
      if (ours && homes[i] != device) needs[i] = Need::kMatch;
      if (is_gone[i] || (ours && homes[i] == device)) needs[i] = Need::kFree;
    }
    patterns.push_back({Synthesis(tensors, needs).run(), device});
    for (std::size_t i = 0; i < tensors.size(); ++i) is_gone[i] = is_gone[i] || needs[i] == Need::kMatch;
  }
  return patterns;
}

std::size_t length_of(const std::vector<TensorPattern>& patterns) {
  std::size_t sum = 0;
  for (const TensorPattern& pattern : patterns) sum += pattern.regex.size();
  return sum;
}

}  // namespace

std::vector<TensorPattern> tensor_patterns(std::span<const llm::Tensor> tensors, std::span<const DeviceId> homes,
                                           std::span<const DeviceId> wanted) {
  std::set<DeviceId> devices;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (wanted[i] != homes[i]) devices.insert(wanted[i]);
  }
  std::vector<DeviceId> order(devices.begin(), devices.end());
  if (order.empty()) return {};
  std::vector<TensorPattern> best = patterns_in_order(tensors, homes, wanted, order);
  while (order.size() <= kMostPermutedDevices && std::ranges::next_permutation(order).found) {
    std::vector<TensorPattern> next = patterns_in_order(tensors, homes, wanted, order);
    if (length_of(next) < length_of(best)) best = std::move(next);
  }
  return best;
}

Result<std::vector<DeviceId>> apply_patterns(std::span<const TensorPattern> patterns,
                                             std::span<const llm::Tensor> tensors) {
  std::vector<DeviceId> devices(tensors.size(), kNoDevice);
  for (auto pattern = patterns.rbegin(); pattern != patterns.rend(); ++pattern) {  // so that the first one stays
    if (pattern->regex.size() > kLongestPattern) {
      return bad_input("-ot: a pattern is {} characters long; at most {} are read", pattern->regex.size(),
                       kLongestPattern);
    }
    try {
      const std::regex regex(pattern->regex);
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (found_in(regex, tensors[i].name)) devices[i] = pattern->device;
      }
    } catch (const std::regex_error& error) {
      return bad_input("-ot: {} is no regular expression: {}", in_quotes(pattern->regex), error.what());
    }
  }
  return devices;
}

}  // namespace berth
