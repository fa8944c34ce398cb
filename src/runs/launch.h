// SPDX-License-Identifier: Apache-2.0
// How this process was started: alone, or by mpirun or srun beside others. Asked of the environment, so that a process
// alone never has to start MPI to know.
#pragma once

#include <functional>
#include <string>

namespace berth::learn {

struct Launch {
  int processes = 1;
  std::string told_by;  // the variable that says so; empty if none does
};

using Environ = std::function<const char*(const char*)>;  // std::getenv, or a test's own
Launch launch_of(const Environ& environ);

}  // namespace berth::learn
