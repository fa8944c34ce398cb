// SPDX-License-Identifier: Apache-2.0
// Communicator: the processes that train together. One process alone needs none of it: make_alone() gives a
// communicator of size 1 whose calls do nothing. Every call gives up after the deadline with an error that names the
// rank that did not answer, so that a dead or hung rank ends the run with a clear line. After an error the communicator
// is of no use: every later call gives the same error at once, and the caller prints it and calls abort_all().
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::learn {

struct Message {
  int from = 0;
  std::string bytes;
};

// All calls of one process come from one thread at a time.
class Communicator {
 public:
  // Waits, within reason, until the others are done too; after an error it waits for nobody.
  virtual ~Communicator() = default;
  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  [[nodiscard]] bool is_root() const { return rank() == 0; }
  [[nodiscard]] virtual double deadline_s() const = 0;  // how long rank 0 waits for the others

  // All ranks call these, in the same order.
  virtual Status sum(std::span<float> values) = 0;  // every rank gets the sum over ranks, bit for bit the same
  virtual Status sum(std::span<double> values) = 0;
  virtual Result<std::vector<std::string>> gather_all(std::string_view bytes) = 0;  // of every rank, by rank
  virtual Result<std::string> from_root(std::string_view bytes) = 0;                // what rank 0 passed

  // Between two ranks, for asynchronous controllers. receive() takes the next message of anybody, or nothing if none
  // comes within `patience_s`: who is to be blamed for that only the caller knows.
  virtual Status send(int to, std::string_view bytes) = 0;
  virtual Result<std::optional<Message>> receive(double patience_s) = 0;
};

std::unique_ptr<Communicator> make_alone();

// The processes that mpirun (or Slurm's srun) started, or one alone if it started none: then MPI is not even touched.
// An error if this build has no MPI although several processes were started.
Result<std::unique_ptr<Communicator>> make_communicator(double deadline_s);

// Ends all processes of a run at once, after the reason was printed.
[[noreturn]] void abort_all(int exit_code);

}  // namespace berth::learn
