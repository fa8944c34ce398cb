// SPDX-License-Identifier: Apache-2.0
#include "runs/fingerprint.h"

#include <algorithm>

#include "base/hasher.h"
#include "format/machine_toml.h"
#include "problem/what_if/machine_draft.h"

namespace berth::learn {
namespace {

std::uint64_t word_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

void add_op(Hasher& hasher, const Problem& problem, OpId op) {
  hasher.add(problem.allowed(op));
  hasher.add(problem.unit(op));
  hasher.add(word_of(problem.resident_bytes(op)));
  for (const DeviceId device : problem.machine().device_ids()) {
    const bool runs = (problem.runnable(op) & device_bit(device)) != 0;
    hasher.add(runs ? word_of(problem.duration(op, device)) : 0);
  }
}

}  // namespace

std::string hash_of(const Machine& machine) {
  MachineDraft draft(machine);
  draft.execution.accuracy.reset();  // says nothing about the machine itself
  Hasher hasher;
  hasher.add(write_machine_toml(draft.make().value()));
  return hasher.hex();
}

std::string hash_of(const Problem& problem) {
  const Graph& graph = problem.graph();
  Hasher hasher;
  hasher.add(graph.structure_hash());
  hasher.add(hash_of(problem.machine()));
  hasher.add(static_cast<std::uint64_t>(problem.objective()));
  for (const DeviceId device : problem.machine().device_ids()) hasher.add(word_of(problem.capacity(device)));
  for (std::size_t i = 0; i < problem.machine().pools().size(); ++i) {
    hasher.add(word_of(problem.pool_capacity(static_cast<int>(i))));
  }
  hasher.add(word_of(problem.constraints().max_devices.value_or(-1)));
  hasher.add(word_of(problem.constraints().max_crossings.value_or(-1)));
  for (const TensorId tensor : graph.tensors()) hasher.add(word_of(graph.bytes(tensor)));
  for (const OpId op : graph.ops()) add_op(hasher, problem, op);
  return hasher.hex();
}

void take_hashes(LessonConfig& lesson, const Problem& problem) {
  lesson.graph_hash = problem.graph().structure_hash();
  lesson.machine_hash = hash_of(problem.machine());
  lesson.problem_hash = hash_of(problem);
}

std::optional<std::size_t> lesson_of(const RunConfig& config, const Problem& problem) {
  const auto found = std::ranges::find(config.lessons, hash_of(problem), &LessonConfig::problem_hash);
  if (found == config.lessons.end()) return std::nullopt;
  return static_cast<std::size_t>(found - config.lessons.begin());
}

Status check_hashes(const LessonConfig& lesson, const Problem& problem, std::string_view run, std::string_view reason) {
  const std::string because = reason.empty()
                                  ? "; train anew for this one"
                                  : fmt::format(": {}; {} train policies for any", reason, general_methods());
  if (lesson.graph_hash != problem.graph().structure_hash()) {
    return bad_input("{}: it was trained for another graph ({}){}", run, lesson.graph, because);
  }
  if (lesson.machine_hash != hash_of(problem.machine())) {
    return bad_input("{}: it was trained for another machine ({}){}", run,
                     lesson.machine.empty() ? "that of the problem" : lesson.machine, because);
  }
  if (lesson.problem_hash == hash_of(problem)) return {};
  return bad_input(
      "{}: it was trained with other times, sizes, constraints or another objective; give the flags it was "
      "trained with (config.json), or train anew",
      run);
}

}  // namespace berth::learn
