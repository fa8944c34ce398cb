// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/pt2_signature.h"

#include <array>

#include "import/pt2/pt2_union.h"

namespace berth {
namespace {

struct ResidentKind {
  std::string_view kind, label;
  Role role;
};
constexpr std::array kResidentKinds{ResidentKind{"parameter", "parameter_name", Role::kParameter},
                                    ResidentKind{"buffer", "buffer_name", Role::kBuffer},
                                    ResidentKind{"tensor_constant", "tensor_constant_name", Role::kConstant}};
constexpr std::array<std::string_view, 3> kPlainOutputs{"loss_output", "gradient_to_parameter",
                                                        "gradient_to_user_input"};

// "arg" of a specification: {"name": ...}.
Result<std::string> read_tensor_name(const JsonValue& spec) {
  BERTH_TRY(const JsonValue arg, pt2_member(spec, "arg"));
  BERTH_TRY(const std::string_view name, pt2_string(arg, "name"));
  return std::string(name);
}

// "arg" of what the user gives or gets: any argument; empty unless it is a tensor.
Result<std::string> read_user_name(const JsonValue& spec) {
  BERTH_TRY(const JsonValue arg, pt2_member(spec, "arg"));
  BERTH_TRY(const Pt2Union argument, read_pt2_union(arg));
  if (argument.kind != "as_tensor") return std::string();
  BERTH_TRY(const std::string_view name, pt2_string(argument.value, "name"));
  return std::string(name);
}

Status read_input(const JsonValue& json, std::vector<Pt2Input>& inputs) {
  BERTH_TRY(const Pt2Union spec, read_pt2_union(json));
  if (spec.kind == "user_input") {
    BERTH_TRY(std::string name, read_user_name(spec.value));
    if (!name.empty()) inputs.push_back({.name = std::move(name), .role = Role::kInput});
    return {};
  }
  for (const ResidentKind& resident : kResidentKinds) {
    if (spec.kind != resident.kind) continue;
    BERTH_TRY(std::string name, read_tensor_name(spec.value));
    BERTH_TRY(const std::string_view label, pt2_string(spec.value, resident.label));
    inputs.push_back({std::move(name), resident.role, std::string(label)});
  }
  return {};  // objects, tokens and plain numbers are no tensors
}

Status read_output(const JsonValue& json, std::vector<std::string>& outputs) {
  BERTH_TRY(const Pt2Union spec, read_pt2_union(json));
  if (spec.kind == "user_output") {
    BERTH_TRY(std::string name, read_user_name(spec.value));
    if (!name.empty()) outputs.push_back(std::move(name));
    return {};
  }
  for (const std::string_view plain : kPlainOutputs) {
    if (spec.kind != plain) continue;
    BERTH_TRY(std::string name, read_tensor_name(spec.value));
    outputs.push_back(std::move(name));
  }
  return {};  // the others are written back into buffers, parameters and inputs
}

}  // namespace

Result<Pt2Signature> read_pt2_signature(const JsonValue& json) {
  Pt2Signature signature;
  BERTH_TRY(const JsonValue inputs, pt2_member(json, "input_specs"));
  BERTH_RETURN_IF_ERROR(inputs.for_each([&](const JsonValue& spec) { return read_input(spec, signature.inputs); }));
  BERTH_TRY(const JsonValue outputs, pt2_member(json, "output_specs"));
  BERTH_RETURN_IF_ERROR(outputs.for_each([&](const JsonValue& spec) { return read_output(spec, signature.outputs); }));
  return signature;
}

}  // namespace berth
