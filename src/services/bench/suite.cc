// SPDX-License-Identifier: Apache-2.0
#include "services/bench/suite.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "services/problem/exact_set.h"

namespace berth {
namespace {

struct ZooRow {
  std::string_view name, graph, machine, setting, why;
};

// The papers' rows first. The others were chosen with those of bench/planners_suite.toml, so that machines, kinds of
// model and tightness of memory are all met.
constexpr std::size_t kPapersRows = 6;
constexpr std::array kZooRows{
    ZooRow{"inception-v3-k40x2", "zoo:inception-v3", "k40x2", "",
           "branches of convolutions, one GPU was the published expert"},
    ZooRow{"resnet-152-k40x2", "zoo:resnet-152", "k40x2", "", "nearly a chain, little to gain"},
    ZooRow{"rnnlm-k40x2", "zoo:rnnlm", "k40x2", "", "an unrolled grid of two layers"},
    ZooRow{"nmt-2-k40x2", "zoo:nmt-2", "k40x2", "", "no GPU holds it, two barely do"},
    ZooRow{"nmt-4-k40x4", "zoo:nmt-4", "k40x4", "", "no GPU holds it"},
    ZooRow{"nmt-8-k40x8", "zoo:nmt-8", "k40x8", "", "the largest graph"},
    ZooRow{"bert-base-k40x4", "zoo:bert-base", "k40x4", "", "a chain of wide layers over slow links"},
    ZooRow{"bert-base-tight-p100x4", "zoo:bert-base,batch=96", "p100x4", "gpu.memory=0.5x",
           "memory tight: 10.8 GiB on GPUs of 8 GiB"},
    ZooRow{"gpt2-a100x8", "zoo:gpt2", "a100x8", "", "fast links and more devices than the chain can use"},
    ZooRow{"gpt2-tight-k40x4", "zoo:gpt2,batch=32", "k40x4", "", "memory tight: 30 GiB on four times 12 GiB"},
    ZooRow{"transformer-xl-p100x4", "zoo:transformer-xl", "p100x4", "",
           "large activations over slow links: quick planners lose to one GPU"},
    ZooRow{"transformer-xl-tight-k40x8", "zoo:transformer-xl,batch=32", "k40x8", "",
           "no GPU holds it: a chain cut over eight"},
    ZooRow{"wavenet-a100x8", "zoo:wavenet", "a100x8", "", "many skip connections, small ops, fast links"},
    ZooRow{"amoebanet-a100x8", "zoo:amoebanet", "a100x8", "", "cells with wide branches on eight devices"},
    ZooRow{"amoebanet-tight-k40x4", "zoo:amoebanet,batch=128", "k40x4", "",
           "memory tight: 31 GiB on four times 12 GiB"},
    ZooRow{"moe-p100x4", "zoo:moe", "p100x4", "", "eight experts a layer side by side; no GPU holds it"},
    ZooRow{"resnet-152-infer-p100x4", "zoo:resnet-152,mode=infer", "p100x4", "",
           "nearly a chain: hardly anything beats one GPU"},
};

// Of the zoo and of the exact set.
constexpr std::array<std::string_view, 8> kQuickRows{"inception-v3-k40x2",     "rnnlm-k40x2",      "nmt-2-k40x2",
                                                     "bert-base-k40x4",        "bert-train-k40x2", "gpt2-train-p100x3",
                                                     "inception-infer-p100x3", "zoo-moe-rtx"};

std::vector<SuiteRow> zoo_rows(std::size_t count) {
  std::vector<SuiteRow> rows;
  for (const ZooRow& row : std::span(kZooRows).first(count)) {
    rows.push_back({std::string(row.name), std::string(row.graph), std::string(row.machine), std::string(row.setting),
                    std::string(row.why)});
  }
  return rows;
}

std::vector<SuiteRow> exact_rows() {
  std::vector<SuiteRow> rows;
  for (const ExactProblem& problem : exact_problems()) {
    rows.push_back({problem.name, fmt::format("exact:{}", problem.name), "", "",
                    "a real graph in a few groups, its optimum proved", problem.optimum});
  }
  return rows;
}

std::vector<SuiteRow> all_rows() {
  std::vector<SuiteRow> rows = zoo_rows(kZooRows.size());
  std::ranges::move(exact_rows(), std::back_inserter(rows));
  return rows;
}

std::vector<SuiteRow> quick_rows() {
  const std::vector<SuiteRow> all = all_rows();
  std::vector<SuiteRow> rows;
  for (const std::string_view name : kQuickRows) rows.push_back(*std::ranges::find(all, name, &SuiteRow::name));
  return rows;
}

}  // namespace

ProblemRequest SuiteRow::request() const {
  ProblemRequest request{.graph = graph, .machine = machine};
  if (!setting.empty()) request.changes.settings.push_back(setting);
  return request;
}

const std::vector<Suite>& suites() {
  static const std::vector<Suite> kSuites{
      {"quick", 1, "a few of each kind, for a first look", quick_rows()},
      {"papers", 1, "the rows of the Hierarchical Planner's paper", zoo_rows(kPapersRows)},
      {"zoo", 1, "models of the zoo on built-in machines, with fast and slow links and tight memory",
       zoo_rows(kZooRows.size())},
      {"exact", 1, "small real problems whose optima are proved", exact_rows()},
      {"all", 1, "zoo and exact together", all_rows()},
  };
  return kSuites;
}

Result<Suite> find_suite(std::string_view name) {
  std::vector<std::string> names;
  for (const Suite& suite : suites()) {
    if (suite.name == name) return suite;
    names.push_back(suite.name);
  }
  return bad_input("no suite named '{}'; there are: {}{}", name, join(names, ", "), did_you_mean(name, names));
}

Result<Suite> with_rows(Suite suite, std::span<const std::string> words) {
  if (words.empty()) return suite;
  const auto has = [](const std::string& word) {
    return [&word](const SuiteRow& row) { return row.name.find(word) != std::string::npos; };
  };
  for (const std::string& word : words) {
    if (std::ranges::any_of(suite.rows, has(word))) continue;
    return bad_input("--rows: no problem of the suite {} has '{}' in its name (berth bench --list names all)",
                     suite.name, word);
  }
  const std::size_t all = suite.rows.size();
  std::erase_if(suite.rows, [&](const SuiteRow& row) {
    return std::ranges::none_of(words, [&](const std::string& word) { return has(word)(row); });
  });
  suite.is_whole = suite.rows.size() == all;
  return suite;
}

}  // namespace berth
