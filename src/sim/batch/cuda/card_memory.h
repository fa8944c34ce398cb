// SPDX-License-Identifier: Apache-2.0
// Memory of the card: arrays that stay, and parts of one piece that are taken anew for every batch.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "sim/batch/cuda/outcome.h"

namespace berth::batch {

// An array that grows when more is asked for.
template <typename T>
class CardMemory {
 public:
  CardMemory() = default;
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;
  ~CardMemory() { cudaFree(data_); }

  // False if the card has not that much: then the array is empty.
  bool reserve(std::size_t count) {
    if (count <= size_) return true;
    clear();
    if (cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)) == cudaSuccess) size_ = count;
    if (size_ == 0) cudaGetLastError();  // not the next caller's error
    return size_ > 0;
  }
  void clear() {
    cudaFree(data_);
    data_ = nullptr;
    size_ = 0;
  }
  T* upload(const T* from, std::size_t count, Outcome& outcome) {
    if (!outcome.ok()) return nullptr;
    if (!reserve(count)) outcome.refuse("the GPU has no memory left for the problem");
    if (outcome.ok() && count > 0) {
      outcome.check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice), "taking the problem");
    }
    return data_;
  }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// Tables of plain values that are uploaded together, in the same order every time.
class CardTables {
 public:
  void begin() { next_ = 0; }
  void clear() { tables_.clear(); }
  template <typename T>
  void upload(const T*& pointer, const std::vector<T>& table, Outcome& outcome) {
    if (next_ == tables_.size()) tables_.emplace_back(new CardMemory<std::byte>);
    const auto* bytes = reinterpret_cast<const std::byte*>(table.data());
    // Loads of 16 bytes may reach past the end.
    CardMemory<std::byte>& memory = *tables_[next_++];
    if (outcome.ok() && !memory.reserve(table.size() * sizeof(T) + 16)) {
      outcome.refuse("the GPU has no memory left for the problem");
    }
    pointer = reinterpret_cast<const T*>(memory.upload(bytes, table.size() * sizeof(T), outcome));
  }

 private:
  std::vector<std::unique_ptr<CardMemory<std::byte>>> tables_;
  std::size_t next_ = 0;
};

// Cuts parts off one piece of memory. Without memory it only counts.
class Carver {
 public:
  explicit Carver(std::byte* memory) : memory_(memory) {}
  template <typename T>
  T* take(std::size_t count) {
    used_ = (used_ + kApart - 1) / kApart * kApart;
    T* part = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + used_);
    used_ += count * sizeof(T);
    if (used_ > most_) most_ = used_;
    return part;
  }
  // Parts from here on take the place of those behind `used`.
  [[nodiscard]] std::size_t used() const { return used_; }
  void rewind(std::size_t used) { used_ = used; }
  [[nodiscard]] std::size_t most() const { return most_; }

 private:
  static constexpr std::size_t kApart = 256;
  std::byte* memory_;
  std::size_t used_ = 0, most_ = 0;
};

}  // namespace berth::batch
