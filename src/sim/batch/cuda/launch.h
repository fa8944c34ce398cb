// SPDX-License-Identifier: Apache-2.0
// How a kernel is started: by nvcc's own brackets, or by whatever stands in for a card (tests/support/cuda_on_host),
// where an ordinary compiler reads this code.
#pragma once

#include <cuda_runtime.h>

#ifdef __CUDACC__
namespace berth::batch {

template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
            Arguments... arguments) {
  kernel<<<blocks, threads, shared_bytes>>>(arguments...);
}

}  // namespace berth::batch
#endif
