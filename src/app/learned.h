// SPDX-License-Identifier: Apache-2.0
// What takes libtorch, which is slow to start and large: only the program `berth-learned` has it. There
// learn/ does what this header says, beginning with learned_here.cc. In `berth` light/learned_elsewhere.cc does: it
// replaces the program by `berth-learned`, which starts the command anew. So call these before anything is read,
// printed or written; they return in `berth` only if the other program is not there, with an error that says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "app/flags/learned_flags.h"
#include "app/output/terminal.h"
#include "base/result.h"
#include "services/plan/catalog.h"

namespace berth::app {

struct ProbeFlags {
  std::uint64_t split = 1, split_gpus = 1;
  bool thorough = false, json = false;
  std::string output;
};
struct TrainFlags;    // app/train.h
struct ExplainFlags;  // app/explain.h

// Whether learned planners can run, here or by the other program. Never replaces this one.
bool has_learned_planners();
// What gets them where they come in another package; empty where they are here, or never will be.
std::string_view learned_remedy();
// `name` is one of the catalog.
Result<ChosenPlanner> choose_learned(std::string_view name, const LearnedFlags& flags);
// The planner that a trained run is (berth place --policy RUN).
Result<ChosenPlanner> choose_trained(const PolicyFlags& policy, const LearnedFlags& flags);
Result<Exit> train(const TrainFlags& flags);
// What a trained run holds likely (berth explain --policy RUN).
Result<Exit> explain_policy(const ExplainFlags& flags);

// Graphs run for real. The program with libtorch; this one if the other is not there yet and has to be asked for.
Result<std::string> worker_program();
// The process in which plans run: reads questions from stdin and answers on stdout.
Result<Exit> measure_worker(const std::string& capture, const std::string& devices);
Result<Exit> probe(const ProbeFlags& flags);

}  // namespace berth::app
