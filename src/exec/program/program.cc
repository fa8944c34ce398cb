// SPDX-License-Identifier: Apache-2.0
#include "exec/program/program.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <mutex>

#include "exec/libtorch.h"
#include "exec/program/call_arguments.h"
#include "exec/program/operator_rules.h"
#include "exec/program/substitutes.h"
#include "files/json/json_reader.h"

namespace berth::exec {
namespace {

constexpr double kLearningRate = 1e-4;  // of an update; small, so that a thousand steps leave the numbers tame

struct OperatorName {
  std::string name, overload;  // "aten::add", "Tensor"
};

// "aten.add.Tensor"; the overload "default" has no name.
std::optional<OperatorName> operator_of(std::string_view type) {
  const std::size_t first = type.find('.'), last = type.rfind('.');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  std::string overload(type.substr(last + 1));
  if (overload == "default") overload.clear();
  return OperatorName{fmt::format("{}::{}", type.substr(0, first), type.substr(first + 1, last - first - 1)), overload};
}

// Checks of the tracer, which held when it traced.
bool is_check(std::string_view type) {
  return type.starts_with("aten._assert_") || type.starts_with("aten.sym_constrain_range");
}

std::optional<CallKind> kind_of(std::string_view type, Role role) {
  if (role == Role::kParameter || role == Role::kBuffer || role == Role::kInput || role == Role::kConstant) {
    return CallKind::kStored;
  }
  if (type == "getitem" || type == "aten.detach.default" || type == "aten.alias.default") return CallKind::kSame;
  if (is_check(type)) return CallKind::kNothing;
  if (type == "sgd_update") return CallKind::kUpdate;
  return std::nullopt;
}

void take_inputs_in_order(const Graph& graph, OpId op, Call& call) {
  for (const TensorId tensor : graph.inputs(op)) {
    call.tensors.push_back({call.tensors.size(), false, false, {static_cast<std::int64_t>(index(tensor))}});
  }
}

std::optional<std::size_t> position_of(const c10::FunctionSchema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.arguments(), name, &c10::Argument::name);
  if (found == schema.arguments().end()) return std::nullopt;
  return static_cast<std::size_t>(found - schema.arguments().begin());
}

// Operators that write into running_mean when they train, though their schema does not say so.
bool writes_statistics(const c10::FunctionSchema& schema, const Call& call) {
  const auto training = position_of_training(schema), mean = position_of(schema, "running_mean");
  if (!training || !mean || !call.arguments[*training].toBool()) return false;
  return std::ranges::any_of(
      call.tensors, [&](const TensorArgument& given) { return given.position == *mean && given.tensors.front() >= 0; });
}

std::optional<std::size_t> position_of_generator(const c10::FunctionSchema& schema) {
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    c10::TypePtr type = schema.arguments()[i].type();
    if (type->kind() == c10::TypeKind::OptionalType) type = type->castRaw<c10::OptionalType>()->getElementType();
    if (type->kind() == c10::TypeKind::GeneratorType) return i;
  }
  return std::nullopt;
}

bool has_same_arguments(const c10::FunctionSchema& a, const c10::FunctionSchema& b) {
  return std::ranges::equal(a.arguments(), b.arguments(), {}, &c10::Argument::name, &c10::Argument::name);
}

class CallReader {
 public:
  explicit CallReader(const Graph& graph) : graph_(graph) {}

  Result<Call> read(const JsonValue& op, OpId id) {
    const std::string& type = graph_.type(id);
    if (const auto kind = kind_of(type, graph_.role(id))) return read_own(op, id, *kind);
    const auto name = operator_of(type);
    if (!name || !type.starts_with("aten.")) {
      return op.error(fmt::format("'{}' is no operator of ATen, so it cannot be run", type));
    }
    const auto found = c10::Dispatcher::singleton().findSchema({name->name, name->overload});
    const Substitute* substitute = find_substitute(name->name, name->overload);
    if (substitute != nullptr && (substitute->itself != Itself::kAnywhere || !found)) {
      if (!found) note(type);
      return read_substitute(op, type, *substitute, found);
    }
    if (!found) {
      return op.error(
          fmt::format("this libtorch has no operator '{}'; a newer libtorch may ({})", type, TORCH_VERSION));
    }
    if (const auto why = refusal(type, found->schema()); why && !is_write_back(id)) return op.error(*why);
    return read_dispatch(op, type, *found);
  }

