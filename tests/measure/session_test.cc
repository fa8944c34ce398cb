// SPDX-License-Identifier: Apache-2.0
// What a session asks its process, and what it makes of answers, of errors and of a process that dies.
#include "measure/session.h"

#include <algorithm>

#include "measure/fake_worker.h"
#include "support/toy.h"

namespace berth {
namespace {

class SessionTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<MeasureSession> open(const FakeWorker& worker) const {
    return MeasureSession::open(problem_, worker.options()).value();
  }
  [[nodiscard]] std::string error_of_open(const MeasureOptions& options) const {
    const auto session = MeasureSession::open(problem_, options);
    return session ? "" : session.error().message;
  }
  Problem problem_ = toy_problem("a:1:4B -> b:1", "2 devices");
  Plan plan_ = toy_plan(problem_, "a@0 b@1!0.5");
};

std::ptrdiff_t lines(const std::string& text) { return std::ranges::count(text, '\n'); }

TEST_F(SessionTest, AsksForAPlanInOneLine) {
  MeasureOptions options;
  options.runs = 3;
  options.profiles = 2;
  options.enough_s = 0.25;
  EXPECT_EQ(write_run_request(plan_, options),
            "{\"runs\": 3, \"profiles\": 2, \"enough_s\": 0.25, \"device_of\": [0, 1], \"priority\": [0, 0.5]}\n");
  EXPECT_EQ(write_run_request({.device_of = {DeviceId{1}}, .priority = {}, .fusions = {}}, {}),
            "{\"runs\": 10, \"profiles\": 1, \"enough_s\": 0, \"device_of\": [1], \"priority\": []}\n");
}

TEST_F(SessionTest, TellsItsProcessWhatToRunAndWhere) {
  const FakeWorker worker("sample $run");
  MeasureOptions options = worker.options();
  options.devices = parse_device_specs("cpu:0+2,cpu:1=64B", 4).value();
  const auto session = MeasureSession::open(problem_, options).value();
  EXPECT_EQ(worker.starts(), "measure-worker " + worker.capture() + " cpu:0+2,cpu:1=64B\n");
  EXPECT_EQ(worker.questions(), "") << "no plan yet";
}

TEST_F(SessionTest, GivesTheSampleOfEveryPlanFromOneProcess) {
  const FakeWorker worker("sample \"$run, 7\"");
  const auto session = open(worker);
  EXPECT_EQ(session->measure(plan_).value().steps_s, (std::vector<double>{1.0, 7.0}));
  EXPECT_EQ(session->measure(plan_).value().steps_s, (std::vector<double>{2.0, 7.0}));
  EXPECT_EQ(worker.questions(),
            write_run_request(plan_, worker.options()) + write_run_request(plan_, worker.options()));
  EXPECT_EQ(lines(worker.starts()), 1);
  EXPECT_EQ(session->measured(), 2);
  EXPECT_EQ(session->failed(), 0);
  EXPECT_EQ(session->last_failure(), "");
}

// Whatever is wrong with the first plan, the second one is run, by a new process.
void expect_failure_then_success(const Problem& problem, const Plan& plan, const std::string& on_first_run,
                                 const std::string& words) {
  SCOPED_TRACE(on_first_run);
  const FakeWorker worker("if [ $run = 1 ]; then " + on_first_run + "; else sample $run; fi");
  const auto session = MeasureSession::open(problem, worker.options()).value();
  const Result<Sample> first = session->measure(plan);
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().message, words);
  EXPECT_EQ(session->last_failure(), words);
  const Result<Sample> second = session->measure(plan);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->steps_s, std::vector<double>{2.0});
  EXPECT_EQ(session->measured(), 2);
  EXPECT_EQ(session->failed(), 1);
  EXPECT_EQ(session->last_failure(), words) << "it stays until the next one";
  EXPECT_EQ(lines(worker.starts()), 2);
}

