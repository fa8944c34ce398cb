// SPDX-License-Identifier: Apache-2.0
#include "measure/program_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "measure/child.h"

namespace berth {
namespace {

constexpr int kLookAgainMs = 20;
constexpr std::size_t kKeptOfErrors = 4096;  // bytes; the last line is told
constexpr std::size_t kLongestReason = 200;

bool is_program(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) && access(path.c_str(), X_OK) == 0;
}

// Both ends of a pipe, closed with it.
class Pipe {
 public:
  static Result<Pipe> make() {
    Pipe pipe;
    if (pipe2(pipe.ends_.data(), O_CLOEXEC) != 0) return bad_input("cannot make a pipe: {}", std::strerror(errno));
    fcntl(pipe.ends_[0], F_SETFL, O_NONBLOCK);
    return pipe;
  }
  Pipe(Pipe&& other) noexcept : ends_(other.ends_) { other.ends_ = {-1, -1}; }
  Pipe& operator=(Pipe&&) = delete;
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_writer() { close_end(1); }

  // Appends what is there; false once nobody will write any more.
  bool read_into(std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t got = read(reader(), buffer.data(), buffer.size());
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
  }

 private:
  Pipe() = default;
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) close(ends_[end]);
    ends_[end] = -1;
  }
  std::array<int, 2> ends_{-1, -1};
};

std::string last_line(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const std::size_t start = trimmed.rfind('\n');
  return std::string(
      trim(start == std::string_view::npos ? trimmed : trimmed.substr(start + 1)).substr(0, kLongestReason));
}

class ProgramRun {
 public:
  ProgramRun(Pipe output, Pipe errors, const ProgramLimits& limits)
      : output_(std::move(output)), errors_(std::move(errors)), limits_(limits) {}
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;
  ~ProgramRun() { end(); }

  Status start(const std::vector<std::string>& words) {
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pid_ = start_child(words, {.input = nothing, .output = output_.writer(), .errors = errors_.writer()});
    if (nothing >= 0) close(nothing);
    output_.close_writer();
    errors_.close_writer();
    if (pid_ < 0) return bad_input("cannot start {}: {}", words.front(), std::strerror(errno));
    return {};
  }

  Result<std::string> finish() {
    while (!has_ended()) {
      read_some();
      BERTH_RETURN_IF_ERROR(check());
    }
    while (output_.read_into(out_) && static_cast<Bytes>(out_.size()) <= limits_.output && is_more()) {
    }
    (void)errors_.read_into(told_);
    BERTH_RETURN_IF_ERROR(check_size());
    if (WIFEXITED(status_) && WEXITSTATUS(status_) == 0) return std::move(out_);
    const std::string reason = last_line(told_);
    const std::string cause =
        WIFEXITED(status_) ? fmt::format("it ended with exit code {}", WEXITSTATUS(status_)) : cause_of_end(status_);
    return bad_input("{}{}{}", cause, reason.empty() ? "" : ": ", reason);
  }

 private:
  // The program itself: what it has started may live on and hold the pipes.
  bool has_ended() {
    if (pid_ <= 0) return true;
    if (waitpid(pid_, &status_, WNOHANG) == 0) return false;
    leader_ = pid_;
    pid_ = -1;
    return true;
  }

  void read_some() {
    std::array<pollfd, 2> waiting{pollfd{is_out_open_ ? output_.reader() : -1, POLLIN, 0},
                                  pollfd{are_errors_open_ ? errors_.reader() : -1, POLLIN, 0}};
    poll(waiting.data(), waiting.size(), kLookAgainMs);
    if (waiting[0].revents != 0) is_out_open_ = output_.read_into(out_);
    if (waiting[1].revents != 0) are_errors_open_ = errors_.read_into(told_);
    if (told_.size() > 2 * kKeptOfErrors) told_.erase(0, told_.size() - kKeptOfErrors);
  }

  // Something that was written before the end is still in the pipe.
  [[nodiscard]] bool is_more() const {
    pollfd waiting{output_.reader(), POLLIN, 0};
    return poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0;
  }

  [[nodiscard]] Status check_size() const {
    if (static_cast<Bytes>(out_.size()) <= limits_.output) return {};
    return bad_input("it printed more than {}: stopped", format_bytes(limits_.output));
  }

  [[nodiscard]] Status check() const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (seconds > limits_.seconds) return bad_input("no end after {}: stopped", format_seconds(limits_.seconds));
    if (limits_.stop != nullptr && limits_.stop->load()) return bad_input("interrupted");
    return check_size();
  }

  void end() {
    if (pid_ > 0) end_child(pid_);
    if (leader_ > 0) end_group(leader_);
    pid_ = leader_ = -1;
  }

  Pipe output_, errors_;
  ProgramLimits limits_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  pid_t pid_ = -1, leader_ = -1;  // while it runs, and of the group that it may have left behind
  int status_ = 0;
  bool is_out_open_ = true, are_errors_open_ = true;
  std::string out_, told_;
};

}  // namespace

Result<std::string> find_program(std::string_view name) {
  if (name.empty()) return bad_input("no program is named");
  if (name.find('/') != std::string_view::npos) {
    std::string path(name);
    if (is_program(path)) return path;
    return bad_input("{}: no such program", name);
  }
  const char* const folders = std::getenv("PATH");
  for (const std::string_view folder : split(folders == nullptr ? "" : folders, ':')) {
    if (folder.empty()) continue;  // the folder that one happens to be in is no place for programs
    std::string path = fmt::format("{}/{}", folder, name);
    if (is_program(path)) return path;
  }
  return bad_input("there is no program '{}' in the folders of PATH", name);
}

Result<std::string> run_program(const std::vector<std::string>& words, const ProgramLimits& limits) {
  BERTH_TRY(Pipe output, Pipe::make());
  BERTH_TRY(Pipe errors, Pipe::make());
  ProgramRun run(std::move(output), std::move(errors), limits);
  BERTH_RETURN_IF_ERROR(run.start(words));
  return run.finish();
}

}  // namespace berth
