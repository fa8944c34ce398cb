// SPDX-License-Identifier: Apache-2.0
#include "services/plan/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runs/methods.h"

namespace berth {
namespace {

// Chooses every learned planner and remembers what it was asked.
struct Chooser {
  std::vector<std::string> asked, options;
  Catalog catalog() {
    return Catalog([this](std::string_view name, const LearningRequest& request) -> Result<ChosenPlanner> {
      asked.emplace_back(name);
      options.insert(options.end(), request.options.begin(), request.options.end());
      return ChosenPlanner{.name = std::string(name), .make = {}};
    });
  }
};

std::string error_of(const Result<ChosenPlanner>& result) { return result ? "no error" : result.error().message; }

TEST(Catalog, HasEveryPlannerOnceAndAutoLast) {
  const std::vector<CatalogEntry> entries = Catalog().entries();
  EXPECT_EQ(entries.size(), classical_planners().size() + learn::methods().size());
  EXPECT_EQ(entries.back().info.name, "auto");
  for (const CatalogEntry& entry : entries) {
    const auto is_same = [&](const CatalogEntry& other) { return other.info.name == entry.info.name; };
    EXPECT_EQ(std::ranges::count_if(entries, is_same), 1) << entry.info.name;
    EXPECT_FALSE(entry.learned && entry.built) << "nobody chooses learned planners here";
  }
}

TEST(Catalog, ErrorsNameTheNearestOneOrWhatIsMissing) {
  EXPECT_NE(error_of(Catalog().find("hefft")).find("did you mean 'heft'"), std::string::npos);
  EXPECT_EQ(error_of(Catalog().find("hierarchical")),
            "planner 'hierarchical' is not in this build; berth planners lists those that are");
  EXPECT_EQ(error_of(Catalog().find("heft", {.preset = "paper"})),
            "--preset is for learned planners; 'heft' is none (berth planners lists them)");
  EXPECT_FALSE(Catalog().check_learned("heft").ok());
  EXPECT_FALSE(Catalog().find_all("learned"));
}

TEST(Catalog, ListsTakeGroupsAndNameEachOnce) {
  const Result<std::vector<ChosenPlanner>> found = Catalog().find_all("heft, single,heft");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->front().name, "heft");
  Chooser chooser;
  const auto all = chooser.catalog().find_all("learned");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), learn::methods().size());
  EXPECT_EQ(chooser.asked.size(), all->size());
}

TEST(Catalog, ASlipIsFoundBeforeALearnedPlannerIsChosen) {
  Chooser chooser;
  EXPECT_FALSE(chooser.catalog().find_all("hierarchical,hefft"));
  EXPECT_TRUE(chooser.asked.empty());
}

TEST(Catalog, OptionsGoToThosePlannersThatHaveThem) {
  Chooser chooser;
  // One that none has goes to all, for one to refuse it.
  ASSERT_TRUE(chooser.catalog().find_all("hierarchical,placeto", {.options = {"no-such-option=1"}}));
  EXPECT_EQ(chooser.options, (std::vector<std::string>{"no-such-option=1", "no-such-option=1"}));
  chooser.options.clear();
  const learn::MethodInfo* one = learn::find_method("hierarchical");
  const learn::MethodInfo* other = learn::find_method("placeto");
  const auto special =
      std::ranges::find_if(one->fields, [&](const learn::Field& field) { return other->find(field.name) == nullptr; });
  ASSERT_NE(special, one->fields.end());
  const std::string option = std::string(special->name) + "=1";
  ASSERT_TRUE(chooser.catalog().find_all("hierarchical,placeto", {.options = {option}}));
  EXPECT_EQ(chooser.options, std::vector<std::string>{option});
}

}  // namespace
}  // namespace berth