  std::vector<std::string> substituted;

 private:
  // A training step leaves its running statistics in the buffers they came from: all that tracing leaves of in-place
  // ops.
  [[nodiscard]] bool is_write_back(OpId id) const {
    const auto inputs = graph_.inputs(id);
    return graph_.type(id) == "aten.copy_.default" && !inputs.empty() &&
           graph_.role(graph_.producer(inputs[0])) == Role::kBuffer;
  }

  // What the executor does without libtorch's operators.
  Result<Call> read_own(const JsonValue& op, OpId id, CallKind kind) const {
    Call call;
    call.kind = kind;
    take_inputs_in_order(graph_, id, call);
    if (kind == CallKind::kSame && call.tensors.empty()) return op.error("it has no tensor to give");
    const auto inputs = graph_.inputs(id);
    const bool is_update = inputs.size() == 2 && graph_.producer(inputs[0]) == graph_.updated_parameter(id);
    if (kind == CallKind::kUpdate && !is_update) {
      return op.error("an sgd_update needs the args [parameter, gradient], and \"updates\" must name that parameter");
    }
    return call;
  }

  Result<Call> read_substitute(const JsonValue& op, const std::string& type, const Substitute& substitute,
                               const c10::optional<c10::OperatorHandle>& found) const {
    Call call;
    call.kind = CallKind::kSubstitute;
    call.substitute = &substitute;
    const c10::FunctionSchema schema = torch::jit::parseSchema(std::string(substitute.schema));
    BERTH_RETURN_IF_ERROR(fill(op, type, schema, call));
    if (found && has_same_arguments(found->schema(), schema)) call.op = *found;
    const auto dropout = position_of(schema, "dropout_p");
    call.draws = dropout && call.arguments[*dropout].toDouble() > 0.0;
    return call;
  }

  Result<Call> read_dispatch(const JsonValue& op, const std::string& type, const c10::OperatorHandle& found) const {
    Call call;
    call.kind = CallKind::kDispatch;
    call.op = found;
    BERTH_RETURN_IF_ERROR(fill(op, type, found.schema(), call));
    if (writes_statistics(found.schema(), call)) {
      return op.error(
          fmt::format("'{}' with training writes its running statistics in place; python -m berth.capture "
                      "writes the form that gives them as outputs",
                      type));
    }
    call.generator = position_of_generator(found.schema());
    call.draws = call.generator || found.schema().name().starts_with("aten::rand");
    return call;
  }

  Status fill(const JsonValue& op, const std::string& type, const c10::FunctionSchema& schema, Call& call) const {
    const Status filled = read_arguments(op.find("args"), op.find("kwargs"), schema, graph_, call);
    return filled.ok() ? filled : Status(within(fmt::format("'{}'", type), filled.error()));
  }

  void note(const std::string& type) {
    if (std::ranges::find(substituted, type) == substituted.end()) substituted.push_back(type);
  }

  const Graph& graph_;
};

c10::IValue tensor_list(const TensorArgument& argument, const Inputs& values) {
  const auto tensor = [&](std::int64_t id) { return id < 0 ? at::Tensor() : values[static_cast<std::size_t>(id)]; };
  if (argument.may_be_absent) {
    c10::List<c10::optional<at::Tensor>> list;
    for (const std::int64_t id : argument.tensors) {
      list.push_back(id < 0 ? c10::optional<at::Tensor>() : c10::optional<at::Tensor>(tensor(id)));
    }
    return list;
  }
  c10::List<at::Tensor> list;
  list.reserve(argument.tensors.size());
  for (const std::int64_t id : argument.tensors) list.push_back(tensor(id));
  return list;
}

