// SPDX-License-Identifier: Apache-2.0
// Whatever a process does, its parent gets an answer or an error, and goes on.
#include "measure/worker_process.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "support/patience.h"

namespace berth {
namespace {

Result<std::string> ask_shell(const std::string& script, const WorkerProcess::Limits& limits = {.seconds = kPatience}) {
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
  const auto answer = ask_shell("read line; sleep 100000", {.seconds = 0.3});
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("no end after 300 ms"), std::string::npos) << answer.error().message;
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), kPatience);
}

// More than a pipe holds, for somebody who lives and does not read.
TEST(WorkerProcess, OneThatDoesNotReadIsStopped) {
  const std::string long_line = std::string(std::size_t{1} << 22, 'x') + "\n";
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "exec sleep 100000"}).value();
  EXPECT_EQ(worker.ask(long_line, {.seconds = 0.3}).error().message, "no end after 300 ms: stopped");
  EXPECT_EQ(worker.ask("question\n", {}).error().message, "it is gone");
  const std::atomic<bool> stop = true;
  auto other = WorkerProcess::start("/bin/sh", {"-c", "exec sleep 100000"}).value();
  EXPECT_EQ(other.ask(long_line, {.seconds = kPatience, .stop = &stop}).error().message, "interrupted");
}

TEST(WorkerProcess, ALongLineArrivesWhole) {
  const std::string long_line = std::string(std::size_t{1} << 20, 'x') + "\n";
  const auto answer = WorkerProcess::start("/bin/sh", {"-c", "sleep 0.1; head -n 1 | wc -c"})
                          .value()
                          .ask(long_line, {.seconds = kPatience});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(std::stoul(*answer), long_line.size());
}

// Its output is closed without an end: there is nothing to wait for but the end, which does not come.
TEST(WorkerProcess, OneThatLivesOnWithoutPipesIsStopped) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "echo $$; read a; exec sleep 100000 <&- >&-"}).value();
  const pid_t pid = std::stoi(worker.ask("", {.seconds = kPatience}).value());
  const auto answer = worker.ask("question\n", {.seconds = kPatience, .ending = 0.3});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "it closed its pipes, and no end after 300 ms: stopped");
  EXPECT_EQ(kill(pid, 0), -1) << "it is gone before the error is told";
  EXPECT_EQ(worker.ask("question\n", {}).error().message, "it is gone");
}

TEST(WorkerProcess, AFlagStopsTheWaitForItsEnd) {
  const std::atomic<bool> stop = true;
  const auto answer = ask_shell("exec sleep 100000 <&- >&-", {.seconds = kPatience, .stop = &stop});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "interrupted");
}

TEST(WorkerProcess, AGreedyOneIsStopped) {
  const auto answer = ask_shell("read line; a=xxxxxxxxxxxxxxxx; while :; do a=$a$a; done",
                                {.seconds = kPatience, .resident = Bytes{64} << 20});
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("out of memory"), std::string::npos) << answer.error().message;
}

TEST(WorkerProcess, AMissingProgramIsAnError) {
  auto worker = WorkerProcess::start("/no/such/program", {}).value();
  EXPECT_FALSE(worker.ask("question\n", {}).ok());
}

TEST(WorkerProcess, AFlagStopsTheWait) {
  const std::atomic<bool> stop = true;
  const auto answer = ask_shell("read line; sleep 100000", {.seconds = kPatience, .resident = 0, .stop = &stop});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "interrupted");
}

// An answer of several lines is answers to come; an answer of many pieces is one.
TEST(WorkerProcess, AnswersAreLinesHoweverTheyArrive) {
  auto worker = WorkerProcess::start(
                    "/bin/sh", {"-c", "read a; printf 'one\\ntwo\\n'; read b; printf thr; printf 'ee\\n'; read c"})
                    .value();
  EXPECT_EQ(worker.ask("a\n", {}).value(), "one");
  EXPECT_EQ(worker.ask("b\n", {}).value(), "two");
  EXPECT_EQ(worker.ask("c\n", {}).value(), "three");
}

// More than a pipe holds, both ways.
TEST(WorkerProcess, LongLinesArriveWhole) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "read line; echo \"$line$line\""}).value();
  const std::string line(100'000, 'x');
  EXPECT_EQ(worker.ask(line + "\n", {}).value(), line + line);
}

TEST(WorkerProcess, ArgumentsArriveAsTheyAre) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "read line; echo \"$#:$1:$2\"", "sh", "a b", ""}).value();
  EXPECT_EQ(worker.ask("question\n", {}).value(), "2:a b:");
}

TEST(WorkerProcess, OneThatIsGoneStaysSo) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "read line; exit 3"}).value();
  EXPECT_NE(worker.ask("question\n", {}).error().message.find("exit code 3"), std::string::npos);
  EXPECT_EQ(worker.ask("question\n", {}).error().message, "it is gone");
}

// A question to a process that has ended raises SIGPIPE, which would end this one.
TEST(WorkerProcess, AQuestionThatNobodyReadsIsAnError) {
  auto worker = WorkerProcess::start("/bin/sh", {"-c", "read line; echo $$"}).value();
  const std::string pid = worker.ask("question\n", {}).value();
  const auto has_ended = [&] {
    std::ifstream file("/proc/" + pid + "/stat");
    std::string number, name, state;
    file >> number >> name >> state;
    return !file || state == "Z";
  };
  while (!has_ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto answer = worker.ask("question\n", {});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message, "crashed: it ended with exit code 0");
}

TEST(WorkerProcess, MovesTakeTheProcessAlong) {
  auto first = WorkerProcess::start("/bin/sh", {"-c", "read a; printf 'one\\ntwo\\n'; read b"}).value();
  auto second = WorkerProcess::start("/bin/sh", {"-c", "read a; echo other"}).value();
  EXPECT_EQ(first.ask("a\n", {}).value(), "one");
  WorkerProcess moved(std::move(first));
  second = std::move(moved);
  EXPECT_EQ(second.ask("b\n", {}).value(), "two") << "also what was not read yet";
}

// Ctrl-C goes to the group of a terminal's process: a worker has one of its own, and goes with all that it started.
TEST(WorkerProcess, EndsWithEverythingItStarted) {
  pid_t child = 0;
  {
    auto worker = WorkerProcess::start("/bin/sh", {"-c", "read line; sleep 1000 & echo $! $$; wait"}).value();
    std::istringstream answer(worker.ask("question\n", {}).value());
    pid_t shell = 0;
    answer >> child >> shell;
    EXPECT_EQ(getpgid(shell), shell);
    EXPECT_EQ(getpgid(child), shell);
  }
  // It is a zombie, or gone, soon after the signal.
  const auto lives = [&] {
    std::ifstream file("/proc/" + std::to_string(child) + "/stat");
    std::string number, name, state;
    file >> number >> name >> state;
    return file && state != "Z" && state != "X";
  };
  const auto start = std::chrono::steady_clock::now();
  while (lives() && std::chrono::steady_clock::now() - start < std::chrono::duration<double>(kPatience)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_FALSE(lives());
}

}  // namespace
}  // namespace berth
