// SPDX-License-Identifier: Apache-2.0
// The JSON of small exported programs, piece by piece.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace berth {

// {"as_tensor": {"name": "x"}}
inline std::string tensor_arg(std::string_view name) { return fmt::format(R"({{"as_tensor":{{"name":"{}"}}}})", name); }

// {"name": "self", "arg": ...}
inline std::string named(std::string_view name, std::string_view arg) {
  return fmt::format(R"({{"name":"{}","arg":{},"kind":1}})", name, arg);
}
inline std::string named_tensor(std::string_view name, std::string_view tensor) {
  return named(name, tensor_arg(tensor));
}

// Members of "tensor_values"; sizes as JSON without brackets, dtype by the schema's number (7 = f32, 5 = i64).
inline std::string tensor_meta(std::string_view name, std::string_view sizes, int dtype = 7) {
  return fmt::format(R"("{}":{{"dtype":{},"sizes":[{}],"requires_grad":false,"device":{{"type":"cpu","index":null}},)"
                     R"("strides":[],"storage_offset":{{"as_int":0}},"layout":7}})",
                     name, dtype, sizes);
}
inline std::string size(int n) { return fmt::format(R"({{"as_int":{}}})", n); }

// A symbolic size or number that was `hint` during the export.
inline std::string symbolic(std::string_view expression, int hint) {
  return fmt::format(R"({{"as_expr":{{"expr_str":"{}","hint":{{"as_int":{}}}}}}})", expression, hint);
}

inline std::string node_text(std::string_view target, std::string_view inputs, std::string_view outputs,
                             std::string_view module_stack = "") {
  const std::string stack = module_stack.empty() ? "" : fmt::format(R"("nn_module_stack":"{}")", module_stack);
  return fmt::format(R"({{"target":"{}","inputs":[{}],"outputs":[{}],"metadata":{{{}}}}})", target, inputs, outputs,
                     stack);
}

inline std::string parameter_spec(std::string_view name, std::string_view label) {
  return fmt::format(R"({{"parameter":{{"arg":{{"name":"{}"}},"parameter_name":"{}"}}}})", name, label);
}
inline std::string input_spec(std::string_view name) {
  return fmt::format(R"({{"user_input":{{"arg":{}}}}})", tensor_arg(name));
}
inline std::string output_spec(std::string_view name) {
  return fmt::format(R"({{"user_output":{{"arg":{}}}}})", tensor_arg(name));
}

// Lists and members, without their brackets.
struct ProgramText {
  std::string input_specs = {}, output_specs = {}, nodes = {}, tensors = {}, symbols = {};
  int schema = 8;

  [[nodiscard]] std::string json() const {
    return fmt::format(
        R"({{"graph_module":{{"graph":{{"inputs":[],"outputs":[],"nodes":[{}],"tensor_values":{{{}}},)"
        R"("sym_int_values":{{{}}},"sym_bool_values":{{}}}},"signature":{{"input_specs":[{}],"output_specs":[{}]}},)"
        R"("module_call_graph":[]}},"opset_version":{{"aten":10}},"range_constraints":{{}},)"
        R"("schema_version":{{"major":{},"minor":1}},"torch_version":"2.7.0"}})",
        nodes, tensors, symbols, input_specs, output_specs, schema);
  }
};

// linear(x, w, b) and relu: x is [2, 3], w [4, 3], b [4].
inline ProgramText linear_program() {
  const std::string stack = "L__self__,,my.Net;L__self___fc,fc,torch.nn.modules.linear.Linear";
  return {
      .input_specs = parameter_spec("p_fc_weight", "fc.weight") + "," + parameter_spec("p_fc_bias", "fc.bias") + "," +
                     parameter_spec("p_tied", "head.weight") + "," + input_spec("x"),
      .output_specs = output_spec("relu") + R"(,{"buffer_mutation":{"arg":{"name":"linear"},"buffer_name":"state"}})",
      .nodes = node_text("torch.ops.aten.linear.default",
                         named_tensor("input", "x") + "," + named_tensor("weight", "p_fc_weight") + "," +
                             named_tensor("bias", "p_fc_bias"),
                         tensor_arg("linear"), stack) +
               "," +
               node_text("torch.ops.aten.relu.default", named_tensor("self", "linear"), tensor_arg("relu"),
                         "L__self__,,my.Net"),
      .tensors = tensor_meta("p_fc_weight", size(4) + "," + size(3)) + "," + tensor_meta("p_fc_bias", size(4)) + "," +
                 tensor_meta("p_tied", size(4) + "," + size(3)) + "," + tensor_meta("x", size(2) + "," + size(3)) +
                 "," + tensor_meta("linear", size(2) + "," + size(4)) + "," +
                 tensor_meta("relu", size(2) + "," + size(4))};
}

}  // namespace berth
