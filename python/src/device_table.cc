// SPDX-License-Identifier: Apache-2.0
#include "device_table.h"

#include <algorithm>
#include <cstring>

#include "bindings.h"

namespace berth::python {
namespace {

std::string shape_of(const py::array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
  return "[" + text + "]";
}

std::vector<std::int64_t> groups_in(const DeviceTable::Columns& group_of, std::size_t ops) {
  std::vector<std::int64_t> groups(group_of.data(), group_of.data() + group_of.size());
  const bool is_one_per_op = group_of.ndim() == 1 && groups.size() == ops && ops > 0;
  if (!is_one_per_op || std::ranges::min(groups) < 0) {
    throw BadInput(
        fmt::format("groups are one number, 0 or more, for each of {} ops, not {}", ops, shape_of(group_of)));
  }
  return groups;
}

}  // namespace

template <typename T>
bool DeviceTable::copy_row(const DeviceTable& table, std::size_t row, std::uint8_t* to) {
  const char* from = table.data_ + static_cast<py::ssize_t>(row) * table.row_stride_;
  bool all_known = true;
  for (std::size_t op = 0; op < table.ops_; ++op) {
    T number;  // which may lie anywhere
    std::memcpy(&number, from + static_cast<py::ssize_t>(table.column(op)) * table.column_stride_, sizeof number);
    const auto device = static_cast<std::uint64_t>(number);  // a negative one becomes very large
    all_known &= device < table.devices_;
    to[op] = static_cast<std::uint8_t>(device);
  }
  return all_known;
}

DeviceTable::DeviceTable(const py::array& given, const std::optional<Columns>& group_of, std::size_t ops,
                         std::size_t devices)
    : given_(given), ops_(ops), devices_(devices) {
  if (group_of) group_of_ = groups_in(*group_of, ops);
  const std::size_t columns = group_of ? static_cast<std::size_t>(1 + std::ranges::max(group_of_)) : ops;
  if (given.ndim() != 2 || static_cast<std::size_t>(given.shape(1)) != columns) {
    throw BadInput(fmt::format("devices are [plans, {}], here [any, {}], not {}", group_of ? "groups" : "ops", columns,
                               shape_of(given)));
  }
  const char kind = given.dtype().kind();
  const auto width = given.itemsize();
  if (kind != 'i' && kind != 'u') {
    throw BadInput(fmt::format("devices are whole numbers, not {}", std::string(py::str(given.dtype()))));
  }
  const bool is_signed = kind == 'i';
  copy_ = width == 1   ? (is_signed ? copy_row<std::int8_t> : copy_row<std::uint8_t>)
          : width == 2 ? (is_signed ? copy_row<std::int16_t> : copy_row<std::uint16_t>)
          : width == 4 ? (is_signed ? copy_row<std::int32_t> : copy_row<std::uint32_t>)
                       : (is_signed ? copy_row<std::int64_t> : copy_row<std::uint64_t>);
  rows_ = static_cast<std::size_t>(given.shape(0));
  data_ = static_cast<const char*>(given.data());
  row_stride_ = given.strides(0);
  column_stride_ = given.strides(1);
}

std::string DeviceTable::stranger(std::size_t row, const Problem& problem) const {
  for (std::size_t op = 0; op < ops_; ++op) {
    const py::object number = given_[py::make_tuple(row, column(op))];
    if (number < py::int_(0) || number >= py::int_(devices_)) {
      return fmt::format("op '{}' is on device {}; the machine has {}, from 0", problem.graph().name(OpId(op)),
                         std::string(py::str(number)), devices_);
    }
  }
  return "somebody changed it while it was looked at";
}

}  // namespace berth::python
