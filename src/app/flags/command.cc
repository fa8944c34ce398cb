// SPDX-License-Identifier: Apache-2.0
#include "app/flags/command.h"

#include <charconv>

namespace berth::app {

std::uint64_t whole_number(const std::string& flag, const std::string& text, WholeRange range) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= range.low && value <= range.high) return value;
  throw CLI::ValidationError(flag,
                             fmt::format("'{}' is not a whole number from {} to {}", text, range.low, range.high));
}

CLI::Option* add_file_flag(CLI::App& command, const std::string& flag, std::string& path, const std::string& help) {
  const auto not_empty = [](const std::string& text) {
    return std::string(text.empty() ? "the name of the file is empty" : "");
  };
  return command.add_option(flag, path, help)->check(CLI::Validator(not_empty, ""))->type_name("FILE");
}

CLI::Option* add_output_flag(CLI::App& command, std::string& path, const std::string& help) {
  return add_file_flag(command, "-o,--output", path, help);
}

void add_json_flag(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "print one JSON document and nothing else");
}

}  // namespace berth::app
