// SPDX-License-Identifier: Apache-2.0
#include "problem/demands/device_words.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "base/text.h"
#include "machine/device_set.h"
#include "machine/devices.h"
#include "problem/demands/op_index.h"

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

std::vector<std::string> words_for(const Machine& machine, AbsentDevices absent) {
  std::vector<std::string> words;
  for (int kind = 0; kind < kDeviceKinds && absent == AbsentDevices::kAreNone; ++kind) {
    words.emplace_back(name_of(static_cast<DeviceKind>(kind)));
  }
  for (const Device& device : machine.devices()) {
    words.push_back(device.name);
    words.emplace_back(name_of(device.kind));
    if (!device.model.empty()) words.push_back(device.model);
  }
  return words;
}

Error no_such_device(const Machine& machine, std::string_view word, AbsentDevices absent) {
  return bad_input("machine '{}' has no device '{}'{} (it has {})", machine.name(), word,
                   did_you_mean(word, words_for(machine, absent)), names_of(machine, all_devices(machine)));
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

Result<DeviceSet> devices_named(const Machine& machine, std::string_view word, AbsentDevices absent) {
  const DeviceWord meant = devices_of_word(machine, word);
  DeviceSet set = meant.devices;
  if (set == 0) {
    for (const DeviceId id : machine.device_ids()) {
      if (matches(word, machine.device(id).name)) set |= device_bit(id);
    }
  }
  const bool is_known = meant.breadth == Breadth::kKind || find_device_model(word) != nullptr;
  if (set == 0 && !(is_known && absent == AbsentDevices::kAreNone)) return no_such_device(machine, word, absent);
  return set;
}

}  // namespace berth
