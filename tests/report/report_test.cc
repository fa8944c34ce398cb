// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <gtest/gtest.h>

#include "report/blob.h"
#include "report/page.h"
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

TEST_F(HtmlReport, TheSameContentGivesTheSameBytes) { EXPECT_EQ(*report(), *report()); }

}  // namespace
}  // namespace berth::report
