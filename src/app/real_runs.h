// SPDX-License-Identifier: Apache-2.0
// Commands that run graphs for real. What takes libtorch is done by the program that has it, as app/learned.h says:
// there learn/real_runs_here.cc does it; in `berth` light/real_runs_elsewhere.cc hands the command over.
#pragma once

#include <string>

#include "app/output/terminal.h"
#include "base/result.h"

namespace CLI {
class App;
}

namespace berth::app {

void add_measure_command(CLI::App& app, Exit& exit);
void add_calibrate_command(CLI::App& app, Exit& exit);
void add_probe_command(CLI::App& app, Exit& exit);
void add_worker_command(CLI::App& app, Exit& exit);  // hidden

struct ProbeFlags;  // app/probe.h

// The process in which plans run: reads questions from stdin and answers on stdout.
Result<Exit> measure_worker(const std::string& capture, const std::string& devices);
Result<Exit> probe(const ProbeFlags& flags);

}  // namespace berth::app
