// SPDX-License-Identifier: Apache-2.0
#include "learn/distributed/communicator.h"

#include <cstdlib>
#include <limits>

#include "runs/launch.h"
#if BERTH_MPI
#include "learn/distributed/mpi_communicator.h"
#endif

namespace berth::learn {
namespace {

class Alone final : public Communicator {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] double deadline_s() const override { return std::numeric_limits<double>::infinity(); }
  Status sum(std::span<float>) override { return {}; }
  Status sum(std::span<double>) override { return {}; }
  Result<std::vector<std::string>> gather_all(std::string_view bytes) override {
    return std::vector<std::string>{std::string(bytes)};
  }
  Result<std::string> from_root(std::string_view bytes) override { return std::string(bytes); }
  Status send(int to, std::string_view) override { return bad_input("no rank {} to send to: one process alone", to); }
  Result<std::optional<Message>> receive(double) override { return std::optional<Message>(); }
};

}  // namespace

std::unique_ptr<Communicator> make_alone() { return std::make_unique<Alone>(); }

Result<std::unique_ptr<Communicator>> make_communicator(double deadline_s) {
  const Launch launch = launch_of([](const char* name) { return std::getenv(name); });
  if (launch.processes == 1) return make_alone();
#if BERTH_MPI
  return make_mpi_communicator(launch, deadline_s);
#else
  (void)deadline_s;
  return bad_input("{} processes were started ({}), but this build has no MPI; build with -DBERTH_MPI=ON",
                   launch.processes, launch.told_by);
#endif
}

void abort_all(int exit_code) {
#if BERTH_MPI
  abort_mpi(exit_code);
#endif
  std::_Exit(exit_code);
}

}  // namespace berth::learn
