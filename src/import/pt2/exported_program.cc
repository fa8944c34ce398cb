// SPDX-License-Identifier: Apache-2.0
#include "import/pt2/exported_program.h"

#include <array>
#include <filesystem>
#include <set>
#include <vector>

#include "base/text.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/zip_member.h"
#include "import/pt2/pt2_node.h"
#include "import/pt2/pt2_scope.h"
#include "import/pt2/pt2_text.h"
#include "import/pt2/pt2_union.h"

namespace berth {
namespace {

constexpr std::string_view kSaveIt = "save the model by torch.export.save";
constexpr std::int64_t kOldestSchema = 5, kNewestSchema = 8;

// A subgraph stands inside one node, and all tensors are described in one member.
constexpr std::size_t kMaxPt2ValueBytes = std::size_t{64} << 20;

// "x/models/model.json" of torch 2.8 and newer.
bool is_program(std::string_view name) {
  const auto steps = split(name, '/');
  return steps.size() >= 2 && steps[steps.size() - 2] == "models" && steps.back().ends_with(".json");
}

// "serialized_exported_program.json" of torch 2.7 and older.
bool is_old_program(std::string_view name) { return split(name, '/').back() == "serialized_exported_program.json"; }

Error no_program(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (name.find("data/aotinductor/") != std::string::npos)
      return bad_input("it holds code compiled by AOTInductor and no graph; {}", kSaveIt);
    if (name.ends_with("constants.pkl"))
      return bad_input("it holds a TorchScript model, which is not read; {}", kSaveIt);
  }
  return bad_input("it holds no exported program (no models/*.json); {}", kSaveIt);
}

Result<std::size_t> choose_program(std::span<const std::string> names) {
  std::vector<std::size_t> programs;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_old_program(names[i]) || names[i].ends_with("models/model.json")) return i;
    if (is_program(names[i])) programs.push_back(i);
  }
  if (programs.empty()) return no_program(names);
  if (programs.size() > 1) {
    return bad_input("it holds {} programs ({}, {}, ...); save the one to plan in a file of its own", programs.size(),
                     in_quotes(names[programs[0]]), in_quotes(names[programs[1]]));
  }
  return programs.front();
}

Status check_schema(JsonDocument& document) {
  if (!document.has("graph_module") || !document.has("schema_version"))
    return bad_input("it is no exported program (\"graph_module\" or \"schema_version\" is missing); {}", kSaveIt);
  BERTH_TRY(const JsonValue version, document.member("schema_version"));
  const auto major = version.find("major");
  if (!major) return version.error("\"major\" is missing");
  BERTH_TRY(const std::int64_t number, major->integer());
  if (number >= kOldestSchema && number <= kNewestSchema) return {};
  return bad_input("its schema has version {}, those from {} to {} are read; export the model by torch 2.5 to 2.11",
                   number, kOldestSchema, kNewestSchema);
}

Result<JsonDocument> open_program(std::string text) {
  quote_non_finite_numbers(text);
  return JsonDocument::open(std::move(text), kMaxPt2ValueBytes);
}

// The signature: what the graph's inputs and outputs are to the user.
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

Result<Pt2Signature> read_pt2_signature(const JsonValue& json) {
  Pt2Signature signature;
  BERTH_TRY(const JsonValue inputs, pt2_member(json, "input_specs"));
  BERTH_RETURN_IF_ERROR(inputs.for_each([&](const JsonValue& spec) { return read_input(spec, signature.inputs); }));
  BERTH_TRY(const JsonValue outputs, pt2_member(json, "output_specs"));
  BERTH_RETURN_IF_ERROR(outputs.for_each([&](const JsonValue& spec) { return read_output(spec, signature.outputs); }));
  return signature;
}

// Goes down to the graph's module.
Result<Pt2Signature> enter_program(JsonDocument& document) {
  BERTH_RETURN_IF_ERROR(check_schema(document));
  BERTH_RETURN_IF_ERROR(document.enter("graph_module"));
  BERTH_TRY(const JsonValue json, document.member("signature"));
  return read_pt2_signature(json);
}

class ProgramReader {
 public:
  ProgramReader(JsonDocument& document, Model& model) : document_(document), model_(model) {}

  Status read() {
    BERTH_TRY(const Pt2Signature signature, enter_program(document_));
    BERTH_RETURN_IF_ERROR(document_.enter("graph"));
    BERTH_RETURN_IF_ERROR(read_tables());
    BERTH_RETURN_IF_ERROR(declare(signature.inputs));
    Pt2NodeReader nodes(model_);
    BERTH_RETURN_IF_ERROR(document_.for_each("nodes", [&](const JsonValue& node) { return nodes.read(node, scope_); }));
    return mark_outputs(signature.outputs);
  }

 private:
  Status read_tables() {
    BERTH_TRY(const JsonValue tensors, document_.member("tensor_values"));
    BERTH_RETURN_IF_ERROR(scope_.read_tensors(tensors));
    for (const std::string_view table : kPt2SymbolTables) {
      if (!document_.has(table)) continue;
      BERTH_TRY(const JsonValue symbols, document_.member(table));
      BERTH_RETURN_IF_ERROR(scope_.read_symbols(symbols));
    }
    return {};
  }

  Status declare(const std::vector<Pt2Input>& inputs) {
    for (const Pt2Input& input : inputs) {
      BERTH_RETURN_IF_ERROR(scope_.declare(input.name, {.role = input.role, .label = input.label}));
      if (input.role == Role::kInput) scope_.find(model_, input.name);
    }
    return {};
  }

  Status mark_outputs(const std::vector<std::string>& names) {
    std::set<ValueIndex> marked;
    for (const std::string& name : names) {
      const auto value = scope_.find(model_, name);
      if (!value) return bad_input("the output {} is made by no node", in_quotes(name));
      if (marked.insert(*value).second) model_.outputs.push_back(*value);
    }
    return {};
  }

  JsonDocument& document_;
  Model& model_;
  Pt2Scope scope_;
};

Result<Model> parse(std::string text, std::string_view file_name) {
  BERTH_TRY(JsonDocument document, open_program(std::move(text)));
  Model model;
  model.title = std::filesystem::path(file_name).stem().string();
  model.dialect = Dialect::kAten;
  BERTH_RETURN_IF_ERROR(ProgramReader(document, model).read());
  return model;
}

}  // namespace

Result<Model> parse_exported_program(std::string text, std::string_view file_name) {
  auto model = parse(std::move(text), file_name);
  if (!model) return in_file(file_name, model.error());
  return model;
}

Result<Model> read_exported_program(const std::string& path) {
  auto text = read_zip_member(path, choose_program);
  if (!text) return in_file(path, text.error());
  return parse_exported_program(*std::move(text), path);
}

Result<Pt2Signature> read_exported_signature(const std::string& path) {
  BERTH_TRY(std::string text, read_zip_member(path, choose_program));
  BERTH_TRY(JsonDocument document, open_program(std::move(text)));
  return enter_program(document);
}

}  // namespace berth
