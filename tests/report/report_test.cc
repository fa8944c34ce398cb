// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <gtest/gtest.h>

#include "graph/builder.h"
#include "report/blob.h"
#include "report/page.h"
#include "report/unpacked.h"
#include "support/as_pipeline.h"
#include "support/toy.h"

namespace berth::report {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

class HtmlReport : public ::testing::Test {
 protected:
  void SetUp() override {
    if (page().html.empty()) GTEST_SKIP() << "this build has no page (BERTH_REPORT=OFF)";
  }
  Problem problem_ = toy_problem("a:2 -> b:3; a -> c:3", "2 devices, 1 s per edge");
  Plan plan_ = toy_plan(problem_, "a@0 b@0 c@1");
  [[nodiscard]] Result<std::string> report() const {
    return html_report(
        {problem_, {{"by hand", "a </script> note", plan_, 0}}, {{"best single device", "all on 0", 8.0}}, "1.2.3"});
  }
};

TEST_F(HtmlReport, IsOneFileThatAsksForNothing) {
  const auto html = report();
  ASSERT_TRUE(html) << html.error().message;
  EXPECT_TRUE(html->starts_with("<!doctype html>"));
  EXPECT_NE(html->find("default-src 'none'"), std::string::npos);
  for (const char* word : {"src=\"http", "href=\"http", "@import", "{{"})
    EXPECT_EQ(html->find(word), std::string::npos) << word;
  EXPECT_NE(html->find("\"step_s\": 6"), std::string::npos);
  EXPECT_NE(html->find("\"version\": \"1.2.3\""), std::string::npos);
}

// Text from outside must not end the script element it stands in.
TEST_F(HtmlReport, NamesCannotBecomeMarkup) {
  const auto html = report();
  ASSERT_TRUE(html);
  EXPECT_EQ(html->find("a </script> note"), std::string::npos);
  EXPECT_NE(html->find("a \\u003c/script> note"), std::string::npos);
}

TEST_F(HtmlReport, HasTheAttributesOfOps) {
  GraphBuilder builder("toy");
  builder.add({.name = "a", .type = "Conv", .attributes = "strides = [2, 2]\ngroup = </script>"});
  auto graph = std::make_shared<const Graph>(std::move(builder).build().value());
  const Problem problem = make_problem(graph, toy_machine("2 devices")).value();
  const auto html = html_report({problem, {{"by hand", "", toy_plan(problem, "a@0"), 0}}, {}, ""});
  ASSERT_TRUE(html) << html.error().message;
  EXPECT_NE(html->find(R"("attributes": ["strides = [2, 2]\ngroup = \u003c/script>"])"), std::string::npos);
}

// Per sample the first device has 2 s to do, the second 3 s.
TEST_F(HtmlReport, OfAPipelineHasItsLoads) {
  const Problem problem = as_pipeline(toy_problem("a:2 -> b:3", "2 devices"));
  const auto html = html_report({problem, {{"by hand", "", toy_plan(problem, "a@0 b@1"), 0}}, {}, ""});
  ASSERT_TRUE(html) << html.error().message;
  for (const char* words :
       {R"("objective": "pipeline")", R"("step_s": 3)",
        R"("pipeline": {"loads_s": [2, 3], "transfers_s": [0, 0], "limiting_device": 1})",
        R"("limits": ["the pace is set by 1: 3.00 s per sample)", R"("moves": [{"op": 1, "to": [[0, 5, true]]}])"}) {
    EXPECT_NE(html->find(words), std::string::npos) << words;
  }
}

TEST_F(HtmlReport, OfAStepHasNoLoads) {
  EXPECT_NE(report()->find(R"("objective": "step")"), std::string::npos);
  EXPECT_EQ(report()->find("\"loads_s\""), std::string::npos);
}

TEST_F(HtmlReport, TheSameContentGivesTheSameBytes) { EXPECT_EQ(*report(), *report()); }

// Every length modulo 3, and all bytes.
TEST(Base64, ReadsBackAsItWas) {
  std::string bytes;
  for (int i = 0; i < 260; ++i) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes) << i;
    EXPECT_EQ(base64(bytes).size() % 4, 0U);
    bytes += static_cast<char>(i);
  }
}

TEST_F(HtmlReport, HasTheTitleAsText) {
  GraphBuilder builder("<b> & \"c\"");
  builder.add({.name = "a", .type = "Relu"});
  const Problem problem =
      make_problem(std::make_shared<const Graph>(std::move(builder).build().value()), toy_machine("2 devices")).value();
  const auto html = html_report({problem, {{"by hand", "", toy_plan(problem, "a@0"), 0}}, {}, ""});
  ASSERT_TRUE(html) << html.error().message;
  EXPECT_NE(html->find("<title>&lt;b&gt; &amp; &quot;c&quot; on toy"), std::string::npos);
  EXPECT_EQ(html->find("<b> &"), std::string::npos);
}

// What comes from outside is not searched for marks: a name that looks like one stays a name.
TEST_F(HtmlReport, MarksInNamesAreNames) {
  const auto html = html_report({problem_, {{"{{data}}", "{{script}}", plan_, 0}}, {}, "{{title}}"});
  ASSERT_TRUE(html);
  EXPECT_NE(html->find(R"("name": "{{data}}", "note": "{{script}}")"), std::string::npos);
  EXPECT_NE(html->find(R"("version": "{{title}}")"), std::string::npos);
}

TEST_F(HtmlReport, PlansStandSideBySide) {
  const auto html = html_report({problem_,
                                 {{"first", "", plan_, 0}, {"second", "", toy_plan(problem_, "a@0"), 0}},
                                 {{"one", "all on 0", 8.0}, {"none", "too large", std::nullopt}},
                                 ""});
  ASSERT_TRUE(html);
  for (
      const char* words :
      {R"("yardsticks": [{"name": "one", "note": "all on 0", "step_s": 8}, {"name": "none", "note": "too large", "step_s": null}])",
       R"("plans": [{"name": "first")", R"("name": "second", "note": "", "step_s": 8)", R"("plan0.device")",
       R"("plan1.device")", R"("format": "berth-report/1")"}) {
    EXPECT_NE(html->find(words), std::string::npos) << words;
  }
  EXPECT_EQ(html->find("plan2."), std::string::npos);
}

}  // namespace
}  // namespace berth::report
