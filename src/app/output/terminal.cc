// SPDX-License-Identifier: Apache-2.0
#include "app/output/terminal.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "runs/launch.h"

namespace berth::app {
namespace {

// mpirun gives its processes a terminal of their own, wherever its own output goes.
bool is_terminal(int descriptor) {
  static const bool started_by_other =
      !learn::launch_of([](const char* name) { return std::getenv(name); }).told_by.empty();
  return !started_by_other && isatty(descriptor) != 0;
}

bool use_colour() {
  static const bool answer = [] {
    const char* no_colour = std::getenv("NO_COLOR");
    return is_terminal(STDOUT_FILENO) && (no_colour == nullptr || *no_colour == '\0');
  }();
  return answer;
}

constexpr std::string_view kBold = "\033[1m", kAlarm = "\033[1;31m", kPlain = "\033[0m";
constexpr std::array kCodes{kBold, kAlarm, kPlain};

std::string coloured(std::string_view text, std::string_view code) {
  return use_colour() ? fmt::format("{}{}{}", code, clean(text), kPlain) : clean(text);
}

}  // namespace

std::string clean(std::string_view text) { return printable(text); }
std::string clean_coloured(std::string_view text) { return use_colour() ? printable(text, kCodes) : printable(text); }

Status print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return {};
  return bad_input("cannot write to stdout: {}", std::strerror(errno));
}

Result<Exit> printed(std::string_view text) {
  BERTH_RETURN_IF_ERROR(print(text));
  return Exit::kDone;
}

void print_error(std::string_view message) {
  const std::string line = "berth: " + clean(message) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void print_note(std::string_view message) { print_error(message); }

bool stderr_is_terminal() { return is_terminal(STDERR_FILENO); }

std::string bold(std::string_view text) { return coloured(text, kBold); }
std::string alarm(std::string_view text) { return coloured(text, kAlarm); }

}  // namespace berth::app
