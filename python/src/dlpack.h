// SPDX-License-Identifier: Apache-2.0
// Tables of numbers on a GPU, as other libraries hand them over: DLPack, version 0 (its layout is a contract between
// libraries), read but not taken: the capsule keeps the memory.
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <span>
#include <string>

namespace berth::python {

namespace py = pybind11;

// What a capsule says, if it is of the kind that is wanted.
class CardTable {
 public:
  enum class Of : std::uint8_t { kBytes, kDoubles };
  // Ends with BadInput unless it is [rows, columns], one row behind the other, on the first GPU. `what` is named in
  // errors.
  CardTable(const py::capsule& capsule, Of of, std::size_t columns, const std::string& what);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  template <typename T>
  [[nodiscard]] std::span<const T> numbers() const {
    return {static_cast<const T*>(data_), rows_ * columns_};
  }

 private:
  const void* data_;  // memory of the GPU
  std::size_t rows_, columns_;
};

}  // namespace berth::python
