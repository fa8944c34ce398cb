// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/cores.h"

#include <ATen/Parallel.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace berth::exec {
namespace {

// A container may have been given the cores 4 and 7: those are our 0 and 1.
const std::vector<int>& cores_at_start() {
  static const std::vector<int> cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    std::vector<int> found;
    for (int core = 0; core < CPU_SETSIZE; ++core) {
      if (CPU_ISSET(core, &set)) found.push_back(core);
    }
    return found;
  }();
  return cores;
}

}  // namespace

void use_cores(std::span<const int> cores, int threads) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const std::vector<int>& all = cores_at_start();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (core < static_cast<int>(all.size())) CPU_SET(all[static_cast<std::size_t>(core)], &set);
  }
  if (cores.empty()) {
    for (const int core : all) CPU_SET(core, &set);
  }
  pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
  // ATen sets up a thread's number from a shared one when it is first asked; ours must come after that.
  (void)at::get_num_threads();
  at::set_num_threads(threads > 0 ? threads : std::max(1, CPU_COUNT(&set)));
}

std::vector<int> cores_besides(std::span<const int> cores) {
  std::vector<int> others;
  for (int core = 0; core < static_cast<int>(cores_at_start().size()); ++core) {
    if (std::ranges::find(cores, core) == cores.end()) others.push_back(core);
  }
  return others;
}

}  // namespace berth::exec
