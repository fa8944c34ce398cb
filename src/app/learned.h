// SPDX-License-Identifier: Apache-2.0
// What takes libtorch, which is slow to start and large: only the program `berth-learned` has it. There
// learn/ does what this header says, beginning with learned_here.cc. In `berth` light/learned_elsewhere.cc does: it
// replaces the program by `berth-learned`, which starts the command anew. So call these before anything is read,
// printed or written; they return in `berth` only if the other program is not there, with an error that says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/output/terminal.h"
#include "base/result.h"
#include "services/plan/catalog.h"

namespace CLI {
class App;
}

namespace berth::app {

using LearnedFlags = LearningRequest;
void add_learned_flags(CLI::App& command, LearnedFlags& flags);

// Which trained policy plans, and what it may do besides proposing plans.
struct PolicyFlags {
  std::string run = {};        // its folder; empty: none
  bool zero_shot = false;      // as if it had never seen the problem
  bool plain_samples = false;  // only samples of the policy as it is
  std::uint64_t finetune = 0;  // updates of learning on for this problem
  bool is_start = false;       // its plan is where `auto` begins
};
void add_policy_flags(CLI::App& command, PolicyFlags& flags);

struct ProbeFlags {
  std::uint64_t split = 1, split_gpus = 1;
  bool thorough = false, json = false;
  std::string output;
};
struct TrainFlags;    // app/train.h
struct ExplainFlags;  // app/explain.h

// Whether learned planners can run, here or by the other program. Never replaces this one.
bool has_learned_planners();
// All planners, with those that learn if they can run here or there.
Catalog planner_catalog();
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
