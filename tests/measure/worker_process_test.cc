// SPDX-License-Identifier: Apache-2.0
// Whatever a process does, its parent gets an answer or an error, and goes on.
#include "measure/worker_process.h"

#include <gtest/gtest.h>

#include <chrono>

namespace berth {
namespace {

Result<std::string> ask_shell(const std::string& script, const WorkerProcess::Limits& limits = {.seconds = 10.0}) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", script}).value();
  return worker.ask("question\n", limits);
}

TEST(WorkerProcess, AnswersLineByLine) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "while read line; do echo \"got $line\"; done"}).value();
  EXPECT_EQ(worker.ask("one\n", {}).value(), "got one");
  EXPECT_EQ(worker.ask("two\n", {}).value(), "got two");
}

TEST(WorkerProcess, ACrashIsAnError) {
  const auto answer = ask_shell("read line; kill -SEGV $$");
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("crashed: signal 11"), std::string::npos) << answer.error().message;
}

TEST(WorkerProcess, AnEarlyEndIsAnError) {
  const auto answer = ask_shell("exit 7");
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("exit code 7"), std::string::npos) << answer.error().message;
}

TEST(WorkerProcess, AnEndlessOneIsStopped) {
  const auto start = std::chrono::steady_clock::now();
  const auto answer = ask_shell("read line; sleep 100", {.seconds = 0.3});
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("no end after 300 ms"), std::string::npos) << answer.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(WorkerProcess, AGreedyOneIsStopped) {
  const auto answer = ask_shell("read line; a=xxxxxxxxxxxxxxxx; while :; do a=$a$a; done",
                                {.seconds = 60.0, .resident = Bytes{64} << 20});
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("out of memory"), std::string::npos) << answer.error().message;
}

TEST(WorkerProcess, AMissingProgramIsAnError) {
  auto worker = WorkerProcess::start("/no/such/program", {}).value();
  EXPECT_FALSE(worker.ask("question\n", {}).ok());
}

TEST(WorkerProcess, AFlagStopsTheWait) {
  const std::atomic<bool> stop = true;
  const auto answer = ask_shell("read line; sleep 100", {.seconds = 60.0, .resident = 0, .stop = &stop});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "interrupted");
}

}  // namespace
}  // namespace berth
