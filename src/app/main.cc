// SPDX-License-Identifier: Apache-2.0
// berth: the command line. Exit codes: 0 done, 1 no feasible plan, 2 bad input or usage, 3 a bug.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>
#include <new>
#include <sstream>

#include "app/commands.h"
#include "app/help/command_tree.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/mapped_file.h"

namespace berth::app {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  berth place zoo:nmt-4 --machine k40x4 -o plan.json\n"
    "  berth compare zoo:resnet-50 --machine rtx4090-3060\n"
    "  berth score zoo:nmt-4 --machine k40x4 --plan plan.json\n"
    "  berth explain zoo:nmt-4 --machine k40x4 --plan plan.json\n"
    "  berth report zoo:nmt-4 --machine k40x4 --plan plan.json -o report.html\n"
    "  berth pipeline zoo:gpt2 --machine a100-v100 --microbatches 8 -o pipeline.json\n"
    "  berth llm llama-70b --machine rtx4090-3060 --ctx 8192\n"
    "\n"
    "berth help COMMAND says more about each, berth help lists the pages of the documentation.";

void add_commands(CLI::App& app, Exit& exit) {
  add_place_command(app, exit);
  add_compare_command(app, exit);
  add_bench_command(app, exit);
  add_score_command(app, exit);
  add_explain_command(app, exit);
  add_diff_command(app, exit);
  add_report_command(app, exit);
  add_sweep_command(app, exit);
  add_export_command(app, exit);
  add_train_command(app, exit);
  add_measure_command(app, exit);
  add_calibrate_command(app, exit);
  add_probe_command(app, exit);
  add_worker_command(app, exit);
  add_pipeline_command(app, exit);
  add_llm_command(app, exit);
  add_graph_command(app, exit);
  add_planners_command(app, exit);
  add_machines_command(app, exit);
  add_models_command(app, exit);
  add_demo_command(app, exit);
  add_help_command(app, exit);
  add_completion_command(app, exit);
  add_share_command(app, exit);
}

// The innermost command on the line, and its words: "berth graph info".
const CLI::App* chosen_command(const CLI::App& app, std::string& words) {
  const CLI::App* command = &app;
  words = app.get_name();
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    words += fmt::format(" {}", command->get_name());
  }
  return command;
}

std::string about_extra(const CLI::App& command, const std::string& extra) {
  if (extra.starts_with("-")) {
    std::vector<std::string> flags;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) flags.push_back(fmt::format("--{}", name));
    }
    const std::string flag = extra.substr(0, extra.find('='));
    return fmt::format("no flag {}{}", flag, did_you_mean(flag, flags));
  }
  const std::vector<std::string> names = names_of_commands(command);
  if (names.empty()) return fmt::format("unexpected argument '{}'", extra);
  return fmt::format("no command named '{}'{}", extra, did_you_mean(extra, names));
}

// A flag without its value, or given twice.
std::string about_mismatch(const CLI::App& command, const std::string& what) {
  const std::string name = what.substr(0, what.find(':'));
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_name() != name) continue;
    const bool once = option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw;
    if (once && option->count() > 1) return fmt::format("{} is given {} times; give it once", name, option->count());
    return fmt::format("{} needs a value", name);
  }
  return what;
}

std::string about_usage(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  const std::vector<std::string> extras = app.remaining(true);
  const std::vector<std::string> names = names_of_commands(command);
  const bool lacks_command = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && !names.empty();
  const bool has_extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr || lacks_command;
  if (has_extra && !extras.empty()) return about_extra(command, extras.front());
  if (lacks_command) return fmt::format("a command is missing: {}", join(names, ", "));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return about_mismatch(command, error.what());
  return error.what();
}

Exit usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string words;
  const CLI::App* command = chosen_command(app, words);
  print_error(fmt::format("{} ({} --help)", about_usage(app, *command, error), words));
  return Exit::kBadInput;
}

Exit run(int argc, const char* const* argv) {
  CLI::App app{"Berth decides which device runs each operation of a neural network.", "berth"};
  Exit exit = Exit::kDone;
  app.set_version_flag("--version", "berth " BERTH_VERSION, "print the version");
  app.require_subcommand(0, 1);
  app.footer(kFooter);
  add_commands(app, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help, --version
    std::ostringstream text, unused;
    app.exit(success, text, unused);
    return finish(printed(text.str()));
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  return app.get_subcommands().empty() ? finish(printed(app.help())) : exit;
}

}  // namespace

Exit finish(const Result<Exit>& result) {
  if (result) return *result;
  print_error(result.error().message);
  return result.error().code == ErrorCode::kInfeasible ? Exit::kInfeasible : Exit::kBadInput;
}

}  // namespace berth::app

int main(int argc, char** argv) {
  using berth::app::Exit;
  berth::exit_if_mapped_files_shrink();
  try {
    return static_cast<int>(berth::app::run(argc, argv));
  } catch (const std::bad_alloc&) {
    berth::app::print_error("not enough memory on this computer for that; try a smaller graph or fewer threads");
    // Without the ends of libraries: the threads of OpenBLAS, which CLP may bring, would ask for memory for ever.
    std::_Exit(static_cast<int>(Exit::kBadInput));
  } catch (const std::exception& error) {
    berth::app::print_error(std::string("bug: ") + error.what() + "; please report it");
    return static_cast<int>(Exit::kBug);
  }
}
