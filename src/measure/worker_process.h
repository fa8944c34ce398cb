// SPDX-License-Identifier: Apache-2.0
// WorkerProcess: the process in which plans run. It answers one line to each line it gets. Whatever happens in it, out
// of memory, a crash, an endless op, is an Error here, and the process is gone then.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/units.h"

namespace berth {

class WorkerProcess {
 public:
  // Starts the program with these arguments behind its name.
  static Result<WorkerProcess> start(const std::string& program, const std::vector<std::string>& arguments);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;
  ~WorkerProcess();

  struct Limits {
    double seconds = 60.0;                    // from the question, which it must read, to the answer
    Bytes resident = 0;                       // memory of the process; 0: no limit
    const std::atomic<bool>* stop = nullptr;  // set: give up
    double ending = 60.0;                     // seconds for its end, once it has closed its pipes
  };
  // Sends a line and waits for the answer. An Error: the process has ended, and why.
  Result<std::string> ask(std::string_view line, const Limits& limits);

 private:
  using Clock = std::chrono::steady_clock;
  WorkerProcess(pid_t pid, int input, int output) : pid_(pid), input_(input), output_(output) {}
  Status send(std::string_view text, const Limits& limits, Clock::time_point start);
  Status check(const Limits& limits, Clock::time_point start);  // ends the process once it is beyond one of them
  std::string how_it_ended(const Limits& limits);               // waits for its end, or makes it
  void end();

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1;
  std::string unread_;
};

}  // namespace berth
