// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "bindings.h"

namespace berth::python {
namespace {

using Words = std::pair<std::string_view, std::string_view>;
// Of flags that begin alike the longer one comes first.
constexpr std::array kWords{
    Words{"--machine is required", "it needs a machine"},
    Words{"name one by --machine", "name one"},
    Words{"berth machines lists", "berth.machines() lists"},
    Words{"berth models lists", "berth.models() lists"},
    Words{"berth planners lists", "berth.planners() lists"},
    Words{"berth graph info --json names all", "Graph.to_pandas() shows the ops"},
    Words{"berth place -o writes one", "Plan.save() writes one"},
    Words{"leave --costs out", "leave costs out"},
    Words{"--add-device", "add_devices"},
    Words{"--dim", "dims"},
    Words{"--output-node", "outputs"},
    Words{"--to ", "format "},
    Words{"--", ""},
};

// "--dim NAME=SIZE" as "dims={'NAME': SIZE}". Not by std::regex, which reads the locale: beside another copy of the C++
// library, such as PyTorch may bring, that crashes.
void name_dims(std::string& text) {
  constexpr std::string_view kFlag = "--dim ";
  for (std::size_t at = text.find(kFlag); at != std::string::npos; at = text.find(kFlag, at + 1)) {
    const std::size_t name = at + kFlag.size(), equals = text.find_first_of(" =", name);
    if (equals == std::string::npos || equals == name || text[equals] != '=') continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", equals + 1), text.size());
    if (end == equals + 1) continue;
    text.replace(at, end - at,
                 fmt::format("dims={{'{}': {}}}", text.substr(name, equals - name),
                             text.substr(equals + 1, end - equals - 1)));
  }
}

}  // namespace

void raise(const Error& error) {
  const std::string message = in_python(error.message);
  if (error.code == ErrorCode::kInfeasible) throw Infeasible(message);
  throw BadInput(message);
}

std::string in_python(std::string text) {
  name_dims(text);
  for (const auto& [flag, word] : kWords) {
    for (std::size_t at = text.find(flag); at != std::string::npos; at = text.find(flag, at + word.size())) {
      // A flag stands at the start of a word; "--" within one is part of a name.
      const bool begins = at == 0 || std::string_view(" '(,:;").find(text[at - 1]) != std::string_view::npos;
      if (begins) {
        text.replace(at, flag.size(), word);
      } else {
        ++at;
      }
    }
  }
  return text;
}

void PythonCaller::show(const SearchState& state) {
  tell(state.elapsed_s, state.evaluations, state.best ? std::optional(to_seconds(*state.best)) : std::nullopt,
       to_seconds(state.lower_bound));
}

}  // namespace berth::python

PYBIND11_MODULE(_berth, module) {
  using namespace berth::python;
  module.doc() = "The library behind the package berth; use that.";
  const auto bad_input = py::register_exception<BadInput>(module, "BerthError", PyExc_ValueError);
  py::register_exception<Infeasible>(module, "InfeasibleError", bad_input);
  module.attr("knows_numpy_2") = PYBIND11_VERSION_HEX >= 0x020C0000;  // arrays of NumPy 2 are laid out in another way
  add_requests(module);
  add_plans(module);
  add_problems(module);
  add_planning(module);
  add_explaining(module);
  add_serving(module);
  add_bench(module);
}
