// SPDX-License-Identifier: Apache-2.0
// `berth completion`, and the hidden command that writes what an installation has beside the program.
#include <CLI/CLI.hpp>
#include <array>
#include <filesystem>
#include <memory>

#include "app/commands.h"
#include "app/help/completion_scripts.h"
#include "app/help/manual.h"
#include "base/text.h"
#include "files/files.h"

namespace berth::app {
namespace {

struct Shell {
  std::string_view name;
  std::string (*write)(const CommandFacts&);
  std::string_view file;  // below share/, where the shell looks for it
};

constexpr std::array kShellRows{
    Shell{"bash", bash_completion, "bash-completion/completions/berth"},
    Shell{"zsh", zsh_completion, "zsh/site-functions/_berth"},
    Shell{"fish", fish_completion, "fish/vendor_completions.d/berth.fish"},
};

Status save(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  return write_file_atomically(path.string(), text);
}

Result<Exit> write_share(const CommandFacts& program, const std::filesystem::path& folder) {
  for (const Shell& shell : kShellRows) BERTH_RETURN_IF_ERROR(save(folder / shell.file, shell.write(program)));
  for (const CommandFacts* command : all_commands(program)) {
    const std::string name = manual_name(*command) + ".1";
    BERTH_RETURN_IF_ERROR(save(folder / "man" / "man1" / name, manual_page(*command, program)));
  }
  return Exit::kDone;
}

Result<Exit> print_completion(const CommandFacts& program, const std::string& name) {
  std::vector<std::string> names;
  for (const Shell& shell : kShellRows) {
    if (shell.name == name) return printed(shell.write(program));
    names.emplace_back(shell.name);
  }
  return bad_input("no completion for '{}'{} (there is one for {})", name, did_you_mean(name, names),
                   join(names, ", "));
}

}  // namespace

void add_completion_command(CLI::App& app, Exit& exit) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "the script that completes berth's words in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->footer(
      "An installed berth has them where the shells look. Without an installation:\n"
      "Example:\n  source <(berth completion bash)\n"
      "  source <(berth completion zsh)\n"
      "  berth completion fish > ~/.config/fish/completions/berth.fish");
  command->callback([shell, &app, &exit] { exit = finish(print_completion(command_tree(app), *shell)); });
}

void add_share_command(CLI::App& app, Exit& exit) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("write-share", "manual pages and completions, as installed")->group("");
  command->add_option("FOLDER", *folder)->required();
  command->callback([folder, &app, &exit] { exit = finish(write_share(command_tree(app), *folder)); });
}

}  // namespace berth::app
