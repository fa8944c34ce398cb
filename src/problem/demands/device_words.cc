// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/device_words.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "base/text.h"

namespace berth {
namespace {

template <typename Fits>
DeviceSet devices_that(const Machine& machine, const Fits& fits) {
  DeviceSet set = 0;
  for (const DeviceId id : machine.device_ids()) {
    if (fits(machine.device(id))) set |= device_bit(id);
  }
  return set;
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

void add_new(std::vector<std::string>& words, std::string_view word) {
  if (!word.empty() && std::ranges::find(words, word) == words.end()) words.emplace_back(word);
}

DeviceWord without_number(const Machine& machine, std::string_view word) {
  if (word == "*") return {devices_that(machine, [](const Device&) { return true; }), Breadth::kAll};
  if (const auto device = machine.find_device(word)) return {device_bit(*device), Breadth::kName};
  const DeviceSet of_model = devices_that(machine, [&](const Device& device) { return device.model == word; });
  if (of_model != 0 && !word.empty()) return {of_model, Breadth::kModel};
  const auto kind = device_kind_from_name(in_lower_case(word));
  if (!kind) return {};
  return {devices_that(machine, [&](const Device& device) { return device.kind == *kind; }), Breadth::kKind};
}

// "gpu:1": the second that the word before the colon means.
DeviceSet device_of_number(const Machine& machine, std::string_view word) {
  const std::size_t colon = word.rfind(':');
  if (colon == std::string_view::npos) return 0;
  const char* const end = word.data() + word.size();
  std::size_t wanted = 0;
  const auto [stop, error] = std::from_chars(word.data() + colon + 1, end, wanted);
  if (error != std::errc() || stop != end) return 0;
  DeviceSet rest = without_number(machine, word.substr(0, colon)).devices;
  for (; wanted > 0 && rest != 0; --wanted) rest &= rest - 1;
  return rest & (~rest + 1);
}

}  // namespace

DeviceWord devices_of_word(const Machine& machine, std::string_view word) {
  const DeviceSet numbered = device_of_number(machine, word);
  const DeviceWord plain = without_number(machine, word);
  return numbered != 0 && plain.devices == 0 ? DeviceWord{numbered, Breadth::kName} : plain;
}

std::string known_device_words(const Machine& machine) {
  std::vector<std::string> words;
  for (const Device& device : machine.devices()) add_new(words, device.name);
  for (const Device& device : machine.devices()) add_new(words, device.model);
  for (const Device& device : machine.devices()) add_new(words, name_of(device.kind));
  return join(words, ", ");
}

}  // namespace berth
