// SPDX-License-Identifier: Apache-2.0
// Processes as children of this one: how they begin, and how they end.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace berth {

// Files that become the child's; -1: as the parent has it.
struct ChildFiles {
  int input = -1, output = -1, errors = -1;
};

// The words go to the program as they are, no shell reads them; the first is its path. The child has a group of its
// own, since Ctrl-C is for the parent, and goes first when memory is short. Exit code 127: it could not be run.
// Negative: no process could be made (errno).
pid_t start_child(std::vector<std::string> words, const ChildFiles& files);

// Kills it with whatever it has started, and waits for its end.
void end_child(pid_t pid);

// Kills what a child that has ended may have left behind in its group.
void end_group(pid_t leader);

// "crashed: signal 11 (Segmentation fault)", by the status of waitpid().
std::string cause_of_end(int status);

}  // namespace berth
