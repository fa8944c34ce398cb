// SPDX-License-Identifier: Apache-2.0
#include "app/output/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

std::string coloured(std::string_view text, std::string_view code) {
  return use_colour() ? fmt::format("{}{}{}", code, clean(text), kPlain) : clean(text);
}

std::size_t our_code_at(std::string_view text) {
  for (const std::string_view code : {kBold, kAlarm, kPlain}) {
    if (use_colour() && text.starts_with(code)) return code.size();
  }
  return 0;
}

// Bytes of the UTF-8 character at the front; 0 if there is none, or one that no program should print: C0, DEL, C1.
std::size_t printable_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80U) return first >= 0x20U && first != 0x7FU ? 1 : 0;
  if (first < 0xC2U || !continues(1)) return 0;
  if (first < 0xE0U) return first == 0xC2U && second < 0xA0U ? 0 : 2;
  if (!continues(2)) return 0;
  if (first < 0xF0U) return (first == 0xE0U && second < 0xA0U) || (first == 0xEDU && second > 0x9FU) ? 0 : 3;
  if (first > 0xF4U || !continues(3)) return 0;
  return (first == 0xF0U && second < 0x90U) || (first == 0xF4U && second > 0x8FU) ? 0 : 4;
}

std::string cleaned(std::string_view text, bool keep_colours) {
  std::string result;
  while (!text.empty()) {
    const std::size_t code = keep_colours ? our_code_at(text) : 0;
    const std::size_t size = code > 0 ? code : printable_at(text);
    if (size > 0) {
      result += text.substr(0, size);
    } else {
      result += text.front() == '\n' || text.front() == '\t' ? ' ' : '?';
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return result;
}

}  // namespace

std::string clean(std::string_view text) { return cleaned(text, false); }
std::string clean_coloured(std::string_view text) { return cleaned(text, true); }

Status print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return {};
  return bad_input("cannot write to stdout: {}", std::strerror(errno));
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
