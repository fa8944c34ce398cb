// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

namespace berth::report {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Plot, AxesEndAtRoundNumbers) {
  const auto ticks = [](double most) {
    const AxisTicks found = ticks_up_to(most);
    return fmt::format("{:g} by {:g}", found.end, found.step);
  };
  EXPECT_EQ(ticks(0.0), "1 by 0.2");
  EXPECT_EQ(ticks(1.0), "1 by 0.2");
  EXPECT_EQ(ticks(1.3), "1.4 by 0.2");
  EXPECT_EQ(ticks(2.0), "2 by 0.5");
  EXPECT_EQ(ticks(37.0), "40 by 5");
  EXPECT_EQ(ticks(840.0), "900 by 100");
  EXPECT_EQ(ticks(0.0021), "0.0025 by 0.0005");
}

TEST(Plot, HeightsAreInProportionAndWhatHasNoneIsCrossedOut) {
  Plot plot{.title = "t", .verdict = "v", .x_name = "devices", .y_name = "steps per second"};
  plot.points = {{"1", std::nullopt, std::nullopt, "OOM"}, {"2", 1.0, 2.0}, {"4", 2.0, 4.0}};
  const std::string svg = svg_of(plot);
  // 0 is at 376, the end of the axis, 4, at 92: 71 for each unit. Columns are 220 wide, from 72 on.
  EXPECT_TRUE(has(svg, "<path class=\"rate\" d=\"M402.0 305.0L622.0 234.0\"/>")) << svg;
  EXPECT_TRUE(has(svg, "<path class=\"bound\" d=\"M402.0 234.0L622.0 92.0\"/>")) << svg;
  EXPECT_TRUE(has(svg, "<path class=\"none\" d=\"M177.0 362.0")) << svg;
  EXPECT_TRUE(has(svg, "<desc>steps per second by devices: 1: OOM; 2: 1; 4: 2;</desc>")) << svg;
}

// The axis is at 376 and its values stand at 396: the number of a point below 361 goes above it.
TEST(Plot, NumbersKeepClearOfTheAxis) {
  Plot plot{.title = "t", .verdict = "v", .x_name = "devices", .y_name = "steps per second"};
  plot.points = {{"1", 0.1, std::nullopt}, {"2", 10.0, std::nullopt}};
  const std::string svg = svg_of(plot);
  EXPECT_TRUE(has(svg, "<text x=\"237.0\" y=\"363.2\" text-anchor=\"middle\">0.1</text>")) << svg;
  EXPECT_TRUE(has(svg, "<text x=\"567.0\" y=\"112.0\" text-anchor=\"middle\">10</text>")) << svg;
}

TEST(Plot, APointThatWasCutShortIsOpenAndSaysSo) {
  Plot plot{.title = "t", .verdict = "v", .x_name = "devices", .y_name = "steps per second"};
  plot.points = {{"1", 1.0, std::nullopt, "cut short"}, {"2", std::nullopt, std::nullopt, "not run"}};
  const std::string svg = svg_of(plot);
  EXPECT_TRUE(has(svg, "<circle class=\"open\"")) << svg;
  EXPECT_TRUE(has(svg, ">cut short</text>")) << svg;
  EXPECT_TRUE(has(svg, "1: 1, cut short; 2: not run;</desc>")) << svg;
}

// 40 values with labels of 8 letters: every fourth fits.
TEST(Plot, LabelsAreLeftOutRatherThanPrintedOverEachOther) {
  Plot plot{.title = "t", .verdict = "v", .x_name = "x", .y_name = "y"};
  for (int i = 0; i < 40; ++i) plot.points.push_back({fmt::format("value{:03}", i), 1.0, std::nullopt});
  const std::string svg = svg_of(plot);
  EXPECT_TRUE(has(svg, ">value000</text>") && has(svg, ">value004</text>")) << svg;
  EXPECT_FALSE(has(svg, ">value001</text>") || has(svg, ">value003</text>")) << svg;
}

