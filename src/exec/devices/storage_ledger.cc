// SPDX-License-Identifier: Apache-2.0
#include "exec/devices/storage_ledger.h"

#include "exec/devices/allocator.h"

namespace berth::exec {
namespace {

constexpr Bytes kGpuBlock = 512;  // libtorch gives out memory of a GPU in multiples of it

const void* storage_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

}  // namespace

void StorageLedger::add(const at::Tensor& tensor) {
  const void* storage = storage_of(tensor);
  if (storage == nullptr) return;
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[storage];
  if (entry.uses == 0) {
    const auto bytes = static_cast<Bytes>(tensor.storage().nbytes());
    entry.bytes = (bytes + kGpuBlock - 1) / kGpuBlock * kGpuBlock;
    try {
      take_bytes(device_, entry.bytes);
    } catch (...) {
      entries_.erase(storage);
      throw;
    }
  }
  ++entry.uses;
}

void StorageLedger::remove(const at::Tensor& tensor) {
  const void* storage = storage_of(tensor);
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(storage);
  if (found == entries_.end() || --found->second.uses > 0) return;
  give_bytes(device_, found->second.bytes);
  entries_.erase(found);
}

void StorageLedger::clear() {
  const std::lock_guard lock(mutex_);
  for (const auto& [storage, entry] : entries_) give_bytes(device_, entry.bytes);
  entries_.clear();
}

}  // namespace berth::exec
