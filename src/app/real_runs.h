// SPDX-License-Identifier: Apache-2.0
// Commands that run graphs for real. What takes libtorch is done by the program that has it, as app/learned.h says:
// there learn/real_runs_here.cc does it; in `berth` light/real_runs_elsewhere.cc hands the command over.
#pragma once

#include <cstdint>
#include <string>

#include "app/output/terminal.h"
#include "base/result.h"

namespace berth::app {

struct ProbeFlags {
  std::uint64_t split = 1, split_gpus = 1;
  bool thorough = false, json = false;
  std::string output;
};

// The program with libtorch; this one if the other is not there yet and has to be asked for.
Result<std::string> worker_program();
// The process in which plans run: reads questions from stdin and answers on stdout.
Result<Exit> measure_worker(const std::string& capture, const std::string& devices);
Result<Exit> probe(const ProbeFlags& flags);

}  // namespace berth::app