TEST_F(SessionTest, GoesOnAfterAPlanThatFailed) {
  expect_failure_then_success(problem_, plan_, "echo '{\"error\": \"op b: no room\"}'", "op b: no room");
  expect_failure_then_success(problem_, plan_, "exit 7", "crashed: it ended with exit code 7");
  expect_failure_then_success(problem_, plan_, "kill -KILL $$",
                              "crashed: signal 9 (Killed), as the system does when memory runs out");
}

TEST_F(SessionTest, GoesOnAfterAnAnswerThatIsNone) {
  expect_failure_then_success(problem_, plan_, "echo warning: something",
                              "the measuring process sent 'warning: something'");
  expect_failure_then_success(problem_, plan_, "echo", "the measuring process sent ''");
  expect_failure_then_success(problem_, plan_, "printf '%080d\\n' 0",
                              "the measuring process sent '" + std::string(60, '0') + "'");
}

// Such a process is well, so it is asked again.
TEST_F(SessionTest, RefusesASampleOfSomethingElse) {
  const FakeWorker worker("if [ $run = 1 ]; then sample ''; else sample $run; fi");
  const auto session = open(worker);
  const Result<Sample> first = session->measure(plan_);
  ASSERT_FALSE(first.ok());
  EXPECT_EQ(first.error().message, "the measuring process sent an answer that does not fit the graph");
  EXPECT_TRUE(session->measure(plan_).ok());
  EXPECT_EQ(lines(worker.starts()), 1);
}

TEST_F(SessionTest, DoesNotOpenWithoutItsGraph) {
  const FakeWorker refusing("echo '{\"error\": \"op x is not known\"}'", "sample 1");
  EXPECT_EQ(error_of_open(refusing.options()), "op x is not known");
  const FakeWorker dying("exit 3", "sample 1");
  EXPECT_EQ(error_of_open(dying.options()), "the measuring process: crashed: it ended with exit code 3");
  const FakeWorker babbling("echo hello", "sample 1");
  EXPECT_EQ(error_of_open(babbling.options()), "the measuring process sent 'hello'");
}

TEST_F(SessionTest, DoesNotStartAProcessForDevicesOfAnotherMachine) {
  const FakeWorker worker("sample 1");
  MeasureOptions options = worker.options();
  options.devices = parse_device_specs("cpu:0", 2).value();
  EXPECT_EQ(error_of_open(options), "--devices names 1 device, but toy has 2: 0, 1");
  options.devices = parse_device_specs("cpu:0,cuda:0", 2).value();
  EXPECT_NE(error_of_open(options).find("cuda:0 stands for 1 of toy, which is a cpu"), std::string::npos);
  EXPECT_EQ(worker.starts(), "");
}

// A process that failed and cannot be started again fails every further plan, with the reason.
TEST_F(SessionTest, SaysWhyItCannotGoOn) {
  const FakeWorker worker("if [ -e \"$2.questions\" ]; then exit 4; fi; echo '{\"ready\": true}'", "exit 5");
  const auto session = open(worker);
  EXPECT_EQ(session->measure(plan_).error().message, "crashed: it ended with exit code 5");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(session->measure(plan_).error().message, "the measuring process: crashed: it ended with exit code 4");
  }
  EXPECT_EQ(session->failed(), 3);
}

TEST_F(SessionTest, EndsAPlanThatTakesTooLongOrIsGivenUp) {
  const FakeWorker endless("exec sleep 1000");
  MeasureOptions options = endless.options();
  options.limit_s = 0.2;  // loading has a minute all the same
  const auto limited = MeasureSession::open(problem_, options).value();
  EXPECT_EQ(limited->measure(plan_).error().message, "no end after 200 ms: stopped");
  std::atomic<bool> stop = false;
  options.limit_s = 1000.0;
  options.stop = &stop;
  const auto given_up = MeasureSession::open(problem_, options).value();
  stop = true;
  EXPECT_EQ(given_up->measure(plan_).error().message, "interrupted");
}

}  // namespace
}  // namespace berth
