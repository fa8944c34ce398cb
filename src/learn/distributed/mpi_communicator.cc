// SPDX-License-Identifier: Apache-2.0
// MPI's own collectives would wait for ever for a rank that hangs and could not say which it was. So messages go from
// rank to rank by calls that do not block, asked again and again until the deadline.
#include "learn/distributed/mpi_communicator.h"

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>

#include "learn/distributed/rooted_communicator.h"

namespace berth::learn {
namespace {

using Clock = std::chrono::steady_clock;

// Asks until the answer is yes or time is up: at once again at first, then at longer and longer intervals. Ranks share
// cores with the threads that simulate, so that nobody may spin for long. A process that was itself stopped for a while
// must not blame the others when it wakes: no interval counts for more than kMost.
template <typename Question>
Result<bool> ask_until(double patience_s, const Question& question) {
  using namespace std::chrono_literals;
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds kSpin = 50us, kLongest = 1ms, kMost = 100ms;
  Seconds waited = 0s, pause = 50us;
  for (auto last = Clock::now();;) {
    BERTH_TRY(const bool yes, question());
    if (yes) return true;
    const auto now = Clock::now();
    waited += std::min<Seconds>(now - last, kMost);
    last = now;
    if (waited.count() >= patience_s) return false;
    if (waited < kSpin) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongest);
  }
}

Status checked(int code, std::string_view what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = "unknown error";
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::string line(text);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return bad_input("MPI: {}: {}", what, line);
}

class MpiCommunicator final : public RootedCommunicator {
 public:
  MpiCommunicator(int rank, int size, double deadline_s) : RootedCommunicator(rank, size, deadline_s) {}
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;
  ~MpiCommunicator() override;

 protected:
  Result<bool> put(int to, Channel channel, std::string_view bytes, double patience_s) override;
  Result<std::optional<Message>> take(int from, Channel channel, double patience_s) override;
  bool is_there(int from, Channel channel) override;

 private:
  // A request that nobody answers may still touch its buffer: both stay until the process ends.
  static void give_up(std::string buffer) { static_cast<void>(new std::string(std::move(buffer))); }
};

// MPI_Finalize waits for all ranks, for ever, so it is called only when they have just met. Without it mpirun ends the
// others and says so. The last to come may have a long file to write: others are patient.
MpiCommunicator::~MpiCommunicator() {
  constexpr double kLeast_s = 60.0;
  if (!is_broken() && meet(std::max(kLeast_s, 10 * deadline_s()))) MPI_Finalize();
}

Result<bool> MpiCommunicator::put(int to, Channel channel, std::string_view bytes, double patience_s) {
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return bad_input("a message of {} bytes is longer than MPI takes", bytes.size());
  }
  std::string buffer(bytes);
  MPI_Request request = MPI_REQUEST_NULL;
  BERTH_RETURN_IF_ERROR(checked(MPI_Isend(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, to,
                                          static_cast<int>(channel), MPI_COMM_WORLD, &request),
                                "send"));
  auto sent = ask_until(patience_s, [&]() -> Result<bool> {
    int done = 0;
    BERTH_RETURN_IF_ERROR(checked(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "send"));
    return done != 0;
  });
  if (!sent || !*sent) give_up(std::move(buffer));
  return sent;
}

Result<std::optional<Message>> MpiCommunicator::take(int from, Channel channel, double patience_s) {
  const auto start = Clock::now();
  MPI_Status status = {};
  BERTH_TRY(const bool found, ask_until(patience_s, [&]() -> Result<bool> {
              int there = 0;
              BERTH_RETURN_IF_ERROR(checked(MPI_Iprobe(from == kAnybody ? MPI_ANY_SOURCE : from,
                                                       static_cast<int>(channel), MPI_COMM_WORLD, &there, &status),
                                            "receive"));
              return there != 0;
            }));
  if (!found) return std::optional<Message>();
  int size = 0;
  BERTH_RETURN_IF_ERROR(checked(MPI_Get_count(&status, MPI_BYTE, &size), "receive"));
  Message message{status.MPI_SOURCE, std::string(static_cast<std::size_t>(size), '\0')};
  MPI_Request request = MPI_REQUEST_NULL;
  BERTH_RETURN_IF_ERROR(checked(MPI_Irecv(message.bytes.data(), size, MPI_BYTE, message.from, static_cast<int>(channel),
                                          MPI_COMM_WORLD, &request),
                                "receive"));
  // What was announced must also come: a rank can be stopped in the midst of sending.
  const double waited = std::chrono::duration<double>(Clock::now() - start).count();
  auto came = ask_until(std::max(deadline_s(), patience_s - waited), [&]() -> Result<bool> {
    int done = 0;
    BERTH_RETURN_IF_ERROR(checked(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "receive"));
    return done != 0;
  });
  if (came && *came) return std::optional<Message>(std::move(message));
  give_up(std::move(message.bytes));
  if (!came) return came.error();
  return silence({message.from}, deadline_s(), "in the midst of a message");
}

bool MpiCommunicator::is_there(int from, Channel channel) {
  int there = 0;
  return MPI_Iprobe(from, static_cast<int>(channel), MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         there != 0;
}

bool mpi_runs() {
  int begun = 0, ended = 0;
  MPI_Initialized(&begun);
  MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

}  // namespace

Result<std::unique_ptr<Communicator>> make_mpi_communicator(const Launch& launch, double deadline_s) {
  if (!mpi_runs()) {
    int given = MPI_THREAD_SINGLE;
    BERTH_RETURN_IF_ERROR(checked(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &given), "start"));
    if (given < MPI_THREAD_SERIALIZED) return bad_input("this MPI cannot serve a program with threads");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != launch.processes) {
    return bad_input(
        "{} processes were started ({}), but MPI sees {}; use the mpirun that belongs to this MPI, or "
        "srun --mpi=pmix",
        launch.processes, launch.told_by, size);
  }
  return std::unique_ptr<Communicator>(std::make_unique<MpiCommunicator>(rank, size, deadline_s));
}

void abort_mpi(int exit_code) {
  if (mpi_runs()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace berth::learn
