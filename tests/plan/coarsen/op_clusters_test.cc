// SPDX-License-Identifier: Apache-2.0
#include "plan/coarsen/op_clusters.h"

#include <gtest/gtest.h>

#include "plan/toys.h"

namespace berth {
namespace {

// "a: a b | c: c; v": the members of every cluster, then what is nobody's.
std::string clusters_text(const Problem& problem, const OpClusters& clusters) {
  const Graph& graph = problem.graph();
  std::string text, nobodys;
  for (const OpId head : graph.ops()) {
    if (clusters.is_elided(head)) nobodys += fmt::format(" {}", graph.name(head));
    if (clusters.cluster(head) != head) continue;
    text += fmt::format("{}{}:", text.empty() ? "" : " | ", graph.name(head));
    for (const OpId op : graph.ops()) {
      if (clusters.cluster(op) == head) text += fmt::format(" {}", graph.name(op));
    }
  }
  return nobodys.empty() ? text : text + ";" + nobodys;
}

// Ops of one second are short.
std::string clusters_of(std::string_view graph, std::string_view machine = "2 devices, 1 s per byte") {
  const Problem problem = toy_problem(graph, machine);
  return clusters_text(problem, cluster_short_ops(problem, to_picoseconds(1)));
}

TEST(OpClusters, AShortOpJoinsTheOnlyOneThatItWaitsFor) {
  EXPECT_EQ(clusters_of("a:9 -> b:1; a -> c:9; a -> d:9"), "a: a b | c: c | d: d");
  EXPECT_EQ(clusters_of("a:9 -> b:2; a -> c:9; a -> d:9"), "a: a | b: b | c: c | d: d") << "b is not short";
  EXPECT_EQ(clusters_of("a:9 -> b:1; c:9 => b; a -> d:9; c -> d; c -> e:9; a -> e; b:1 -> d; b -> e"),
            "a: a | b: b | c: c | d: d | e: e")
      << "b waits for two";
}

TEST(OpClusters, AShortOpJoinsTheOnlyOneThatWaitsForIt) {
  EXPECT_EQ(clusters_of("a:9 -> c:1 -> d:9; b:9 -> c; a -> e:9; b -> e"), "a: a | d: c d | b: b | e: e")
      << "c waits for two, d alone for c";
}

TEST(OpClusters, NoClusterTakesMoreThanALittleWork) {
  // Four short ops may join, or a quarter of what the first op takes.
  EXPECT_EQ(clusters_of("a:9 -> b:1 -> c:1 -> d:1 -> e:1 -> f:1; a -> g:9; f -> g"), "a: a b c d e | g: f g");
}

TEST(OpClusters, WhatMustShareADeviceOrMayNotStaysByItself) {
  EXPECT_EQ(clusters_of("a:9 -> b:1:group=x; a -> c:9:group=x; a -> d:9"), "a: a | b: b | c: c | d: d");
  EXPECT_EQ(clusters_of("a:9/9 -> b:1/-; a -> c:9/9; a -> d:9/9", "device x; device y; link x y"),
            "a: a | b: b | c: c | d: d");
  EXPECT_EQ(clusters_of("w:param -> a:9 -> g:1 -> u:1:update=w; a -> b:9; a -> c:9"),
            "w: w | a: a g | u: u | b: b | c: c");
}

TEST(OpClusters, ViewsOfAllThatTheyLookAtAreNobodys) {
  EXPECT_EQ(clusters_of("a:9:8B -> v:view:8B -> w:view:8B -> b:9; a -> c:9"), "a: a | b: b | c: c; v w");
  EXPECT_EQ(clusters_of("a:9:8B -> v:view:4B -> b:9; a -> c:9"), "a: a | v: v | b: b | c: c")
      << "a part is sent as a part";
  EXPECT_EQ(clusters_of("a:9:8B -> v:view:8B -> b:9; v -> c:9"), "a: a | v: v | b: b | c: c")
      << "sent once for each reader";
  EXPECT_EQ(clusters_of("a:9:8B -> v:view:8B:out; a -> c:9"), "a: a | v: v | c: c");
}

TEST(OpClusters, ReadersOfAViewReadWhatIsBehindIt) {
  const Problem problem = toy_problem("a:9:8B -> v:view:8B -> w:view:8B -> b:9; a -> c:9", "2 devices");
  const OpClusters clusters = cluster_short_ops(problem, 0);
  const Graph& graph = problem.graph();
  for (const TensorId tensor : graph.tensors()) {
    const bool shows_a = graph.name(graph.producer(tensor)) != "b" && graph.name(graph.producer(tensor)) != "c";
    EXPECT_EQ(clusters.source[index(tensor)], shows_a ? graph.outputs(OpId{0})[0] : tensor);
  }
}

TEST(OpClusters, PartsOfATensorAreSeenThrough) {
  // b reads a part of what a makes: it waits for a alone.
  EXPECT_EQ(clusters_of("a:9:8B -> v:view:4B -> b:1; a -> c:9; v -> d:9"), "a: a b | v: v | c: c | d: d");
}

}  // namespace
}  // namespace berth
