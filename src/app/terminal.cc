// SPDX-License-Identifier: Apache-2.0
#include "app/terminal.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace berth::app {
namespace {

bool use_colour() {
  static const bool answer = [] {
    const char* no_colour = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0');
  }();
  return answer;
}

std::string coloured(std::string_view text, std::string_view code) {
  return use_colour() ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

}  // namespace

Status print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return {};
  return bad_input("cannot write to stdout: {}", std::strerror(errno));
}

void print_error(std::string_view message) {
  std::string line = "berth: ";
  for (const char c : message) line += c == '\n' || c == '\t' ? ' ' : (static_cast<unsigned char>(c) < 0x20 ? '?' : c);
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

std::string bold(std::string_view text) { return coloured(text, "1"); }
std::string alarm(std::string_view text) { return coloured(text, "1;31"); }

}  // namespace berth::app
