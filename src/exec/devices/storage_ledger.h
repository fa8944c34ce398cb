// SPDX-License-Identifier: Apache-2.0
// StorageLedger: what tensors of a device hold, for devices without an allocator of their own: parts of a GPU share
// one. Tensors that show the same storage count once. What kernels use on the way is not seen. Thread-safe.
#pragma once

#include <ATen/core/Tensor.h>

#include <mutex>
#include <unordered_map>

#include "base/units.h"

namespace berth::exec {

class StorageLedger {
 public:
  // Books go into the account of this device (exec/devices/allocator.h), which has its limit.
  explicit StorageLedger(int device) : device_(device) {}
  ~StorageLedger() { clear(); }
  StorageLedger(const StorageLedger&) = delete;
  StorageLedger& operator=(const StorageLedger&) = delete;

  void add(const at::Tensor& tensor);  // throws OutOfMemory
  void remove(const at::Tensor& tensor);
  void clear();

 private:
  struct Entry {
    int uses = 0;
    Bytes bytes = 0;
  };
  int device_;
  std::mutex mutex_;
  std::unordered_map<const void*, Entry> entries_;  // by storage
};

}  // namespace berth::exec
