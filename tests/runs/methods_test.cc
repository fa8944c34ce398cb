// SPDX-License-Identifier: Apache-2.0
#include "runs/methods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/text.h"

namespace berth::learn {
namespace {

// For every option a value that differs from the default.
constexpr std::string_view kOthers =
    "grouping=framework+cells groups=17 clusters=3 start=none start-weight=2.5 type-feature=index "
    "type-size=7 max-types=30 outputs=5 dims=3 neighbours=signed neighbour-slots=10 cost-features=off "
    "device-features=off grouper-hidden=12 grouper-scale=2 grouper-activation=none placer=transformer hidden=128 "
    "attention=16 aligned=off "
    "tanh-constant=2.5 temperature=1 adjacency=binary group-types=off group-shapes=off placed-features=off "
    "start-by-speed=off "
    "rounds=3 message-width=5 messages=sum device-head=fixed episodes=6 sweeps=2 first-placement=best returns=final "
    "discount=0.5 "
    "nodes=9 tasks=placement+fusion levels=5 priorities=plackett-luce ties=fifo sage-layers=1 attention-layers=3 "
    "heads=2 "
    "segment=16 inner=3 passes=4 superposition=off task-attention=off locality=1 stretch=3 "
    "coarsening=none degrees=off fractal=off node-shapes=off position=index position-size=4 raw-features=on gnn=gat "
    "gnn-layers=3 directed=on parser=metis poolings=2 pool-factor=sum dropout=0.25 state-update=off credit=shared "
    "step-discount=0.5 refuse-single=on self-loops=on parse-noise=2 start-by-times=2 near-best=0.5 near-stretches=0.25 "
    "activation=silu freeze-after=7 "
    "groupings=3 placements=4 lessons=2 epochs=4 ratio-clip=0.2 rate=0.001 rate-decay=0.95 decay-after=400 "
    "decay-every=60 clip=0.5 entropy=0.02 "
    "entropy-end=0.001 entropy-updates=100 noise=0.1 noise-updates=750 valid-only-after=1000 baseline-decay=0.99 "
    "baseline=moving "
    "baseline-fails=on scale-advantage=off reward=log failing=constant failing-s=12.25 env-noise=0.05";

std::map<std::string_view, std::string_view> others() {
  std::map<std::string_view, std::string_view> values;
  for (const std::string_view assignment : split(kOthers, ' ')) {
    const std::size_t equals = assignment.find('=');
    values[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  return values;
}

std::map<std::string_view, std::string> all_of(const Options& options) {
  std::map<std::string_view, std::string> values;
  for (const Field& field : method_of(options).fields) values[field.name] = field.get(options);
  return values;
}

std::string option_error(std::string_view assignment, const Options& plain = HierarchicalOptions()) {
  Options options = plain;
  const Status status = set_option(options, assignment);
  EXPECT_EQ(options, plain) << "a value that is refused changes nothing";
  return status ? "" : status.error().message;
}

bool takes(Options options, std::string_view assignment) { return set_option(options, assignment).ok(); }

TEST(Methods, HaveRowsOfTheirOwn) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) {
    SCOPED_TRACE(method.name);
    names.emplace_back(method.name);
    EXPECT_EQ(&method_of(method.plain), &method);
    EXPECT_EQ(find_method(method.name), &method);
    EXPECT_FALSE(method.summary.empty());
    ASSERT_FALSE(method.presets.empty());
    EXPECT_EQ(method.presets.front().name, "default");
    for (const Preset& preset : method.presets) EXPECT_EQ(&method_of(preset.options), &method) << preset.name;
    for (const Field& field : method.fields) {
      EXPECT_FALSE(field.help.empty()) << field.name;
      EXPECT_EQ(method.find(field.name), &field) << "twice: " << field.name;
    }
  }
  EXPECT_EQ(join(names, " "), "colocrl hierarchical placeto go hsdag");
  EXPECT_EQ(find_method("heft"), nullptr);
  EXPECT_EQ(general_methods(), "go and placeto");
}

TEST(Options, BelongToMethods) {
  EXPECT_EQ(option_error("heads=8"),
            "option 'heads' belongs to go; hierarchical has none of that name (berth planners --options hierarchical "
            "lists its own)");
  EXPECT_EQ(option_error("gnn=gat"),
            "option 'gnn' belongs to hsdag; hierarchical has none of that name (berth planners --options hierarchical "
            "lists its own)");
  EXPECT_TRUE(option_error("groups=8", GoOptions())
                  .starts_with("option 'groups' belongs to colocrl, hierarchical, placeto, hsdag;"));
  for (const auto& [assignment, plain] :
       {std::pair<std::string_view, Options>{"heads=8", GoOptions()}, {"rate=0.5", HsdagOptions()}}) {
    Options options = plain;
    EXPECT_TRUE(set_option(options, assignment));
    EXPECT_NE(options, plain);
  }
  EXPECT_EQ(option_error("head=8", GoOptions()), "no option named 'head'; did you mean 'heads'?");
  EXPECT_EQ(option_error("grops=8", GoOptions()), "no option named 'grops'; did you mean 'groups'?") << "of another";
  EXPECT_EQ(find_method("go")->find("no-such-option"), nullptr);
}

TEST(Options, EveryFieldIsSetAloneAndReadBack) {
  std::map<std::string_view, std::string_view> left = others();
  for (const MethodInfo& method : methods()) {
    for (const Field& field : method.fields) {
      SCOPED_TRACE(std::string(method.name) + " " + std::string(field.name));
      ASSERT_TRUE(others().contains(field.name));
      left.erase(field.name);
      Options options = method.plain;
      ASSERT_TRUE(field.set(options, others().at(field.name)));
      EXPECT_NE(options, method.plain);
      auto expected = all_of(method.plain);
      expected[field.name] = others().at(field.name);
      EXPECT_EQ(all_of(options), expected) << "one option changes, and no other";
    }
  }
  EXPECT_TRUE(left.empty()) << "a value for a field that is not there: " << left.begin()->first;
}

// Words stand for enumerators by their order: every one leads to a value of its own, and back.
TEST(Options, EveryWordComesBack) {
  for (const std::string_view row :
       {"hierarchical start none heavy",
        "hierarchical type-feature embedding index none",
        "hierarchical neighbours slots signed aggregate none",
        "hierarchical grouper-activation tanh none",
        "hierarchical placer lstm transformer feed-forward",
        "hierarchical adjacency counts binary none",
        "hierarchical baseline moving batch none",
        "placeto messages mean sum",
        "placeto device-head scored fixed",
        "placeto first-placement random single best turns",
        "placeto returns drop best final",
        "go priorities levels plackett-luce",
        "go ties critical-path fifo",
        "go tasks placement placement+schedule placement+fusion placement+schedule+fusion schedule fusion "
        "schedule+fusion",
        "hsdag coarsening mutual sole-parent none",
        "hsdag position waves index none",
        "hsdag gnn gcn gat gin",
        "hsdag parser learned frozen metis none",
        "hsdag pool-factor mean sum",
        "hsdag activation relu silu",
        "hsdag credit plan discounted shared",
        "hsdag reward time sqrt log inverse log-time"}) {
    const std::vector<std::string_view> words = split(row, ' ');
    const MethodInfo& method = *find_method(words[0]);
    const Field& field = *method.find(words[1]);
    for (std::size_t i = 2; i < words.size(); ++i) {
      Options options = method.plain;
      ASSERT_TRUE(field.set(options, words[i])) << row;
      EXPECT_EQ(field.get(options), words[i]) << row;
    }
  }
  EXPECT_EQ(std::get<PlacetoOptions>(find_method("placeto")->plain).returns, Returns::kDrop);
  Options options = HsdagOptions();
  ASSERT_TRUE(set_option(options, "gnn=gin"));
  EXPECT_EQ(std::get<HsdagOptions>(options).gnn, GraphNetworkKind::kGin);
}

TEST(Options, SurvivesTheWayThroughText) {
  for (const MethodInfo& method : methods()) {
    for (const Preset& preset : method.presets) {
      Options read = method.plain;
      for (const Field& field : method.fields)
        ASSERT_TRUE(set_option(read, std::string(field.name) + "=" + field.get(preset.options))) << field.name;
      EXPECT_EQ(read, preset.options) << method.name << " " << preset.name;
    }
  }
}

TEST(Options, RefusesWhatIsOutOfRangeOrNoValue) {
  EXPECT_EQ(option_error("groups=many"), "groups: expected a whole number from 0 to 65536, found 'many'");
  EXPECT_EQ(option_error("groups=-1"), "groups: expected a whole number from 0 to 65536, found '-1'");
  EXPECT_EQ(option_error("groups=12x"), "groups: expected a whole number from 0 to 65536, found '12x'");
  EXPECT_EQ(option_error("groups=99999999999999999999"),
            "groups: expected a whole number from 0 to 65536, found '99999999999999999999'");
  EXPECT_EQ(option_error("hidden=63"), "hidden: expected an even number from 2 to 16384, found '63'");
  EXPECT_EQ(option_error("rate=nan"), "rate: expected a number from 0 to 10, found 'nan'");
  EXPECT_EQ(option_error("rate="), "rate: expected a number from 0 to 10, found ''");
  EXPECT_EQ(option_error("temperature=0"), "temperature: expected a number from 0.001 to 1000, found '0'");
  EXPECT_EQ(option_error("aligned=maybe"), "aligned: expected on or off, found 'maybe'");
  EXPECT_EQ(option_error("failing-s=0"), "failing-s: expected a number from 1e-06 to 1000000, found '0'");
}

TEST(Options, NamesTheNearestWord) {
  EXPECT_EQ(option_error("placer=lstn"),
            "placer: expected one of lstm, transformer, feed-forward; found 'lstn'; did you mean 'lstm'?");
  EXPECT_EQ(option_error("reward=sqr"),
            "reward: expected one of time, sqrt, log, inverse, log-time; found 'sqr'; did you mean 'sqrt'?");
  EXPECT_EQ(option_error("failing=grade"),
            "failing: expected one of constant, graded; found 'grade'; did you mean 'graded'?");
  EXPECT_EQ(option_error("tanh_constant=5"), "no option named 'tanh_constant'; did you mean 'tanh-constant'?");
  EXPECT_EQ(option_error("groups"), "option 'groups' needs a value: groups=VALUE");
  EXPECT_EQ(option_error("=5"), "no option named ''");
}

TEST(Options, GroupingIsOneWordOrHeuristicsJoined) {
  for (const std::string_view good : {"learned", "none", "heavy", "framework", "sole+convs", "cells+framework+sole"}) {
    Options options = HierarchicalOptions();
    ASSERT_TRUE(set_option(options, "grouping=" + std::string(good))) << good;
    EXPECT_EQ(method_of(options).find("grouping")->get(options), good);
  }
  EXPECT_EQ(option_error("grouping=sole+cell"),
            "grouping: expected one of framework, sole, cells, convs; found 'cell'; did you mean 'cells'?");
  EXPECT_EQ(option_error("grouping=sole+sole"), "grouping: 'sole' is there twice");
  EXPECT_NE(option_error("grouping=learned+sole"), "");
  EXPECT_NE(option_error("grouping=sole+"), "");
  EXPECT_NE(option_error("grouping="), "");
}

TEST(Options, GroupsAreLearnedByHierarchicalAlone) {
  for (const MethodInfo& method : methods()) {
    SCOPED_TRACE(method.name);
    const Field* const field = method.find("grouping");
    const bool says_so = field != nullptr && field->help.find("learned") != std::string_view::npos;
    EXPECT_EQ(says_so, method.name == "hierarchical");
    EXPECT_EQ(says_so, field != nullptr && takes(method.plain, "grouping=learned"));
  }
  EXPECT_EQ(option_error("grouping=learned", PlacetoOptions()),
            "grouping: expected one of none, random, metis, modules, heavy, framework, sole, cells, convs; found "
            "'learned'");
  for (const std::string_view option : {"clusters", "start", "start-weight"})
    EXPECT_EQ(find_method("colocrl")->find(option), nullptr) << "what only a Grouper that learns groups needs";
}

TEST(Options, SwitchesTakeTheUsualWords) {
  Options options = HierarchicalOptions();
  bool& aligned = std::get<HierarchicalOptions>(options).aligned;
  for (const std::string_view word : {"off", "false", "no", "0"}) {
    aligned = true;
    ASSERT_TRUE(set_option(options, "aligned=" + std::string(word)));
    EXPECT_FALSE(aligned);
  }
  for (const std::string_view word : {"on", "true", "yes", "1"}) {
    aligned = false;
    ASSERT_TRUE(set_option(options, " aligned = " + std::string(word)));
    EXPECT_TRUE(aligned);
  }
}

// The same words in the order of the alphabet.
std::string sorted(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string_view word : split(text, ' ')) words.emplace_back(word);
  std::ranges::sort(words);
  return join(words, " ");
}

// "groups=256 start=none ...": what a preset changes.
std::string changes_of(std::string_view planner, std::string_view name) {
  const Options options = preset(planner, name).value();
  std::vector<std::string> changes;
  const MethodInfo& method = method_of(options);
  for (const Field& field : method.fields)
    if (field.get(options) != field.get(method.plain))
      changes.push_back(std::string(field.name) + "=" + field.get(options));
  std::ranges::sort(changes);
  return join(changes, " ");
}

TEST(Presets, HoldThePublishedFigures) {
  EXPECT_EQ(changes_of("hierarchical", "default"), "");
  EXPECT_EQ(
      changes_of("hierarchical", "paper"),
      sorted("groups=256 clusters=0 start=none start-weight=0 neighbours=slots cost-features=off "
             "device-features=off grouper-scale=1 hidden=256 attention=256 aligned=off adjacency=binary "
             "placed-features=off start-by-speed=off groupings=1 placements=4 rate=0.1 entropy-updates=0 noise=0.1 "
             "noise-updates=500 valid-only-after=500 baseline=moving scale-advantage=off failing=constant"));
  EXPECT_EQ(
      changes_of("hierarchical", "google"),
      sorted("groups=0 clusters=0 start=none start-weight=0 type-feature=index outputs=5 dims=5 neighbours=signed "
             "neighbour-slots=10 cost-features=off device-features=off grouper-scale=1 grouper-activation=none "
             "hidden=512 attention=512 aligned=off tanh-constant=1 temperature=1 placed-features=off "
             "start-by-speed=off groupings=1 placements=1 rate=0.1 rate-decay=0.95 decay-after=400 entropy-updates=0 "
             "noise=0.5 noise-updates=750 valid-only-after=1000 baseline=moving baseline-fails=on "
             "scale-advantage=off failing=constant"));
  EXPECT_EQ(changes_of("colocrl", "default"),
            sorted("grouping=framework+sole+cells+convs groups=0 attention=16 groupings=1"));
  EXPECT_EQ(changes_of("colocrl", "paper"),
            sorted("grouping=framework+sole+cells+convs groups=0 neighbours=slots "
                   "cost-features=off device-features=off grouper-scale=1 hidden=256 attention=256 aligned=off "
                   "adjacency=binary placed-features=off start-by-speed=off groupings=1 placements=4 rate=0.1 "
                   "entropy-updates=0 valid-only-after=5000 baseline=moving baseline-fails=on scale-advantage=off "
                   "failing=constant"));
}

TEST(Presets, AreNamedPerPlanner) {
  const auto names = [](std::string_view method) {
    std::vector<std::string> words;
    for (const Preset& preset : find_method(method)->presets) words.emplace_back(preset.name);
    return join(words, " ");
  };
  EXPECT_EQ(names("hierarchical"), "default paper google");
  EXPECT_EQ(names("colocrl"), "default paper");
  EXPECT_EQ(names("placeto"), "default paper");
  EXPECT_EQ(names("go"), "default paper");
  EXPECT_EQ(names("hsdag"), "default paper released");
  EXPECT_EQ(preset("hierarchical", "papr").error().message,
            "hierarchical has no preset named 'papr'; did you mean 'paper'? (there are default, paper, google)");
  EXPECT_EQ(preset("colocrl", "google").error().message,
            "colocrl has no preset named 'google' (there are default, paper)");
  EXPECT_EQ(
      preset("hierarchic", "paper").error().message,
      "no learned planner named 'hierarchic'; did you mean 'hierarchical'? (there are colocrl, hierarchical, placeto, "
      "go, hsdag)");
}

}  // namespace
}  // namespace berth::learn
