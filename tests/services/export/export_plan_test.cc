// SPDX-License-Identifier: Apache-2.0
#include "services/export/export_plan.h"

#include <algorithm>

#include "files/files.h"
#include "services/export/write_graph.h"
#include "services/small_problem.h"

namespace berth {
namespace {

std::string error_of(const PlanExportRequest& request) {
  ListeningCaller caller;
  const Result<PlanExportAnswer> answer = export_plan(request, caller);
  return answer ? "no error" : answer.error().message;
}

PlanExportRequest trace_request() {
  return {.problem = small_problem(),
          .plan = plan_file("round-robin", "export_robin.json"),
          .format = "chrome",
          .output = temporary_file("export.trace.json")};
}

TEST(ExportPlan, FormatsAreSortedAndSayWhatTheyAre) {
  const std::vector<ExportFormat> formats = export_formats();
  EXPECT_TRUE(std::ranges::is_sorted(formats, {}, &ExportFormat::name));
  for (const ExportFormat& format : formats) EXPECT_FALSE(format.summary.empty()) << format.name;
}

TEST(ExportPlan, WritesOneFileAndTakesTheMachineOfThePlan) {
  PlanExportRequest request = trace_request();
  request.format = "perfetto";
  request.problem.machine.clear();
  ListeningCaller caller;
  const Result<PlanExportAnswer> answer = export_plan(request, caller);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->exported.files.size(), 1U);
  EXPECT_FALSE(answer->promise);  // nobody runs a trace
  EXPECT_FALSE(read_file(request.output)->empty());
}

TEST(ExportPlan, WhatIsWrongIsSaidBeforeAnythingIsRead) {
  PlanExportRequest request = trace_request();
  request.problem.graph = "no such file.json";
  request.format = "perfeto";
  EXPECT_NE(error_of(request).find("did you mean 'perfetto'"), std::string::npos);
  request.format = "perfetto";
  request.names = {"gpu0"};
  EXPECT_EQ(error_of(request), "--name: 'gpu0' is not DEVICE=NAME, as in gpu0=GPU.1");
  request.names = {};
  request.module_prefix = "model";
  EXPECT_TRUE(error_of(request).starts_with("--module-prefix is for --to accelerate"));
  request = trace_request();
  request.format = "ort-stages";
  EXPECT_NE(error_of(request).find("needs one that ends in"), std::string::npos);
}

TEST(WriteGraph, OnlyUnderANameThatSaysWhatItIs) {
  ListeningCaller caller;
  const auto wrong = convert_graph(small_problem(), temporary_file("graph.onnx"), caller);
  ASSERT_FALSE(wrong);
  const std::string path = temporary_file("graph.json");
  const auto written = convert_graph(small_problem(), path, caller);
  ASSERT_TRUE(written) << written.error().message;
  const Result<LoadedGraph> read = load_graph(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->graph->structure_hash(), (*written)->structure_hash());
}

}  // namespace
}  // namespace berth
