// SPDX-License-Identifier: Apache-2.0
#include "runs/launch.h"

#include <charconv>
#include <string_view>

namespace berth::learn {
namespace {

// The first that is set counts. mpirun before srun: over several hosts mpirun starts its own daemons by srun, one per
// host, and their step is not ours. SLURM_NTASKS will not do: the script that calls srun has it too.
constexpr const char* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};

}  // namespace

Launch launch_of(const Environ& environ) {
  for (const char* name : kSizes) {
    const char* text = environ(name);
    if (text == nullptr) continue;
    const std::string_view number = text;
    int processes = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), processes);
    if (read.ec == std::errc() && read.ptr == number.data() + number.size() && processes >= 1) return {processes, name};
  }
  return {};
}

}  // namespace berth::learn
