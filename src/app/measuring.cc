// SPDX-License-Identifier: Apache-2.0
#include "app/measuring.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/learned.h"
#include "app/options.h"
#include "app/progress.h"
#include "base/units.h"

namespace berth::app {
namespace {

Result<double> seconds_of(std::string_view flag, const std::string& text) {
  const Result<double> seconds = parse_seconds(text);
  if (seconds && *seconds > 0.0) return *seconds;
  return bad_input("{}: '{}' is no time; write for example 500ms, 60s or 5min", flag, text);
}

}  // namespace

void add_measuring_flags(CLI::App& command, MeasuringFlags& flags) {
  constexpr const char* kGroup = "Real devices (berth help measuring)";
  command
      .add_option("--devices", flags.devices,
                  "what stands for the machine's devices, in its order: cpu, cpu:0-3 (some of the cores), cuda:0, "
                  "cuda:0/64 (64 of its multiprocessors), each with =16GiB as a limit; default: CPUs share the cores, "
                  "GPUs are cuda:0, cuda:1, ...")
      ->type_name("LIST")
      ->group(kGroup);
  add_whole_number(
      command, "--runs", [&flags](std::uint64_t count) { flags.runs = count; }, {1, 100'000},
      "steps per plan; the median of the last half counts")
      ->default_str("10")
      ->group(kGroup);
  command
      .add_option("--enough", flags.enough,
                  "once the steps of a plan after its first have taken this long, four are enough")
      ->type_name("TIME")
      ->group(kGroup);
  command.add_option("--limit", flags.limit, "a plan that takes longer in all has failed")
      ->capture_default_str()
      ->type_name("TIME")
      ->group(kGroup);
  command
      .add_option("--memory-limit", flags.memory_limit,
                  "a plan that takes more memory of this computer has failed, for example 8GiB")
      ->type_name("SIZE")
      ->group(kGroup);
}

Status check_can_measure(std::string_view what) {
  if (has_learned_planners()) return {};
  return bad_input("{} is not in this build: it needs libtorch (BERTH_TORCH)", what);
}

Result<std::unique_ptr<MeasureSession>> open_session(const std::string& graph, const Problem& problem,
                                                     const MeasuringFlags& flags) {
  BERTH_RETURN_IF_ERROR(check_can_measure("running plans"));
  if (graph.starts_with("zoo:")) {
    return bad_input(
        "{}: only captures (aten-graph/1) can be run; python -m berth.capture makes one of a PyTorch model", graph);
  }
  MeasureOptions options;
  std::error_code error;
  options.program = std::filesystem::read_symlink("/proc/self/exe", error).string();
  if (error) return bad_input("cannot find this program: {}", error.message());
  options.capture = graph;
  if (flags.devices.empty()) {
    BERTH_TRY(options.devices, default_device_specs(problem.machine(), cores_here()));
  } else {
    BERTH_TRY(options.devices, parse_device_specs(flags.devices, cores_here()));
  }
  BERTH_TRY(options.limit_s, seconds_of("--limit", flags.limit));
  if (!flags.enough.empty()) {
    BERTH_TRY(options.enough_s, seconds_of("--enough", flags.enough));
  }
  if (!flags.memory_limit.empty()) {
    const Result<Bytes> limit = parse_bytes(flags.memory_limit);
    if (!limit || *limit <= 0) {
      return bad_input("--memory-limit: '{}' is no size; write for example 8GiB", flags.memory_limit);
    }
    options.resident = *limit;
  }
  options.runs = static_cast<int>(flags.runs);
  options.profiles = static_cast<int>(flags.profiles);
  options.stop = &InterruptGuard::flag();
  return MeasureSession::open(problem, std::move(options));
}

}  // namespace berth::app
