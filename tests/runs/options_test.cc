// SPDX-License-Identifier: Apache-2.0
#include "runs/options.h"

#include <gtest/gtest.h>

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
  for (const Field& field : option_fields()) values[field.name] = field.get(options);
  return values;
}

std::string error_of(std::string_view assignment) {
  Options options;
  const Status status = set_option(options, assignment);
  EXPECT_EQ(options, Options{}) << "a value that is refused changes nothing";
  return status ? "" : status.error().message;
}

TEST(Options, BelongToPlanners) {
  Options options;
  const auto refusal = [&](std::string_view assignment, std::string_view planner) {
    const Status status = set_option(options, assignment, planner);
    return status ? "" : status.error().message;
  };
  EXPECT_EQ(refusal("heads=8", "hierarchical"),
            "option 'heads' belongs to go; hierarchical has none of that name (berth planners --options hierarchical "
            "lists its own)");
  EXPECT_TRUE(
      refusal("groups=8", "go").starts_with("option 'groups' belongs to hierarchical, colocrl, placeto, hsdag;"));
  EXPECT_EQ(options, Options{});
  EXPECT_EQ(refusal("heads=8", "go"), "");
  EXPECT_EQ(refusal("rate=0.5", "hsdag"), "");
  EXPECT_NE(refusal("grops=8", "go").find("did you mean 'groups'?"), std::string::npos);
  for (const Field& field : option_fields()) {
    int planners = 0;
    for (const std::string_view planner : {"hierarchical", "colocrl", "placeto", "go", "hsdag"})
      planners += has_option(planner, field.name) ? 1 : 0;
    EXPECT_GT(planners, 0) << field.name;
    EXPECT_EQ(field.help.find("go: "), std::string_view::npos) << field.help;
  }
  EXPECT_FALSE(has_option("go", "no-such-option"));
}

TEST(Options, EveryFieldIsSetAloneAndReadBack) {
  for (const Field& field : option_fields()) {
    SCOPED_TRACE(field.name);
    ASSERT_TRUE(others().contains(field.name));
    EXPECT_FALSE(field.help.empty());
    Options options;
    ASSERT_TRUE(field.set(options, others().at(field.name)));
    EXPECT_NE(options, Options{});
    auto expected = all_of(Options{});
    expected[field.name] = others().at(field.name);
    EXPECT_EQ(all_of(options), expected) << "one option changes, and no other";
  }
}

TEST(Options, NoOtherValueIsForAFieldThatIsNotThere) { EXPECT_EQ(others().size(), option_fields().size()); }

TEST(Options, SurvivesTheWayThroughText) {
  for (const auto& [planner, name] : {std::pair{"hierarchical", "google"},
                                      {"hierarchical", "paper"},
                                      {"colocrl", "default"},
                                      {"colocrl", "paper"},
                                      {"placeto", "default"},
                                      {"placeto", "paper"},
                                      {"hsdag", "default"},
                                      {"hsdag", "paper"},
                                      {"hsdag", "released"}}) {
    const Options written = preset(planner, name).value();
    Options read;
    for (const Field& field : option_fields())
      ASSERT_TRUE(set_option(read, std::string(field.name) + "=" + field.get(written))) << field.name;
    EXPECT_EQ(read, written) << name;
  }
}

TEST(Options, RefusesWhatIsOutOfRangeOrNoValue) {
  EXPECT_EQ(error_of("groups=many"), "groups: expected a whole number from 0 to 65536, found 'many'");
  EXPECT_EQ(error_of("groups=-1"), "groups: expected a whole number from 0 to 65536, found '-1'");
  EXPECT_EQ(error_of("groups=12x"), "groups: expected a whole number from 0 to 65536, found '12x'");
  EXPECT_EQ(error_of("groups=99999999999999999999"),
            "groups: expected a whole number from 0 to 65536, found '99999999999999999999'");
  EXPECT_EQ(error_of("hidden=63"), "hidden: expected an even number from 2 to 16384, found '63'");
  EXPECT_EQ(error_of("rate=nan"), "rate: expected a number from 0 to 10, found 'nan'");
  EXPECT_EQ(error_of("rate="), "rate: expected a number from 0 to 10, found ''");
  EXPECT_EQ(error_of("temperature=0"), "temperature: expected a number from 0.001 to 1000, found '0'");
  EXPECT_EQ(error_of("aligned=maybe"), "aligned: expected on or off, found 'maybe'");
  EXPECT_EQ(error_of("failing-s=0"), "failing-s: expected a number from 1e-06 to 1000000, found '0'");
}

TEST(Options, NamesTheNearestWord) {
  EXPECT_EQ(error_of("placer=lstn"),
            "placer: expected one of lstm, transformer, feed-forward; found 'lstn'; did you mean 'lstm'?");
  EXPECT_EQ(error_of("reward=sqr"),
            "reward: expected one of time, sqrt, log, inverse, log-time; found 'sqr'; did you mean 'sqrt'?");
  EXPECT_EQ(error_of("failing=grade"),
            "failing: expected one of constant, graded; found 'grade'; did you mean 'graded'?");
  EXPECT_EQ(error_of("tanh_constant=5"), "no option named 'tanh_constant'; did you mean 'tanh-constant'?");
  EXPECT_EQ(error_of("groups"), "option 'groups' needs a value: groups=VALUE");
  EXPECT_EQ(error_of("=5"), "no option named ''");
}

