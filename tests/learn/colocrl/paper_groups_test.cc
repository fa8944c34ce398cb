// SPDX-License-Identifier: Apache-2.0
#include "learn/colocrl/paper_groups.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "support/view_chain.h"
#include "zoo/zoo.h"

namespace berth::learn {
namespace {

TEST(PaperGroups, FollowWhatTheGraphIsMadeOf) {
  const auto groups = [](std::string_view model) { return paper_groups(build_zoo_model(model).value()); };
  EXPECT_EQ(groups("rnnlm,unroll=3,gates=joined"), 188U);
  EXPECT_EQ(groups("nmt-4,unroll=3,attention=gnmt"), 280U);
  EXPECT_EQ(groups("resnet-50"), 83U);
  EXPECT_EQ(groups("bert-base,layers=2"), 256U);
  EXPECT_EQ(groups("wavenet"), 83U);
}

// A file may chain any number of views between a softmax and its product: here they decide that the net attends.
TEST(PaperGroups, LookThroughAnyNumberOfViews) {
  const TensorSpec image{DType::kF32, {1, 1, 8, 8}}, matrix{DType::kF32, {8, 8}};
  GraphBuilder builder("attends");
  const OpId x = builder.add({.name = "x", .type = "input", .role = Role::kInput, .outputs = {image}});
  const OpId conv = builder.add({.name = "conv", .type = "conv2d", .inputs = {{x, 0}, {x, 0}}, .outputs = {image}});
  const OpId soft = builder.add({.name = "soft", .type = "softmax", .inputs = {{conv, 0}}, .outputs = {matrix}});
  const OpId last = add_views(builder, soft, kManyViews, matrix);
  builder.add({.name = "mm", .type = "matmul", .inputs = {{last, 0}, {last, 0}}, .outputs = {matrix}});
  EXPECT_EQ(paper_groups(std::move(builder).build().value()), 256U);
}

}  // namespace
}  // namespace berth::learn