void fill_stack(const Call& call, const Inputs& values, const at::Device& device, Stack& stack) {
  stack = call.arguments;
  for (const TensorArgument& argument : call.tensors) {
    c10::IValue& place = stack[argument.position];
    if (argument.is_list) {
      place = tensor_list(argument, values);
    } else if (argument.tensors.front() >= 0) {
      place = values[static_cast<std::size_t>(argument.tensors.front())];
    }
  }
  for (const std::size_t position : call.devices) stack[position] = device;
}

// The tensors that exist, out of results and lists of results.
std::vector<at::Tensor> take_results(Stack& stack) {
  std::vector<at::Tensor> results;
  for (c10::IValue& value : stack) {
    if (value.isTensor()) {
      at::Tensor tensor = std::move(value).toTensor();
      if (tensor.defined()) results.push_back(std::move(tensor));
    } else if (value.isTensorList()) {
      for (const at::Tensor& tensor : value.toTensorVector()) results.push_back(tensor);
    }
  }
  stack.clear();
  return results;
}

// Every op draws from a seed of its own: the shared generator would give other numbers as soon as ops run in another
// order. An operator that takes no generator, or that runs on a GPU, gets the shared one to itself.
void draw(const Call& call, const at::Device& device, std::uint64_t seed, Stack& stack) {
  if (device.is_cpu() && call.generator) {
    stack[*call.generator] = at::make_generator<at::CPUGeneratorImpl>(seed);
    call.op->callBoxed(&stack);
    return;
  }
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  at::Generator generator = at::globalContext().defaultGenerator(device);
  {
    const std::lock_guard<std::mutex> guard(generator.mutex());
    generator.set_current_seed(seed);
  }
  call.op->callBoxed(&stack);
}

void dispatch(const Call& call, const at::Device& device, std::uint64_t seed, Stack& stack) {
  if (call.draws) {
    draw(call, device, seed, stack);
  } else {
    call.op->callBoxed(&stack);
  }
}

const at::Tensor& input(const Call& call, const Inputs& values, std::size_t position) {
  return values[static_cast<std::size_t>(call.tensors[position].tensors.front())];
}

}  // namespace

Result<Program> Program::read(std::string text, const Graph& graph) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  Program program;
  CallReader reader(graph);
  program.calls_.reserve(graph.num_ops());
  BERTH_RETURN_IF_ERROR(document.for_each("ops", [&](const JsonValue& op) -> Status {
    if (program.calls_.size() >= graph.num_ops()) return op.error("the graph has fewer ops");
    BERTH_TRY(Call call, reader.read(op, static_cast<OpId>(program.calls_.size())));
    program.calls_.push_back(std::move(call));
    return {};
  }));
  if (program.calls_.size() != graph.num_ops()) return bad_input("the capture has fewer ops than its graph");
  program.substituted_ = std::move(reader.substituted);
  return program;
}

std::vector<at::Tensor> invoke(const Call& call, const Inputs& values, const at::Device& device, std::uint64_t seed,
                               Stack& stack) {
  switch (call.kind) {
    case CallKind::kStored:
    case CallKind::kNothing:
      return {};
    case CallKind::kSame:
      return {input(call, values, 0)};
    case CallKind::kUpdate:
      input(call, values, 0).sub_(input(call, values, 1), kLearningRate);
      return {};
    case CallKind::kDispatch:
      fill_stack(call, values, device, stack);
      dispatch(call, device, seed, stack);
      return take_results(stack);
    case CallKind::kSubstitute:
      fill_stack(call, values, device, stack);
      if (call.op && calls_itself(call.substitute->itself, device.is_cuda())) {
        dispatch(call, device, seed, stack);
      } else {
        call.substitute->run(stack, seed);
      }
      return take_results(stack);
  }
  return {};
}

}  // namespace berth::exec
