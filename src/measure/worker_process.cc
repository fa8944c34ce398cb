// SPDX-License-Identifier: Apache-2.0
#include "measure/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "measure/child.h"

namespace berth {
namespace {

constexpr int kPollMilliseconds = 20;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool is_set(const std::atomic<bool>* flag) { return flag != nullptr && flag->load(); }

// MSG_NOSIGNAL is for sockets: SIGPIPE is kept away from pipes by blocking it around the write. As write() otherwise.
ssize_t write_without_signal(int file, std::string_view text) {
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t sent = write(file, text.data(), text.size());
  const int error = errno;
  if (sent < 0 && error == EPIPE) {
    const timespec at_once{0, 0};
    sigtimedwait(&pipe_signal, nullptr, &at_once);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return sent;
}

Bytes resident_bytes_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/statm", pid));
  Bytes pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

void close_fd(int& fd) {
  if (fd >= 0) close(fd);
  fd = -1;
}

}  // namespace

Result<WorkerProcess> WorkerProcess::start(const std::string& program, const std::vector<std::string>& arguments) {
  std::array<int, 2> to_child{}, to_parent{};
  if (pipe2(to_child.data(), O_CLOEXEC) != 0) return bad_input("cannot make a pipe: {}", std::strerror(errno));
  if (pipe2(to_parent.data(), O_CLOEXEC) != 0) {
    close(to_child[0]);
    close(to_child[1]);
    return bad_input("cannot make a pipe: {}", std::strerror(errno));
  }
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t pid = start_child(words, {.input = to_child[0], .output = to_parent[1]});
  close(to_child[0]);
  close(to_parent[1]);
  fcntl(to_child[1], F_SETFL, O_NONBLOCK);  // who does not read must not keep us waiting for ever
  WorkerProcess worker(pid, to_child[1], to_parent[0]);
  if (pid < 0) return bad_input("cannot start {}: {}", program, std::strerror(errno));
  return worker;
}

WorkerProcess::WorkerProcess(WorkerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      output_(std::exchange(other.output_, -1)),
      unread_(std::move(other.unread_)) {}

WorkerProcess& WorkerProcess::operator=(WorkerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(input_, other.input_);
  std::swap(output_, other.output_);
  std::swap(unread_, other.unread_);
  return *this;
}

WorkerProcess::~WorkerProcess() { end(); }

void WorkerProcess::end() {
  close_fd(input_);
  close_fd(output_);
  if (pid_ <= 0) return;
  end_child(pid_);
  pid_ = -1;
}

// A process whose pipes are closed has ended, as a rule. One that lives on without them will never answer.
std::string WorkerProcess::how_it_ended(const Limits& limits) {
  close_fd(input_);
  const Clock::time_point start = Clock::now();
  while (pid_ > 0) {
    int status = 0;
    const pid_t ended = waitpid(pid_, &status, WNOHANG);
    if (ended != 0) {
      pid_ = -1;
      return ended < 0 ? "it is gone" : cause_of_end(status);
    }
    if (is_set(limits.stop)) {
      end();
      return "interrupted";
    }
    if (seconds_since(start) > limits.ending) {
      end();
      return fmt::format("it closed its pipes, and no end after {}: stopped", format_seconds(limits.ending));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return "it is gone";
}

Status WorkerProcess::check(const Limits& limits, Clock::time_point start) {
  std::string why;
  if (seconds_since(start) > limits.seconds) {
    why = fmt::format("no end after {}: stopped", format_seconds(limits.seconds));
  } else if (limits.resident > 0 && resident_bytes_of(pid_) > limits.resident) {
    why = fmt::format("out of memory: it took more than {}", format_bytes(limits.resident));
  } else if (is_set(limits.stop)) {
    why = "interrupted";
  } else {
    return {};
  }
  end();
  return bad_input("{}", why);
}

Status WorkerProcess::send(std::string_view text, const Limits& limits, Clock::time_point start) {
  while (!text.empty()) {
    const ssize_t sent = write_without_signal(input_, text);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {  // it does not read, for the time being or ever
      pollfd waiting{input_, POLLOUT, 0};
      poll(&waiting, 1, kPollMilliseconds);
      BERTH_RETURN_IF_ERROR(check(limits, start));
    } else if (errno != EINTR) {
      return bad_input("{}", how_it_ended(limits));
    }
  }
  return {};
}

Result<std::string> WorkerProcess::ask(std::string_view line, const Limits& limits) {
  if (pid_ <= 0) return bad_input("it is gone");
  const Clock::time_point start = Clock::now();
  BERTH_RETURN_IF_ERROR(send(line, limits, start));
  while (true) {
    if (const std::size_t end_of_line = unread_.find('\n'); end_of_line != std::string::npos) {
      std::string answer = unread_.substr(0, end_of_line);
      unread_.erase(0, end_of_line + 1);
      return answer;
    }
    pollfd waiting{output_, POLLIN, 0};
    const int ready = poll(&waiting, 1, kPollMilliseconds);
    if (ready > 0) {
      std::array<char, 65536> buffer{};
      const ssize_t got = read(output_, buffer.data(), buffer.size());
      if (got > 0) unread_.append(buffer.data(), static_cast<std::size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) return bad_input("{}", how_it_ended(limits));
      continue;
    }
    BERTH_RETURN_IF_ERROR(check(limits, start));
  }
}

}  // namespace berth
