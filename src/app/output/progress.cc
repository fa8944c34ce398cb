// SPDX-License-Identifier: Apache-2.0
#include "app/output/progress.h"

#include <csignal>
#include <cstdio>

#include "app/output/terminal.h"
#include "base/units.h"
#include "services/words.h"

namespace berth::app {
namespace {

std::atomic<bool> interrupted{false};

void on_signal(int) { interrupted.store(true, std::memory_order_relaxed); }

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, on_signal, static_cast<int>(SA_RESETHAND) | SA_RESTART);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, SIG_DFL, 0);
}

const std::atomic<bool>& InterruptGuard::flag() { return interrupted; }

ProgressLine::ProgressLine(bool enabled) : enabled_(enabled && stderr_is_terminal()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void ProgressLine::show(const SearchState& state) {
  if (enabled_) show(progress_text(state));
}

void ProgressLine::show(const std::string& text) {
  if (!enabled_) return;
  std::fputs(("\r\033[K" + text).c_str(), stderr);
  shown_ = true;
}

void TerminalCaller::note(const std::string& text) {
  line_.clear();
  print_note(text);
}

void TerminalCaller::work_begins() {
  if (!guard_) guard_.emplace();
}

std::string progress_text(const SearchState& state) {
  const double rate = state.elapsed_s > 0.0 ? static_cast<double>(state.evaluations) / state.elapsed_s : 0.0;
  std::string text = fmt::format("{:.1f} s  {} plans/s  ", state.elapsed_s, format_count(rate));
  if (!state.best) return text + "no plan that fits yet";
  return text + fmt::format("best {}  gap {}", format_time(*state.best), gap_text(*state.best, state.lower_bound));
}

}  // namespace berth::app
