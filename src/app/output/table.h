// SPDX-License-Identifier: Apache-2.0
// Text in columns, and the bars in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::app {

// Lines of columns, each as wide as its widest cell, two spaces apart; the first column to the left, the others as
// told. Cells may hold colour codes, which take no width.
class Table {
 public:
  enum class Align : std::uint8_t { kLeft, kRight };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  // With a first line; a name that begins with '>' stands to the right, as all below it do.
  static Table headed(std::vector<std::string> names);
  static Table of_facts() { return Table({Align::kLeft, Align::kLeft}); }  // a name and what there is to say
  void add(std::vector<std::string> cells);                                // cleaned: a cell may come from a file
  [[nodiscard]] std::string text(std::string_view indent = "") const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

std::string bar(double share);  // "[####      ]", ten steps

}  // namespace berth::app
