// SPDX-License-Identifier: Apache-2.0
#include "runs/run_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace berth::learn {
namespace {

namespace fs = std::filesystem;

std::string folder_named(const std::string& name) {
  const fs::path path = fs::path(testing::TempDir()) / ("berth_run_folder_" + name);
  fs::remove_all(path);
  return path.string();
}

std::string error_of(const Status& status) { return status ? "" : status.error().message; }

TEST(RunFolder, IsHeldByOneAtATime) {
  const std::string path = folder_named("held");
  {
    const Result<RunFolder> first = RunFolder::create(path + "/");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->path(), path);
    std::ofstream(first->config_path()) << "{}";
    const Result<RunFolder> second = RunFolder::open(path);
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another berth is training there"), std::string::npos);
  }
  EXPECT_TRUE(RunFolder::open(path));
}

TEST(RunFolder, ANewRunTakesNothingThatIsThere) {
  const std::string path = folder_named("new");
  EXPECT_EQ(error_of(RunFolder::check_new(path)), "");
  EXPECT_FALSE(fs::exists(path)) << "asking makes nothing";
  fs::create_directory(path);
  std::ofstream(path + "/checkpoint.12.tmp") << "half";
  EXPECT_EQ(error_of(RunFolder::check_new(path)), "") << "what a killed writer left is no run";
  std::ofstream(path + "/letter.txt") << "dear";
  EXPECT_NE(error_of(RunFolder::check_new(path)).find("holds 'letter.txt' and no run"), std::string::npos);
  std::ofstream(path + "/config.json") << "{}";
  EXPECT_NE(error_of(RunFolder::check_new(path)).find("there is a run already"), std::string::npos);
  EXPECT_NE(error_of(RunFolder::check_new(path + "/letter.txt")).find("is a file"), std::string::npos);
  EXPECT_NE(error_of(RunFolder::check_new(path + "/no/run")).find("there is no folder"), std::string::npos);
}

TEST(RunFolder, WhatAKilledWriterLeftGoesAndNothingElse) {
  const std::string path = folder_named("killed");
  const Result<RunFolder> folder = RunFolder::create(path);
  ASSERT_TRUE(folder);
  for (const char* name : {"checkpoint", "checkpoint.7.tmp", "plan.json.8.tmp", "notes.tmp"}) {
    std::ofstream(path + "/" + name) << "x";
  }
  folder->remove_half_written();
  EXPECT_TRUE(fs::exists(path + "/checkpoint") && fs::exists(path + "/notes.tmp"));
  EXPECT_FALSE(fs::exists(path + "/checkpoint.7.tmp") || fs::exists(path + "/plan.json.8.tmp"));
}

TEST(RunFolder, PlansAreNumberedWhereThereAreSeveral) {
  const Result<RunFolder> folder = RunFolder::create(folder_named("plans"));
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->plan_path().ends_with("/plan.json"));
  EXPECT_TRUE(folder->plan_path(1, 3).ends_with("/plan-2.json"));
}

}  // namespace
}  // namespace berth::learn
