// SPDX-License-Identifier: Apache-2.0
// What the tables of HSDAG need beside whole runs; bench/hsdag_checks.py makes Markdown of it. One JSON line for each
// case.
//
//   hsdag_checks coarsening GRAPH MACHINE            proved optimum with every set of a rule on one device
//   hsdag_checks gradients GRAPH MACHINE N UPDATES   how much the gradients of N batches of the same policy agree
#include <ATen/Parallel.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "files/files.h"
#include "format/machine_toml.h"
#include "import/graph_file.h"
#include "learn/grouping/fixed.h"
#include "learn/hsdag/node_features.h"
#include "learn/hsdag/parsing.h"
#include "learn/hsdag/policy.h"
#include "learn/train/trainer.h"
#include "machine/library.h"
#include "plan/mincut/mincut_exact.h"
#include "zoo/zoo.h"

namespace berth::learn {
namespace {

template <typename T>
T value_or_exit(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(2);
  }
  return std::move(result).value();
}

// A graph of the zoo or in a JSON file; a built-in machine or a .toml file.
Problem load(const std::string& graph, const std::string& machine) {
  const bool of_zoo = graph.starts_with("zoo:");
  Graph found = value_or_exit(of_zoo ? build_zoo_model(graph.substr(4)) : load_graph_file(graph));
  Machine on = value_or_exit(machine.ends_with(".toml") ? read_machine_toml(value_or_exit(read_file(machine)), machine)
                                                        : builtin_machine(machine));
  return value_or_exit(
      make_problem(std::make_shared<Graph>(std::move(found)), std::make_shared<Machine>(std::move(on))));
}

void print_optimum(const Problem& problem, std::string_view rule, const Grouping& grouping) {
  Constraints constraints = problem.constraints();
  std::vector<std::vector<OpId>> sets(grouping.size());
  for (const OpId op : problem.graph().ops()) sets[grouping.of(problem, op)].push_back(op);
  for (const std::vector<OpId>& set : sets) {
    if (set.size() > 1) constraints.together.push_back(set);
  }
  const Problem coarse = value_or_exit(constrain(problem, std::move(constraints)));
  Search search(coarse, {.time_s = 60.0});
  value_or_exit(MincutExactPlanner().plan(search));
  fmt::print("{{\"rule\": \"{}\", \"sets\": {}, \"step_time_s\": {:.12g}, \"proved\": {}}}\n", rule, grouping.size(),
             to_seconds(search.best_score().step_time), search.at_lower_bound());
}

// One round of parsing by random scores over the sets of the paper's rule.
Grouping random_parsing(const Problem& problem, std::uint64_t seed) {
  const Items items = make_items(problem, coarsen(problem, Coarsening::kMutual), Decided::kAll);
  std::vector<Pair> edges;
  for (const Items::Edge& edge : items.edges) edges.emplace_back(edge.from, edge.to);
  const std::vector<Pair> pairs = without_direction(edges);
  Rng rng(seed);
  std::vector<float> scores(pairs.size());
  for (float& score : scores) score = static_cast<float>(rng.uniform());
  const Parsing parsing = parse(items.size(), pairs, scores);
  std::vector<std::uint32_t> label(problem.graph().num_ops());
  for (const OpId op : problem.graph().ops()) {
    const auto item = static_cast<std::size_t>(items.position[items.grouping.of(problem, op)]);
    label[index(op)] = parsing.cluster[item];
  }
  return join_equal_labels(problem, items.grouping, label);
}

int coarsening(const Problem& problem) {
  for (const auto& [rule, name] : {std::pair{Coarsening::kNone, "none"},
                                   {Coarsening::kMutual, "mutual"},
                                   {Coarsening::kSoleParent, "sole-parent"}})
    print_optimum(problem, name, coarsen(problem, rule));
  print_optimum(problem, "mutual, then random parsing", random_parsing(problem, 1));
  const std::size_t quarter = coarsen(problem, Coarsening::kMutual).size() / 4;
  print_optimum(
      problem, "METIS",
      value_or_exit(fixed_grouping(problem, {GroupingRule::Kind::kMetis}, std::max<std::size_t>(quarter, 1), 1)));
  return 0;
}

struct Agreement {
  double noise = 0.0;   // root mean square distance from the mean, as a share of its length
  double cosine = 0.0;  // of two gradients, in the mean
};
Agreement agreement_of(const std::vector<std::vector<float>>& gradients) {
  const auto count = static_cast<double>(gradients.size());
  std::vector<double> mean(gradients.front().size());
  for (const std::vector<float>& one : gradients) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += static_cast<double>(one[i]) / count;
  }
  const auto product = [](const auto& a, const auto& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  Agreement result;
  double away = 0.0;
  int pairs = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    away += product(gradients[i], gradients[i]) - product(mean, mean);
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const double lengths = product(gradients[i], gradients[i]) * product(gradients[j], gradients[j]);
      result.cosine += product(gradients[i], gradients[j]) / std::sqrt(std::max(lengths, 1e-300));
    }
  }
  result.noise = std::sqrt(std::max(away, 0.0) / (count - 1.0) / std::max(product(mean, mean), 1e-300));
  result.cosine /= pairs;
  return result;
}

// A learner whose policy begins the same for every seed: only what is drawn differs.
std::unique_ptr<Trainer> make_trainer(const Problem& problem, const HsdagOptions& options, std::uint64_t seed,
                                      Communicator& alone) {
  std::vector<Lesson> lessons(1);
  lessons[0].policy = value_or_exit(make_hsdag_policy(problem, options, 1, at::kCPU));
  lessons[0].environment = make_simulated_environment(problem, 1);
  return std::make_unique<Trainer>(std::move(lessons), options, seed, alone);
}

int gradients(const Problem& problem, std::uint64_t count, int updates) {
  HsdagOptions options = hsdag_default();
  options.near_best = 0.0;
  const std::unique_ptr<Communicator> alone = make_alone();
  const std::unique_ptr<Trainer> trained = make_trainer(problem, options, 1, *alone);
  for (const int after : {0, updates}) {
    for (int i = 0; i < after; ++i) value_or_exit(trained->update());
    const std::vector<float> values = trained->parameters().values();
    for (const auto& [kind, name] : {std::pair{BaselineKind::kNone, "none"}, {BaselineKind::kBatch, "batch"}}) {
      options.baseline = kind;
      std::vector<std::vector<float>> found;
      for (std::uint64_t seed = 1; seed <= count; ++seed) {
        const std::unique_ptr<Trainer> trainer = make_trainer(problem, options, seed, *alone);
        trainer->parameters().set_values(values);
        found.push_back(value_or_exit(trainer->gradients()).value().values);
      }
      const Agreement agreement = agreement_of(found);
      fmt::print("{{\"after\": {}, \"baseline\": \"{}\", \"batches\": {}, \"noise\": {:.6g}, \"cosine\": {:.6g}}}\n",
                 after, name, count, agreement.noise, agreement.cosine);
    }
  }
  return 0;
}

int run(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (!(what == "coarsening" && argc == 4) && !(what == "gradients" && argc == 6)) {
    std::fprintf(stderr, "usage: hsdag_checks coarsening GRAPH MACHINE | gradients GRAPH MACHINE N UPDATES\n");
    return 2;
  }
  at::set_num_threads(1);
  const Problem problem = load(argv[2], argv[3]);
  if (what == "coarsening") return coarsening(problem);
  return gradients(problem, std::strtoull(argv[4], nullptr, 10), std::atoi(argv[5]));
}

}  // namespace
}  // namespace berth::learn

int main(int argc, char** argv) { return berth::learn::run(argc, argv); }
