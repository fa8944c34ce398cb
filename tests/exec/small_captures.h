// SPDX-License-Identifier: Apache-2.0
// Captures by hand: a list of ops, each a line, and what is read of them.
#pragma once

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "exec/program/program.h"
#include "import/graph_file.h"

namespace berth::exec {

// "f32 2 3" is a tensor of 2 x 3; several are separated by ";".
inline std::string outputs_text(std::string_view forms) {
  std::string text;
  while (!forms.empty()) {
    const std::string_view form = forms.substr(0, forms.find(';'));
    forms.remove_prefix(std::min(forms.size(), form.size() + 1));
    const std::size_t blank = std::min(form.find(' '), form.size());
    std::string sizes(form.substr(std::min(blank + 1, form.size())));
    for (char& c : sizes) c = c == ' ' ? ',' : c;
    text +=
        fmt::format(R"({}{{"dtype": "{}", "shape": [{}]}})", text.empty() ? "" : ", ", form.substr(0, blank), sizes);
  }
  return text;
}

class CaptureText {
 public:
  // `rest`: further members, such as "args". The op's name is its number behind "o".
  CaptureText& add(std::string_view type, std::string_view forms, std::string_view rest = "") {
    ops_ += fmt::format(R"({}{{"name": "o{}", "type": "{}", "outputs": [{}]{}{}}})", count_ == 0 ? "" : ",\n", count_,
                        type, outputs_text(forms), rest.empty() ? "" : ", ", rest);
    ++count_;
    return *this;
  }
  // With these ops as outputs: "3, 4".
  [[nodiscard]] std::string text(std::string_view outputs) const {
    return fmt::format(R"({{"format": "aten-graph/1", "name": "small", "mode": "infer", "torch": "by hand",
      "measured_on": {{"cuda": null, "cpu": null}}, "outputs": [{}], "ops": [{}]}})",
                       outputs, ops_);
  }
  [[nodiscard]] std::string text() const { return text(std::to_string(count_ - 1)); }

 private:
  std::string ops_;
  int count_ = 0;
};

struct SmallCapture {
  Graph graph;
  Program program;

  static SmallCapture read(const std::string& text) {
    Graph graph = parse_graph(text, "capture").value();
    Program program = Program::read(text, graph).value();
    return {std::move(graph), std::move(program)};
  }

  // What an op gives for these tensors of the graph, by id.
  [[nodiscard]] std::vector<at::Tensor> invoked(std::size_t op, const Inputs& values, std::uint64_t seed = 1) const {
    Stack stack;
    return invoke(program.call(static_cast<OpId>(op)), values, at::kCPU, seed, stack);
  }
};

// Why a capture is refused; empty if it is not.
inline std::string refusal_of(const std::string& text) {
  const Graph graph = parse_graph(text, "capture").value();
  const Result<Program> program = Program::read(text, graph);
  return program.ok() ? "" : program.error().message;
}

}  // namespace berth::exec