TEST(Plot, NamesCannotBreakThePicture) {
  Plot plot{.title = "<script>&\"\n", .verdict = "", .x_name = "x", .y_name = "y"};
  plot.points = {{"</svg>", 1.0, std::nullopt}};
  const std::string svg = svg_of(plot);
  EXPECT_FALSE(has(svg, "<script>")) << svg;
  EXPECT_TRUE(has(svg, "&lt;script&gt;&amp;&quot; </title>")) << svg;
  EXPECT_EQ(svg.find("</svg>"), svg.size() - 7);
}

TEST(Plot, LinesBreakWhereThereIsNoRateAndPointsWithoutBoundHaveNoSquare) {
  Plot plot{.title = "t", .verdict = "v", .x_name = "devices", .y_name = "steps per second"};
  plot.points = {{"1", 1.0, std::nullopt}, {"2", std::nullopt, std::nullopt, "OOM"}, {"4", 1.0, 2.0}, {"8", 2.0, 2.0}};
  const std::string svg = svg_of(plot);
  // 165 for each column from 72 on; 142 for each unit below 376.
  EXPECT_TRUE(has(svg, "<path class=\"rate\" d=\"M154.5 234.0M484.5 234.0L649.5 92.0\"/>")) << svg;
  EXPECT_TRUE(has(svg, "<path class=\"bound\" d=\"M484.5 92.0L649.5 92.0\"/>")) << svg;
  EXPECT_TRUE(has(svg, "<rect class=\"square\" x=\"481.0\" y=\"88.5\" width=\"7\" height=\"7\"/>")) << svg;
  EXPECT_FALSE(has(svg, "<rect class=\"square\" x=\"151.0\"")) << svg;
  EXPECT_TRUE(has(svg, "<circle class=\"dot\" cx=\"154.5\" cy=\"234.0\" r=\"4\"/>")) << svg;
  EXPECT_TRUE(has(svg, ">OOM</text>")) << svg;
}

TEST(Plot, EnoughIsAnUprightLine) {
  Plot plot{.title = "t", .verdict = "v", .x_name = "devices", .y_name = "steps per second"};
  plot.points = {{"1", 1.0, std::nullopt}, {"2", 1.0, std::nullopt}};
  EXPECT_FALSE(has(svg_of(plot), "<path class=\"enough\""));
  plot.enough = 1;
  EXPECT_TRUE(has(svg_of(plot), "<path class=\"enough\" d=\"M567.0 92V376\"/>")) << svg_of(plot);
}

TEST(Plot, TicksAreWrittenBesideTheAxis) {
  Plot plot{.title = "t", .verdict = "little is gained", .x_name = "devices", .y_name = "steps per second"};
  plot.points = {{"1", 2.0, std::nullopt}};
  const std::string svg = svg_of(plot);
  EXPECT_TRUE(has(svg,
                  "<path class=\"axis\" d=\"M72 376.0H732\"/>\n<text x=\"64.0\" y=\"380.0\" text-anchor=\"end\" "
                  "class=\"quiet\">0</text>"))
      << svg;
  EXPECT_TRUE(has(svg,
                  "<path class=\"grid\" d=\"M72 305.0H732\"/>\n<text x=\"64.0\" y=\"309.0\" text-anchor=\"end\" "
                  "class=\"quiet\">0.5</text>"))
      << svg;
  EXPECT_TRUE(has(svg, ">2</text>")) << svg;
  EXPECT_FALSE(has(svg, ">2.5</text>")) << svg;
  EXPECT_TRUE(has(svg, ">little is gained</text>")) << svg;
}

TEST(Plot, NothingButZeroHasAnAxisToo) {
  const AxisTicks ticks = ticks_up_to(std::numeric_limits<double>::infinity());
  EXPECT_EQ(ticks.end, 1.0);
  Plot plot{.title = "t", .verdict = "v", .x_name = "x", .y_name = "y"};
  plot.points = {{"1", std::nullopt, std::nullopt, "OOM"}};
  const std::string svg = svg_of(plot);
  EXPECT_FALSE(has(svg, "nan")) << svg;
  EXPECT_FALSE(has(svg, "<path class=\"rate\" d=\"M4")) << "only that of the legend";
}

}  // namespace
}  // namespace berth::report
