// SPDX-License-Identifier: Apache-2.0
// HugeVector: a vector whose storage, once it is large, asks the system for huge pages. Random access to tables of many
// megabytes then misses the address cache less often.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace berth {

template <typename T>
struct HugePageAllocator {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{2} << 20;
  static constexpr std::size_t kWorthIt = 2 * kPage;

  HugePageAllocator() = default;
  template <typename U>
  HugePageAllocator(const HugePageAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes < kWorthIt) return static_cast<T*>(::operator new(bytes));
    void* memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
    if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
    madvise(memory, bytes, MADV_HUGEPAGE);  // a wish; refusal costs speed only
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) {
    if (count * sizeof(T) < kWorthIt) {
      ::operator delete(memory);
    } else {
      std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc): from aligned_alloc
    }
  }
  bool operator==(const HugePageAllocator&) const = default;
};

template <typename T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

}  // namespace berth
