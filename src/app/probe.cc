// SPDX-License-Identifier: Apache-2.0
// `berth probe`: its flags. What it does is in learn/learned_here.cc.
#include "app/flags/options.h"
#include "app/learned.h"
#include "files/output_path.h"

namespace berth::app {

namespace {

Result<Exit> run_probe(const ProbeFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_output_path(flags.output));
  return probe(flags);
}

}  // namespace

void add_probe_command(CLI::App& app, Exit& exit) {
  auto [command, flags] =
      add_command<ProbeFlags>(app, exit, "probe", "this computer as a machine file, measured", run_probe);
  add_number(command, "--split", flags.split, {1, 64}, "CPU sub-devices of equally many cores")->default_str("1");
  add_number(command, "--split-gpus", flags.split_gpus, {1, 16},
             "parts of every GPU, with equally many multiprocessors")
      ->default_str("1");
  command.add_flag("--thorough", flags.thorough, "more sizes, dtypes and repeats: some seconds more");
  add_output_flag(command, flags.output, "write the machine file here; default: print it");
  add_json_flag(command, flags.json);
  command.footer(
      "The file also says how far real steps may be from predictions (accuracy, berth help measuring).\nExample:\n  "
      "berth "
      "probe -o host.toml\n  berth probe --split 2 --thorough -o halves.toml");
}

}  // namespace berth::app