TEST(Options, GroupingIsOneWordOrHeuristicsJoined) {
  for (const std::string_view good : {"learned", "none", "heavy", "framework", "sole+convs", "cells+framework+sole"}) {
    Options options;
    ASSERT_TRUE(set_option(options, "grouping=" + std::string(good))) << good;
    EXPECT_EQ(options.grouping, good);
  }
  EXPECT_EQ(error_of("grouping=sole+cell"),
            "grouping: expected one of framework, sole, cells, convs; found 'cell'; did you mean 'cells'?");
  EXPECT_EQ(error_of("grouping=sole+sole"), "grouping: 'sole' is there twice");
  EXPECT_NE(error_of("grouping=learned+sole"), "");
  EXPECT_NE(error_of("grouping=sole+"), "");
  EXPECT_NE(error_of("grouping="), "");
}

TEST(Options, SwitchesTakeTheUsualWords) {
  Options options;
  for (const std::string_view word : {"off", "false", "no", "0"}) {
    options.aligned = true;
    ASSERT_TRUE(set_option(options, "aligned=" + std::string(word)));
    EXPECT_FALSE(options.aligned);
  }
  for (const std::string_view word : {"on", "true", "yes", "1"}) {
    options.aligned = false;
    ASSERT_TRUE(set_option(options, " aligned = " + std::string(word)));
    EXPECT_TRUE(options.aligned);
  }
}

// "groups=256 start=none ...": what a preset changes.
std::string changes_of(std::string_view planner, std::string_view name) {
  const Options options = preset(planner, name).value();
  std::vector<std::string> changes;
  for (const Field& field : option_fields())
    if (field.get(options) != field.get(Options{}))
      changes.push_back(std::string(field.name) + "=" + field.get(options));
  return join(changes, " ");
}

TEST(Presets, HoldThePublishedFigures) {
  EXPECT_EQ(changes_of("hierarchical", "default"), "");
  EXPECT_EQ(changes_of("hierarchical", "paper"),
            "groups=256 clusters=0 start=none start-weight=0 neighbours=slots cost-features=off "
            "device-features=off grouper-scale=1 hidden=256 attention=256 aligned=off adjacency=binary "
            "placed-features=off start-by-speed=off groupings=1 placements=4 rate=0.1 entropy-updates=0 noise=0.1 "
            "noise-updates=500 valid-only-after=500 baseline=moving scale-advantage=off failing=constant");
  EXPECT_EQ(changes_of("hierarchical", "google"),
            "groups=0 clusters=0 start=none start-weight=0 type-feature=index outputs=5 dims=5 neighbours=signed "
            "neighbour-slots=10 cost-features=off device-features=off grouper-scale=1 grouper-activation=none "
            "hidden=512 attention=512 aligned=off tanh-constant=1 temperature=1 placed-features=off "
            "start-by-speed=off groupings=1 placements=1 rate=0.1 rate-decay=0.95 decay-after=400 entropy-updates=0 "
            "noise=0.5 noise-updates=750 valid-only-after=1000 baseline=moving baseline-fails=on "
            "scale-advantage=off failing=constant");
  EXPECT_EQ(changes_of("colocrl", "default"), "grouping=framework+sole+cells+convs groups=0 attention=16 groupings=1");
  EXPECT_EQ(changes_of("colocrl", "paper"),
            "grouping=framework+sole+cells+convs groups=0 clusters=0 start=none start-weight=0 neighbours=slots "
            "cost-features=off device-features=off grouper-scale=1 hidden=256 attention=256 aligned=off "
            "adjacency=binary placed-features=off start-by-speed=off groupings=1 placements=4 rate=0.1 "
            "entropy-updates=0 valid-only-after=5000 baseline=moving baseline-fails=on scale-advantage=off "
            "failing=constant");
}

TEST(Presets, AreNamedPerPlanner) {
  EXPECT_EQ(presets_of("hierarchical"), (std::vector<std::string_view>{"default", "paper", "google"}));
  EXPECT_EQ(presets_of("colocrl"), (std::vector<std::string_view>{"default", "paper"}));
  EXPECT_EQ(presets_of("placeto"), (std::vector<std::string_view>{"default", "paper"}));
  EXPECT_EQ(presets_of("go"), (std::vector<std::string_view>{"default", "paper"}));
  EXPECT_EQ(presets_of("hsdag"), (std::vector<std::string_view>{"default", "paper", "released"}));
  EXPECT_TRUE(presets_of("heft").empty());
  EXPECT_EQ(preset("hierarchical", "papr").error().message,
            "hierarchical has no preset named 'papr'; did you mean 'paper'? (there are default, paper, google)");
  EXPECT_EQ(preset("colocrl", "google").error().message,
            "colocrl has no preset named 'google' (there are default, paper)");
  EXPECT_EQ(
      preset("hierarchic", "paper").error().message,
      "no learned planner named 'hierarchic'; did you mean 'hierarchical'? (there are hierarchical, colocrl, placeto, "
      "go, hsdag)");
}

}  // namespace
}  // namespace berth::learn
