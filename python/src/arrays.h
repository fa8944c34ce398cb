// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include <cstddef>

namespace berth::python {

namespace py = pybind11;

// An array of that many numbers, which `value` says one by one.
template <typename T, typename Value>
py::array_t<T> array_of(std::size_t count, const Value& value) {
  py::array_t<T> array(static_cast<py::ssize_t>(count));
  T* data = array.mutable_data();
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<T>(value(i));
  return array;
}

}  // namespace berth::python
