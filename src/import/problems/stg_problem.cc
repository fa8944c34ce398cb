// SPDX-License-Identifier: Apache-2.0
// STG: the Standard Task Graph Set of Kasahara's laboratory at Waseda University. Tasks with times on equal processors
// and an order between them, no communication: the tensor between two tasks has no bytes.
#include <algorithm>

#include "files/text_lines.h"
#include "import/problems/problem_readers.h"
#include "machine/library.h"

namespace berth {
namespace {

constexpr std::string_view kStgMachine = "procx4";
constexpr double kSecondsPerStgUnit = 1.0;

class StgReader {
 public:
  StgReader(std::string_view text, std::string title) : lines_(text, '#'), builder_(std::move(title)) {}

  Result<Graph> read() {
    BERTH_RETURN_IF_ERROR(read_count());
    while (const auto line = lines_.next()) BERTH_RETURN_IF_ERROR(read_task(*line));
    if (builder_.num_ops() < all_tasks_) {
      return bad_input("it ends after {} of {} tasks, the dummies at both ends counted", builder_.num_ops(),
                       all_tasks_);
    }
    builder_.set_source_counts(all_tasks_, edges_);
    return std::move(builder_).build();
  }
  [[nodiscard]] const std::vector<double>& times_s() const { return times_s_; }

 private:
  Status read_count() {
    const auto line = lines_.next();
    if (!line) return bad_input("it is empty");
    BERTH_TRY(const std::uint64_t tasks, lines_.whole(*line, "the number of tasks", kMaxOps - 2));
    all_tasks_ = tasks + 2;  // one dummy before all others, one after
    return {};
  }

  // "id time number-of-predecessors predecessor ..."
  Status read_task(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    const std::size_t id = builder_.num_ops();
    if (id == all_tasks_) return lines_.error(fmt::format("more than the {} tasks that line 1 announces", id));
    if (words.size() < 3) return lines_.error("expected a task, its time and the number of its predecessors");
    BERTH_TRY(const std::uint64_t stated, lines_.whole(words[0], "the task", all_tasks_ - 1));
    if (stated != id) return lines_.error(fmt::format("task {} stands where task {} is expected", stated, id));
    BERTH_TRY(const double units, lines_.amount(words[1], "the time"));
    BERTH_TRY(const std::uint64_t count, lines_.whole(words[2], "the number of predecessors", kMaxEdges));
    if (count != words.size() - 3)
      return lines_.error(fmt::format("{} predecessors are announced, {} are there", count, words.size() - 3));
    const std::string name = fmt::format("t{}", id);
    OpSpec task{.name = name, .type = "task", .outputs = {tensor_of_bytes(0)}};
    for (const std::string_view word : std::span(words).subspan(3)) {
      BERTH_TRY(const std::uint64_t before, lines_.whole(word, "a predecessor", all_tasks_ - 1));
      task.inputs.push_back({OpId(before), 0});
    }
    edges_ += count;
    builder_.add(task);
    times_s_.push_back(units * kSecondsPerStgUnit);
    return {};
  }

  TextLines lines_;
  GraphBuilder builder_;
  std::size_t all_tasks_ = 0, edges_ = 0;
  std::vector<double> times_s_;
};

}  // namespace

bool looks_like_stg(std::string_view first_line) {
  return !first_line.empty() && std::ranges::all_of(first_line, [](char c) { return c >= '0' && c <= '9'; });
}

Result<Problem> read_stg_problem(std::string_view text, std::string title, const ProblemOverrides& request) {
  BERTH_RETURN_IF_ERROR(check_objective(request, Objective::kStep, "a task graph is run once, as fast as can be"));
  StgReader reader(text, std::move(title));
  BERTH_TRY(Graph graph, reader.read());
  std::shared_ptr<const Machine> machine = request.machine;
  if (machine == nullptr) {
    BERTH_TRY(Machine processors, builtin_machine(kStgMachine));
    machine = std::make_shared<const Machine>(std::move(processors));
  }
  ExplicitCosts costs;
  for (const double time_s : reader.times_s()) costs.time_s.emplace_back(machine->num_devices(), time_s);
  return make_problem(std::make_shared<const Graph>(std::move(graph)), std::move(machine), costs, {}, Objective::kStep);
}

}  // namespace berth
