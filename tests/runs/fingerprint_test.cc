// SPDX-License-Identifier: Apache-2.0
#include "runs/fingerprint.h"

#include <gtest/gtest.h>

#include "support/toy.h"

namespace berth::learn {
namespace {

constexpr const char* kGraph = "a:2 -> b:3; a -> c:3";
constexpr const char* kMachine = "2 devices, 1 s per edge";

RunConfig run_on(const Problem& problem) {
  RunConfig config;
  LessonConfig& lesson = config.lessons.emplace_back();
  lesson.graph = "the graph";
  lesson.machine = "the machine";
  take_hashes(lesson, problem);
  return config;
}

std::string refusal(const LessonConfig& lesson, const Problem& problem) {
  const Status status = check_hashes(lesson, problem, "run");
  return status ? "" : status.error().message;
}

TEST(Fingerprint, IsThatOfTheProblemAlone) {
  EXPECT_EQ(hash_of(toy_problem(kGraph, kMachine)), hash_of(toy_problem(kGraph, kMachine)));
  EXPECT_NE(hash_of(toy_problem(kGraph, kMachine)), hash_of(toy_problem("a:2 -> b:3; a -> c:4", kMachine)));
  EXPECT_NE(hash_of(toy_problem(kGraph, kMachine)), hash_of(toy_problem(kGraph, "2 devices, 1 s per byte")));
}

TEST(Fingerprint, SaysWhatIsNotAsItWas) {
  const RunConfig config = run_on(toy_problem(kGraph, kMachine));
  const LessonConfig& lesson = config.lessons.front();
  EXPECT_EQ(refusal(lesson, toy_problem(kGraph, kMachine)), "");
  EXPECT_EQ(refusal(lesson, toy_problem("a:2 -> b:3", kMachine)),
            "run: it was trained for another graph (the graph); train anew for this one");
  EXPECT_EQ(refusal(lesson, toy_problem(kGraph, "3 devices, 1 s per edge")),
            "run: it was trained for another machine (the machine); train anew for this one");
  EXPECT_TRUE(refusal(lesson, toy_problem("a:2 -> b:3; a -> c:4", kMachine))
                  .starts_with("run: it was trained with other times, sizes, constraints or another objective"));
}

TEST(Fingerprint, FindsTheLessonOfAProblem) {
  RunConfig config = run_on(toy_problem(kGraph, kMachine));
  take_hashes(config.lessons.emplace_back(), toy_problem("a:1 -> b:1", kMachine));
  EXPECT_EQ(lesson_of(config, toy_problem("a:1 -> b:1", kMachine)), 1U);
  EXPECT_EQ(lesson_of(config, toy_problem("a:1 -> b:2", kMachine)), std::nullopt);
}

}  // namespace
}  // namespace berth::learn
