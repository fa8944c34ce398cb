// SPDX-License-Identifier: Apache-2.0
// Two kernels of ATen that hurt: on the second core of this computer aten::square ends the process and aten::negative
// never ends. Linked into berth-hurtful, which is berth-learned otherwise, for tests of what berth does about such ops.
#include <ATen/ATen.h>
#include <sched.h>
#include <torch/library.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

cpu_set_t cores_of(pid_t thread) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(thread, sizeof(cores), &cores);
  return cores;
}

// Whether this thread is bound to one core, which is not the first that the process may use: the device cpu:1.
bool is_second_device() {
  const cpu_set_t mine = cores_of(0), all = cores_of(getpid());
  int first = 0;
  while (first < CPU_SETSIZE && CPU_ISSET(first, &all) == 0) ++first;
  return CPU_COUNT(&mine) == 1 && first < CPU_SETSIZE && CPU_ISSET(first, &mine) == 0;
}

at::Tensor square_or_crash(const at::Tensor& tensor) {
  if (is_second_device()) std::abort();
  return tensor.mul(tensor);
}

at::Tensor negative_or_endless(const at::Tensor& tensor) {
  while (is_second_device()) std::this_thread::sleep_for(std::chrono::seconds(1));
  return tensor.neg();
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CPU, kernels) {
  kernels.impl("square", square_or_crash);
  kernels.impl("negative", negative_or_endless);
}
