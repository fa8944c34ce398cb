// SPDX-License-Identifier: Apache-2.0
// `berth completion`, and the hidden command that writes what an installation has beside the program.
#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/help/command_tree.h"
#include "app/output/terminal.h"
#include "manual/share.h"

namespace berth::app {
namespace {

Result<Exit> print_completion(const CLI::App& program, const std::string& shell) {
  BERTH_TRY(const std::string script, manual::completion_for(shell, command_tree(program)));
  return printed(script);
}

Result<Exit> write_share(const CLI::App& program, const std::string& folder) {
  BERTH_RETURN_IF_ERROR(manual::write_share(folder, command_tree(program), BERTH_VERSION));
  return Exit::kDone;
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
  command->callback([shell, &app, &exit] { exit = finish(print_completion(app, *shell)); });
}

void add_share_command(CLI::App& app, Exit& exit) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("write-share", "manual pages and completions, as installed")->group("");
  command->add_option("FOLDER", *folder)->required();
  command->callback([folder, &app, &exit] { exit = finish(write_share(app, *folder)); });
}

}  // namespace berth::app
