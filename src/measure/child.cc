// SPDX-License-Identifier: Apache-2.0
#include "measure/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace berth {
namespace {

// In the child, where nothing may be allocated.
[[noreturn]] void become(std::vector<char*>& words, const ChildFiles& files) {
  if (files.input >= 0) dup2(files.input, STDIN_FILENO);
  if (files.output >= 0) dup2(files.output, STDOUT_FILENO);
  if (files.errors >= 0) dup2(files.errors, STDERR_FILENO);
  setpgid(0, 0);
  if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    (void)!write(file, "1000", 4);
    close(file);
  }
  execv(words.front(), words.data());
  _exit(127);
}

}  // namespace

pid_t start_child(std::vector<std::string> words, const ChildFiles& files) {
  std::vector<char*> texts;  // made before the fork
  texts.reserve(words.size() + 1);
  for (std::string& word : words) texts.push_back(word.data());
  texts.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) become(texts, files);
  return pid;
}

void end_child(pid_t pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);  // it may not have a group of its own yet
  waitpid(pid, nullptr, 0);
}

void end_group(pid_t leader) { kill(-leader, SIGKILL); }

std::string cause_of_end(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const char* hint = signal == SIGKILL ? ", as the system does when memory runs out" : "";
    return fmt::format("crashed: signal {} ({}){}", signal, strsignal(signal), hint);
  }
  return fmt::format("crashed: it ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace berth
