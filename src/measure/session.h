// SPDX-License-Identifier: Apache-2.0
// MeasureSession: runs plans of one captured graph on real devices, one after the other, in a process of its own that
// is started anew after a plan has brought it down. Any number of threads may ask.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure/device_spec.h"
#include "measure/sample.h"
#include "measure/worker_process.h"
#include "problem/problem.h"

namespace berth {

inline constexpr std::string_view kWorkerCommand = "measure-worker";  // hidden command of the program that runs plans

struct MeasureOptions {
  std::string program;              // that can run plans
  std::string capture;              // the graph's file, aten-graph/1
  std::vector<DeviceSpec> devices;  // one for every device of the machine
  int runs = 10;                    // per plan; the last half counts
  int profiles = 1;                 // more runs, in which every op is timed
  double enough_s = 0.0;            // once runs after the first took this long, four are enough; 0: all are made
  double limit_s = 60.0;            // for all runs of a plan; loading the graph has as much, and a minute at least
  Bytes resident = 0;               // of the process; 0: no limit
  const std::atomic<bool>* stop = nullptr;  // Ctrl-C
};

// What the process is asked for a plan: one line of JSON. Ops that the graph does not know must not be named.
std::string write_run_request(const Plan& plan, const MeasureOptions& options);

class MeasureSession {
 public:
  // Starts the process and loads the graph: an error if that is not possible, for example because the graph has ops
  // that libtorch does not know. The problem must outlive the session.
  static Result<std::unique_ptr<MeasureSession>> open(const Problem& problem, MeasureOptions options);

  // Runs a plan that passes verify(). An error is a failed sample: it says why, and the next plan may be tried.
  Result<Sample> measure(const Plan& plan);

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] int measured() const { return measured_; }
  [[nodiscard]] int failed() const { return failed_; }
  [[nodiscard]] std::string last_failure() const;

 private:
  MeasureSession(const Problem& problem, MeasureOptions options) : problem_(problem), options_(std::move(options)) {}
  Status start();
  Result<Sample> run(const Plan& plan);

  const Problem& problem_;
  MeasureOptions options_;
  mutable std::mutex mutex_;
  std::optional<WorkerProcess> worker_;
  std::atomic<int> measured_ = 0, failed_ = 0;
  std::string last_failure_;
};

}  // namespace berth
