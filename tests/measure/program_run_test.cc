// SPDX-License-Identifier: Apache-2.0
// Whatever a program does, its parent gets what it printed or one line, and goes on.
#include "measure/program_run.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "support/patience.h"

namespace berth {
namespace {

Result<std::string> run_script(const std::string& script, const ProgramLimits& limits = {.seconds = kPatience}) {
  return run_program({"/bin/sh", "-c", script}, limits);
}

std::string failure_of(const std::string& script, const ProgramLimits& limits = {.seconds = kPatience}) {
  const Result<std::string> found = run_script(script, limits);
  return found ? "printed " + *found : found.error().message;
}

TEST(ProgramRun, GivesWhatIsPrinted) {
  EXPECT_EQ(run_script("echo one; echo no >&2; echo two").value(), "one\ntwo\n");
  EXPECT_EQ(run_script("read line || echo nobody asks").value(), "nobody asks\n");
}

TEST(ProgramRun, WordsAreReadByNoShell) {
  EXPECT_EQ(run_program({"/bin/echo", "$HOME", "a b", "`id`; ls", "*"}, {.seconds = kPatience}).value(),
            "$HOME a b `id`; ls *\n");
}

TEST(ProgramRun, MoreThanAPipeHoldsIsReadWhole) {
  const std::string all = run_script(
                              "i=0; while [ $i -lt 3000 ]; do echo 0123456789012345678901234567890123456789; "
                              "i=$((i + 1)); done")
                              .value();
  EXPECT_EQ(all.size(), 3000U * 41U);
}

TEST(ProgramRun, FailuresAreOneLine) {
  EXPECT_EQ(failure_of("echo first >&2; echo 'no such model' >&2; exit 3"), "it ended with exit code 3: no such model");
  EXPECT_EQ(failure_of("exit 4"), "it ended with exit code 4");
  EXPECT_NE(failure_of("kill -SEGV $$").find("crashed: signal 11"), std::string::npos);
  EXPECT_EQ(run_program({"/nowhere/at/all"}, {.seconds = kPatience}).error().message, "it ended with exit code 127");
}

TEST(ProgramRun, WhoHangsIsStoppedWithAllItStarted) {
  const std::string file = testing::TempDir() + "/berth_program_run_child";
  std::remove(file.c_str());
  std::atomic<bool> stop = false;
  pid_t child = 0;
  std::thread watcher([&] {  // a limit of time might pass before there is a child
    for (int i = 0; i < 60'000 && child == 0; ++i) {
      std::ifstream(file) >> child;
      usleep(10'000);
    }
    stop = true;
  });
  EXPECT_EQ(failure_of("sleep 100000 & echo $! > " + file + "; wait", {.seconds = 2 * kPatience, .stop = &stop}),
            "interrupted");
  watcher.join();
  ASSERT_GT(child, 0);
  // It may take the system a moment to let it go; a zombie of init counts as gone.
  std::string state = "R";
  for (int i = 0; i < 1000 && kill(child, 0) == 0 && state != "Z"; ++i) {
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string number, name;
    stat >> number >> name >> state;
    usleep(10'000);
  }
  EXPECT_TRUE(kill(child, 0) != 0 || state == "Z");
  std::remove(file.c_str());
}

TEST(ProgramRun, WhoHangsIsStoppedInTime) {
  EXPECT_EQ(failure_of("sleep 100000", {.seconds = 0.5}), "no end after 500 ms: stopped");
}

// What a program leaves behind holds its pipes, and is nobody to wait for.
TEST(ProgramRun, EndsWhenTheProgramDoes) { EXPECT_EQ(run_script("sleep 100000 & echo done").value(), "done\n"); }

TEST(ProgramRun, WhoPrintsWithoutEndIsStopped) {
  EXPECT_EQ(failure_of("while true; do echo 0123456789; done", {.seconds = kPatience, .output = 1 << 16}),
            "it printed more than 64.0 KiB: stopped");
}

TEST(ProgramRun, StopsWhenAsked) {
  const std::atomic<bool> stop = true;
  EXPECT_EQ(failure_of("sleep 100000", {.seconds = kPatience, .stop = &stop}), "interrupted");
}

TEST(ProgramRun, ProgramsAreFoundInPathOrByTheirOwn) {
  EXPECT_EQ(find_program("/bin/sh").value(), "/bin/sh");
  EXPECT_TRUE(find_program("sh").value().ends_with("/sh"));
  EXPECT_EQ(find_program("no-such-program").error().message,
            "there is no program 'no-such-program' in the folders of PATH");
  EXPECT_EQ(find_program("./no/such").error().message, "./no/such: no such program");
  EXPECT_FALSE(find_program("/etc").ok());
  EXPECT_FALSE(find_program("").ok());
}

}  // namespace
}  // namespace berth
