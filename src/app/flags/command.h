// SPDX-License-Identifier: Apache-2.0
// How a command is described: a name, flags of its own, and what is done with them. Help, manual pages and completions
// come from the same description.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/commands.h"

namespace berth::app {

// A command that is being described. `flags` lives as long as the command.
template <typename Flags>
struct NewCommand {
  CLI::App& command;
  Flags& flags;
};

// When the command is chosen, `run` is given its flags; the exit code is that of its result.
template <typename Flags, typename Run>
NewCommand<Flags> add_command(CLI::App& app, Exit& exit, const std::string& name, const std::string& summary,
                              const Run& run, Flags first = {}) {
  const auto flags = std::make_shared<Flags>(std::move(first));
  CLI::App* command = app.add_subcommand(name, summary);
  command->callback([flags, run, &exit] { exit = finish(run(*flags)); });
  return {*command, *flags};
}

// A flag, or an argument, that takes a text; `form` stands for it in --help, empty: TEXT.
inline CLI::Option* add_text(CLI::App& command, const std::string& names, std::string& text, const std::string& form,
                             const std::string& help) {
  CLI::Option* option = command.add_option(names, text, help);
  return form.empty() ? option : option->type_name(form);
}
// The same for one that may be repeated, with one text each: what follows may be an argument.
inline CLI::Option* add_texts(CLI::App& command, const std::string& names, std::vector<std::string>& texts,
                              const std::string& form, const std::string& help) {
  return command.add_option(names, texts, help)->type_name(form)->allow_extra_args(false);
}

// A flag for a whole number in decimal digits; anything else is refused with the range, never rounded or clamped.
struct WholeRange {
  std::uint64_t low = 0, high = std::numeric_limits<std::uint64_t>::max();
};
std::uint64_t whole_number(const std::string& flag, const std::string& text, WholeRange range);  // throws as CLI does
template <typename Number>
CLI::Option* add_number(CLI::App& command, const std::string& flag, Number& number, WholeRange range,
                        const std::string& help) {
  const auto read = [flag, range, &number](const std::string& text) {
    number = static_cast<Number>(whole_number(flag, text, range));
  };
  return command.add_option_function<std::string>(flag, read, help)->type_name("N");
}

// A file to write to; an empty name is refused, so that empty means "not given".
CLI::Option* add_file_flag(CLI::App& command, const std::string& flag, std::string& path, const std::string& help);
CLI::Option* add_output_flag(CLI::App& command, std::string& path, const std::string& help);  // -o, --output
void add_json_flag(CLI::App& command, bool& json);

}  // namespace berth::app
