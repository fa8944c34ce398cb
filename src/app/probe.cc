// SPDX-License-Identifier: Apache-2.0
// `berth probe`: its flags. What it does is in learn/real_runs_here.cc.
#include "app/probe.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands.h"
#include "app/flags/options.h"
#include "app/real_runs.h"
#include "services/output_path.h"

namespace berth::app {

void add_probe_command(CLI::App& app, Exit& exit) {
  auto flags = std::make_shared<ProbeFlags>();
  CLI::App* command = app.add_subcommand("probe", "this computer as a machine file, measured");
  add_whole_number(
      *command, "--split", [flags](std::uint64_t parts) { flags->split = parts; }, {1, 64},
      "CPU sub-devices of equally many cores")
      ->default_str("1");
  add_whole_number(
      *command, "--split-gpus", [flags](std::uint64_t parts) { flags->split_gpus = parts; }, {1, 16},
      "parts of every GPU, with equally many multiprocessors")
      ->default_str("1");
  command->add_flag("--thorough", flags->thorough, "more sizes, dtypes and repeats: some seconds more");
  add_output_flag(*command, flags->output, "write the machine file here; default: print it");
  add_json_flag(*command, flags->json);
  command->footer(
      "The file also says how far real steps may be from predictions (accuracy, berth help measuring).\nExample:\n  "
      "berth "
      "probe -o host.toml\n  berth probe --split 2 --thorough -o halves.toml");
  command->callback([flags, &exit] {
    const Status good = check_output_path(flags->output);
    exit = finish(good.ok() ? probe(*flags) : Result<Exit>(good.error()));
  });
}

}  // namespace berth::app
