// SPDX-License-Identifier: Apache-2.0
#include "manual/command_facts.h"

#include <string_view>

#include "files/json/json_writer.h"

namespace berth::manual {
namespace {

void write_flags(JsonWriter& json, std::string_view key, const std::vector<FlagFacts>& flags) {
  json.objects(key, flags, [&](const FlagFacts& flag) {
    json.list("names", flag.names);
    json.members("value", flag.value, "help", flag.help, "default", flag.fallback, "required", flag.is_required);
  });
}

void write_command(JsonWriter& json, const CommandFacts& command) {
  json.members("command", command.words, "summary", command.summary);
  write_flags(json, "arguments", command.arguments);
  write_flags(json, "flags", command.flags);
  const auto write = [&](const CommandFacts& child) { write_command(json, child); };
  json.objects("commands", command.commands, write, JsonLayout::kLines);
}

}  // namespace

std::vector<const CommandFacts*> all_commands(const CommandFacts& from) {
  std::vector<const CommandFacts*> all{&from};
  for (const CommandFacts& child : from.commands) {
    const std::vector<const CommandFacts*> below = all_commands(child);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::string commands_json(const CommandFacts& program) {
  return json_document([&](JsonWriter& json) { write_command(json, program); });
}

}  // namespace berth::manual
