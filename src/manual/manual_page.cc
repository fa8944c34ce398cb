// SPDX-License-Identifier: Apache-2.0
#include "manual/manual_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace berth::manual {
namespace {

constexpr std::string_view kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n0\ndone\n"
    ".TP\n1\nno plan fits in memory or meets the constraints\n"
    ".TP\n2\nbad input or usage\n"
    ".TP\n3\na bug\n";

// Text that troff takes as it is: no commands, and dashes that can be copied.
std::string plain(std::string_view text) {
  std::string result;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else {
      result += letter == '-' ? std::string("\\-") : std::string(1, letter);
    }
    at_start = letter == '\n';
  }
  return result;
}

std::string in_bold(std::string_view text) { return fmt::format("\\fB{}\\fR", plain(text)); }
std::string in_italics(std::string_view text) { return fmt::format("\\fI{}\\fR", plain(text)); }

// Line by line, as it stands.
std::string as_it_stands(std::string_view text) { return fmt::format(".nf\n{}\n.fi\n", plain(trim(text))); }

std::string sentences(const FlagFacts& flag) {
  std::string text;
  for (const std::string_view line : split(flag.help, '\n')) {
    text += fmt::format("{}{}\n", text.empty() ? "" : ".br\n", plain(line));
  }
  if (flag.is_required) text += "(required)\n";
  if (!flag.fallback.empty()) text += fmt::format("(default: {})\n", plain(flag.fallback));
  return text;
}

std::string flag_entry(const FlagFacts& flag) {
  std::vector<std::string> names;
  for (const std::string& name : flag.names) names.push_back(in_bold(name));
  const std::string value = flag.value.empty() ? "" : fmt::format(" {}", in_italics(flag.value));
  return fmt::format(".TP\n{}{}\n{}", join(names, ", "), value, sentences(flag));
}

std::string synopsis(const CommandFacts& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n{}", in_bold(command.words));
  if (!command.commands.empty()) text += fmt::format(" {}", in_italics("COMMAND"));
  for (const FlagFacts& argument : command.arguments) {
    const std::string name = in_italics(argument.names.front());
    text += argument.is_required ? fmt::format(" {}", name) : fmt::format(" [{}]", name);
  }
  return text + (command.flags.empty() ? "\n" : fmt::format(" [{}]\n", in_italics("OPTIONS")));
}

std::string command_list(const CommandFacts& command) {
  if (command.commands.empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const CommandFacts& child : command.commands) {
    text += fmt::format(".TP\n{}\n{}; see {}(1)\n", in_bold(child.name()), plain(child.summary),
                        in_bold(manual_name(child)));
  }
  return text;
}

std::string argument_list(const CommandFacts& command) {
  std::string text = command.arguments.empty() ? "" : ".SH ARGUMENTS\n";
  for (const FlagFacts& argument : command.arguments) {
    text += fmt::format(".TP\n{}\n{}", in_italics(argument.names.front()), sentences(argument));
  }
  return text;
}

// Under the headings of --help; the first group has none of its own.
std::string flag_list(const CommandFacts& command) {
  std::vector<std::string> groups;
  for (const FlagFacts& flag : command.flags) {
    if (std::ranges::find(groups, flag.group) == groups.end()) groups.push_back(flag.group);
  }
  std::string text = command.flags.empty() ? "" : ".SH OPTIONS\n";
  for (const std::string& group : groups) {
    if (group != groups.front()) text += fmt::format(".SS {}\n", plain(group));
    for (const FlagFacts& flag : command.flags) {
      if (flag.group == group) text += flag_entry(flag);
    }
  }
  return text;
}

// What stands below the flags in --help: perhaps some words, then examples.
std::string notes_and_examples(const CommandFacts& command) {
  const std::string& footer = command.footer;
  const std::size_t examples = footer.find("Example");
  const std::string_view notes = trim(std::string_view(footer).substr(0, std::min(examples, footer.size())));
  std::string text = notes.empty() ? "" : fmt::format(".SH NOTES\n{}", as_it_stands(notes));
  if (examples == std::string::npos) return text;
  return text + ".SH EXAMPLES\n" + as_it_stands(std::string_view(footer).substr(footer.find('\n', examples) + 1));
}

std::string see_also(const CommandFacts& command, const CommandFacts& program) {
  if (&command == &program) return "";
  std::vector<std::string> names{"berth(1)"};
  for (const CommandFacts& other : program.commands) {
    if (!command.words.starts_with(other.words)) names.push_back(plain(manual_name(other)) + "(1)");
  }
  return fmt::format(".SH SEE ALSO\n{}\n", join(names, ",\n"));
}

}  // namespace

std::string manual_name(const CommandFacts& command) {
  std::string name = command.words;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string manual_page(const CommandFacts& command, const CommandFacts& program, std::string_view version) {
  std::string title = manual_name(command);
  std::ranges::transform(title, title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c; });
  return fmt::format(".TH {} 1 \"\" \"berth {}\" \"Berth\"\n.SH NAME\n{} \\- {}\n", plain(title), version,
                     plain(manual_name(command)), plain(command.summary)) +
         synopsis(command) + command_list(command) + argument_list(command) + flag_list(command) +
         std::string(kExitStatus) + notes_and_examples(command) + see_also(command, program);
}

}  // namespace berth::manual
