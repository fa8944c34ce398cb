// SPDX-License-Identifier: Apache-2.0
// The one place that knows MPI. Compiled only with BERTH_MPI.
#pragma once

#include "learn/distributed/communicator.h"
#include "runs/launch.h"

namespace berth::learn {

// Starts MPI, once in a process. An error if MPI does not see as many processes as were started.
Result<std::unique_ptr<Communicator>> make_mpi_communicator(const Launch& launch, double deadline_s);

// Ends all processes if MPI runs; returns if it does not.
void abort_mpi(int exit_code);

}  // namespace berth::learn
