// SPDX-License-Identifier: Apache-2.0
// What became of a row of calls to CUDA.
#pragma once

#include <cuda_runtime.h>

#include <string>

namespace berth::batch {

// Remembers the first thing that went wrong; what follows is then not tried.
class Outcome {
 public:
  [[nodiscard]] bool ok() const { return why_.empty(); }
  [[nodiscard]] const std::string& why() const { return why_; }
  bool check(cudaError_t code, const char* doing) {
    if (code != cudaSuccess && ok()) {
      why_ = std::string("the GPU failed while ") + doing + ": " + cudaGetErrorString(code);
      cudaGetLastError();  // not the next caller's error
    }
    return ok();
  }
  void refuse(const std::string& why) {
    if (ok()) why_ = why;
  }

 private:
  std::string why_;
};

}  // namespace berth::batch
