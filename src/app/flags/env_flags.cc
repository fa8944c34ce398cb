// SPDX-License-Identifier: Apache-2.0
#include "app/flags/env_flags.h"

#include <filesystem>

#include "app/flags/options.h"
#include "app/learned.h"
#include "base/units.h"

namespace berth::app {
namespace {

constexpr const char* kRealDevices = "Real devices (berth help measuring)";

Result<double> seconds_of(std::string_view flag, const std::string& text) {
  const Result<double> seconds = parse_seconds(text);
  if (seconds && *seconds > 0.0) return *seconds;
  return bad_input("{}: '{}' is no time; write for example 500ms, 60s or 5min", flag, text);
}

}  // namespace

void add_measuring_flags(CLI::App& command, MeasuringFlags& flags) {
  add_text(command, "--devices", flags.devices, "LIST",
           "what stands for the machine's devices, in its order: cpu, cpu:0-3 (some of the cores), cuda:0, cuda:0/64 "
           "(64 of its multiprocessors), each with =16GiB as a limit; default: CPUs share the cores, GPUs are cuda:0, "
           "cuda:1, ...")
      ->group(kRealDevices);
  add_number(command, "--runs", flags.runs, {1, 100'000}, "steps per plan; the median of the last half counts")
      ->default_str("10")
      ->group(kRealDevices);
  add_text(command, "--enough", flags.enough, "TIME",
           "once the steps of a plan after its first have taken this long, four are enough")
      ->group(kRealDevices);
  add_text(command, "--limit", flags.limit, "TIME", "a plan that takes longer in all has failed")
      ->capture_default_str()
      ->group(kRealDevices);
  add_text(command, "--memory-limit", flags.memory_limit, "SIZE",
           "a plan that takes more memory of this computer has failed, for example 8GiB")
      ->group(kRealDevices);
}

Result<MeasuringRequest> request_of(const MeasuringFlags& flags) {
  MeasuringRequest request{
      .devices = flags.devices, .runs = static_cast<int>(flags.runs), .profiles = static_cast<int>(flags.profiles)};
  BERTH_TRY(request.program, worker_program());
  BERTH_TRY(request.limit_s, seconds_of("--limit", flags.limit));
  if (!flags.enough.empty()) {
    BERTH_TRY(request.enough_s, seconds_of("--enough", flags.enough));
  }
  if (!flags.memory_limit.empty()) {
    const Result<Bytes> limit = parse_bytes(flags.memory_limit);
    if (!limit || *limit <= 0) {
      return bad_input("--memory-limit: '{}' is no size; write for example 8GiB", flags.memory_limit);
    }
    request.memory_limit = *limit;
  }
  return request;
}

void add_env_flags(CLI::App& command, EnvFlags& flags) {
  add_text(command, "--env", flags.env, "NAME",
           "what plans are judged by: simulate, measure (every plan is run; GRAPH is a capture), or both: simulate, "
           "then measure the best")
      ->capture_default_str()
      ->group(kRealDevices);
  add_number(command, "--shortlist", flags.shortlist, {1, 1000}, "with --env both: how many plans to measure")
      ->default_str("8")
      ->group(kRealDevices);
  add_text(command, "--measurements", flags.measurements, "FILE",
           "write every plan that is run to this CSV file while the search goes on: seconds since its start, step "
           "time, bytes over the memory that plans may use, why it failed")
      ->group(kRealDevices);
  add_measuring_flags(command, flags.measuring);
}

Result<JudgeRequest> request_of(const EnvFlags& flags) {
  JudgeRequest request{.shortlist = flags.shortlist, .measurements = flags.measurements};
  BERTH_TRY(request.environment, find_environment(flags.env));
  if (request.environment == Environment::kSimulate) return request;
  BERTH_RETURN_IF_ERROR(check_can_measure("running plans"));
  BERTH_TRY(request.measuring, request_of(flags.measuring));
  return request;
}

LearningRequest learning_of(LearningRequest learning, const EnvFlags& flags) {
  learning.judged_by_search = flags.env != "simulate";
  return learning;
}

Result<std::string> own_program() {
  std::error_code error;
  std::string path = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return bad_input("cannot find this program: {}", error.message());
  return path;
}

Status check_can_measure(std::string_view what) {
  if (has_learned_planners()) return {};
  if (const std::string_view remedy = learned_remedy(); !remedy.empty())
    return bad_input("{} needs libtorch: {}", what, remedy);
  return bad_input("{} is not in this build: it needs libtorch (BERTH_TORCH)", what);
}

}  // namespace berth::app
