// SPDX-License-Identifier: Apache-2.0
// config.json of a run: what it says of options, of this version and of earlier ones.
#include "runs/run_config.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::learn {
namespace {

RunConfig fresh(std::string_view planner, std::string_view preset_name) {
  RunConfig config;
  config.planner = planner;
  config.preset = preset_name;
  config.options = preset(planner, preset_name).value();
  config.lessons = {{"zoo:rnnlm", "k40x2", "g", "m", "p"}};
  config.limits.updates = 3;
  return config;
}

RunConfig read_back(const std::string& text) { return read_config(text, "config.json").value(); }

// The file with these words before its first option.
std::string with_option_before(std::string text, std::string_view words) {
  const std::size_t begin = text.find('{', text.find("\"options\""));
  return text.insert(begin + 1, words);
}

std::string config_error(const std::string& text) {
  const Result<RunConfig> config = read_config(text, "config.json");
  return config ? "" : config.error().message;
}

TEST(RunConfig, HoldsTheOptionsOfItsMethodAndReadsThemBack) {
  for (const MethodInfo& method : methods()) {
    for (const Preset& preset : method.presets) {
      SCOPED_TRACE(std::string(method.name) + " " + std::string(preset.name));
      const RunConfig config = fresh(method.name, preset.name);
      const RunConfig read = read_back(write_config(config));
      EXPECT_EQ(read.options, preset.options);
      EXPECT_EQ(read.option_words().size(), method.fields.size());
      EXPECT_EQ(read.option_words(), config.option_words());
      EXPECT_EQ(read.fingerprint(), config.fingerprint());
    }
  }
}

TEST(RunConfig, OptionsThatTheFileDoesNotHaveChangeNothing) {
  const std::string text = write_config(fresh("go", "paper"));
  const std::size_t begin = text.find("\"rate\""), end = text.find("\"rate-decay\"");
  const RunConfig read = read_back(std::string(text).erase(begin, end - begin));
  EXPECT_EQ(training_of(read.options).rate, GoOptions().rate) << "not that of the preset";
  EXPECT_EQ(read.option_words().size(), find_method("go")->fields.size() - 1);
  EXPECT_EQ(read_back(write_config(read)).fingerprint(), read.fingerprint()) << "it stays the run it was";
}

// A file that somebody has sorted by name is that of the same run.
TEST(RunConfig, IsTheSameRunInWhateverOrderItsOptionsAre) {
  const RunConfig config = fresh("placeto", "paper");
  RunConfig sorted = config;
  sorted.read_options = config.option_words();
  std::ranges::sort(sorted.read_options);
  const std::string text = write_config(sorted);
  ASSERT_NE(text, write_config(config));
  EXPECT_EQ(read_back(text).fingerprint(), config.fingerprint());
  EXPECT_EQ(write_config(read_back(text)), write_config(config));
}

// Files once held the options of all planners. The fingerprint of their checkpoints counts them.
TEST(RunConfig, KeepsOptionsOfOtherMethodsThatAnOldFileHas) {
  const RunConfig config = fresh("hierarchical", "default");
  const std::string text = write_config(config);
  const std::string old = with_option_before(text, R"("heads": "4", "gnn": "gcn", )");
  const RunConfig read = read_back(old);
  EXPECT_EQ(read.options, config.options);
  EXPECT_EQ(read.option_words()[1].first, "gnn") << "in the order of the file";
  EXPECT_NE(read.fingerprint(), config.fingerprint());
  EXPECT_EQ(read.fingerprint(), read_back(write_config(read)).fingerprint());
}

// `colocrl` and `placeto` learn no groups, `hierarchical` does.
TEST(RunConfig, TakesWordsOfOtherMethodsThatAnyOfThemTakes) {
  const std::string text = write_config(fresh("go", "default"));
  EXPECT_EQ(read_back(with_option_before(text, R"("grouping": "learned", )")).option_words()[0].second, "learned");
  EXPECT_NE(config_error(with_option_before(text, R"("grouping": "earned", )")).find("grouping: expected one of"),
            std::string::npos);
  const std::string own = write_config(fresh("placeto", "default"));
  const std::size_t heavy = own.find("\"heavy\"");
  EXPECT_NE(config_error(std::string(own).replace(heavy, 7, "\"learned\"")).find("grouping: expected one of none"),
            std::string::npos);
}

TEST(RunConfig, RefusesOptionsThatNobodyHasAndValuesThatAreNone) {
  const std::string text = write_config(fresh("hierarchical", "default"));
  EXPECT_NE(config_error(with_option_before(text, R"("hats": "4", )")).find("there is no such option"),
            std::string::npos);
  EXPECT_NE(config_error(with_option_before(text, R"("heads": "many", )")).find("heads: expected a whole number"),
            std::string::npos);
  EXPECT_NE(config_error(with_option_before(text, R"("rate": "0.1", )")).find("it is there twice"), std::string::npos);
}

}  // namespace
}  // namespace berth::learn
