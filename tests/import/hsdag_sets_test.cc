// SPDX-License-Identifier: Apache-2.0
// The graph of HSDAG and its co-location sets, as the paper and measurements of public files have them.
#include <gtest/gtest.h>

#include "files/files.h"
#include "graph/hsdag.h"
#include "import/hsdag_graph.h"
#include "import/parts.h"

namespace berth {
namespace {

TEST(HsdagSets, OfResNet50AreThoseOfThePaper) {
  if (!has_gzip()) GTEST_SKIP() << "built without gzip";
  const auto text = read_file((source_folder() / "tests/data/openvino/resnet50_fp16.xml.gz").string());
  ASSERT_TRUE(text) << text.error().message;
  const auto graph = read_hsdag_graph(*text);
  if (!graph) GTEST_SKIP() << graph.error().message;  // built without OpenVINO files
  ASSERT_EQ(graph->names.size(), 396u);
  ASSERT_EQ(graph->edges.size(), 411u);
  for (const ColocationRule rule : {ColocationRule::kMutual, ColocationRule::kSoleParent}) {
    const ColocationSets sets = find_colocation_sets(graph->names.size(), graph->edges, rule);
    EXPECT_EQ(sets.count, 237u);
    EXPECT_EQ(edges_between(sets, graph->edges).size(), 252u);
  }
}

}  // namespace
}  // namespace berth
