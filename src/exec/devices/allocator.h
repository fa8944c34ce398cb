// SPDX-License-Identifier: Apache-2.0
// Memory of the CPU devices, counted: every thread allocates on behalf of one device, which may have a limit. Installed
// once per process as libtorch's allocator for CPUs.
#pragma once

#include <stdexcept>

#include "base/units.h"

namespace berth::exec {

class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void install_counting_allocator();

inline constexpr int kNoDevice = 64;  // what is kept aside, not counted by any

// From now on this thread allocates for that device (0 to 63, or kNoDevice), in memory that a GPU can read directly if
// `pinned`.
void allocate_for(int device, bool pinned = false);

// For memory that is not libtorch's for CPUs, such as that of a part of a GPU. `take` throws OutOfMemory.
void take_bytes(int device, Bytes bytes);
void give_bytes(int device, Bytes bytes);

void set_memory_limit(int device, Bytes limit);  // 0: none
Bytes allocated_bytes(int device);
Bytes peak_bytes(int device);
void reset_peak(int device);  // to what is allocated now

}  // namespace berth::exec
