// SPDX-License-Identifier: Apache-2.0
// Devices of many plans as Python gives them: whole numbers of any size and sign, anywhere in memory, of ops or of
// groups of ops. They are copied row by row, so that nobody can change them between check and simulation.
#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"

namespace berth::python {

namespace py = pybind11;

class DeviceTable {
 public:
  using Columns = py::array_t<std::int64_t, py::array::c_style>;

  // [plan, op], or [plan, group] with the group of every op. Ends with BadInput unless it is such a table, which must
  // outlive it.
  DeviceTable(const py::array& given, const std::optional<Columns>& group_of, std::size_t ops, std::size_t devices);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  // The devices of a plan, one byte per op; false if some number is no device's.
  bool copy(std::size_t row, std::uint8_t* to) const { return copy_(*this, row, to); }
  // What is wrong with such a plan. With the GIL.
  [[nodiscard]] std::string stranger(std::size_t row, const Problem& problem) const;

 private:
  template <typename T>
  static bool copy_row(const DeviceTable& table, std::size_t row, std::uint8_t* to);
  [[nodiscard]] std::size_t column(std::size_t op) const {
    return group_of_.empty() ? op : static_cast<std::size_t>(group_of_[op]);
  }

  const py::array& given_;
  std::vector<std::int64_t> group_of_;  // empty: an op is its own group
  std::size_t ops_, devices_, rows_;
  const char* data_;
  py::ssize_t row_stride_, column_stride_;
  bool (*copy_)(const DeviceTable&, std::size_t, std::uint8_t*);
};

}  // namespace berth::python
