// SPDX-License-Identifier: Apache-2.0
// The operators of attention as ATen has them: which argument is which, what they save for their backward pass, and in
// which layout. Signatures follow native_functions.yaml of PyTorch 2.5 to 2.11.
#include "exec/program/attention_forms.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <stdexcept>

#include "exec/program/attention.h"

namespace berth::exec {
namespace {

using c10::IValue;
using NamedArguments = std::map<std::string_view, IValue>;

constexpr std::string_view kFlashOnCpu = "aten::_scaled_dot_product_flash_attention_for_cpu";
constexpr std::string_view kFlashOnCpuBackward = "aten::_scaled_dot_product_flash_attention_for_cpu_backward";
constexpr std::string_view kEfficient = "aten::_scaled_dot_product_efficient_attention";
constexpr std::string_view kEfficientBackward = "aten::_scaled_dot_product_efficient_attention_backward";
constexpr std::int64_t kRowsOfEfficient = 32;  // its logsumexp is padded to a multiple of these

at::Tensor tensor_of(const IValue& value) { return value.isTensor() ? value.toTensor() : at::Tensor(); }

c10::optional<double> maybe_double(const IValue& value) {
  return value.isNone() ? c10::optional<double>() : c10::optional<double>(value.toDouble());
}

IValue maybe_none(const at::Tensor& tensor) { return tensor.defined() ? IValue(tensor) : IValue(); }

void refuse_dropout(const IValue& p) {
  if (p.toDouble() == 0.0) return;
  throw std::runtime_error(fmt::format(
      "attention with dropout {} draws numbers that only the kind of device it was captured on gives; capture "
      "it with plain attention, as python -m berth.capture --train does, or without dropout",
      p.toDouble()));
}

bool has_operator(std::string_view name) {
  return c10::Dispatcher::singleton().findSchema({std::string(name), ""}).has_value();
}

// Calls an operator that some libtorchs lack, by the names of its arguments.
Stack call(std::string_view name, const NamedArguments& given) {
  const auto op = c10::Dispatcher::singleton().findSchema({std::string(name), ""});
  TORCH_CHECK(op.has_value(), "this libtorch has no ", std::string(name));
  Stack stack;
  for (const c10::Argument& argument : op->schema().arguments()) {
    const auto found = given.find(argument.name());
    TORCH_CHECK(found != given.end() || argument.default_value(), std::string(name), " wants ", argument.name());
    stack.push_back(found != given.end() ? found->second : *argument.default_value());
  }
  op->callBoxed(&stack);
  return stack;
}

// What the kernel of a CPU adds to scores.
at::Tensor as_summand(const at::Tensor& mask, const at::Tensor& query) {
  if (!mask.defined() || mask.scalar_type() != at::kBool) return mask;
  const at::Tensor nothing = at::zeros(mask.sizes(), query.options());
  return nothing.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
}

NamedArguments arguments_of(const Attention& attention, AttentionForm form) {
  NamedArguments given{
      {"query", attention.query},         {"key", attention.key},
      {"value", attention.value},         {"dropout_p", 0.0},
      {"is_causal", attention.is_causal}, {"scale", attention.scale ? IValue(*attention.scale) : IValue()}};
  if (form == AttentionForm::kFlashOnCpu) {
    given["attn_mask"] = maybe_none(as_summand(attention.mask, attention.query));
  } else {
    given["attn_bias"] = IValue();
    given["compute_log_sumexp"] = true;
  }
  return given;
}

std::optional<AttentionForm> form_for(AttentionForm captured, const Attention& attention, bool wants_mask_gradient) {
  const at::Tensor &query = attention.query, &key = attention.key, &value = attention.value;
  const bool has_usual_mask = !attention.mask.defined() || attention.mask.dim() == 2 || attention.mask.dim() == 4;
  const bool is_usual =
      query.dim() == 4 && has_usual_mask && value.size(-1) == query.size(-1) && key.size(-3) == query.size(-3);
  const auto row = query.size(-1) * static_cast<std::int64_t>(query.element_size());
  const auto form =
      form_to_run({captured, query.is_cuda(), attention.mask.defined(), wants_mask_gradient, is_usual, row % 16 == 0});
  if (!form || *form == captured) return std::nullopt;
  return has_operator(*form == AttentionForm::kFlashOnCpu ? kFlashOnCpu : kEfficient) ? form : std::nullopt;
}

AttentionResult run(AttentionForm captured, const Attention& attention) {
  const auto form = form_for(captured, attention, false);
  if (!form) return attend(attention);
  const bool on_cpu = *form == AttentionForm::kFlashOnCpu;
  const Stack results = call(on_cpu ? kFlashOnCpu : kEfficient, arguments_of(attention, *form));
  const at::Tensor logsumexp = results[1].toTensor();
  return {results[0].toTensor(), logsumexp.narrow(-1, 0, attention.query.size(-2)), {}};
}

at::Tensor padded(const at::Tensor& logsumexp) {
  const std::int64_t missing = (kRowsOfEfficient - logsumexp.size(-1) % kRowsOfEfficient) % kRowsOfEfficient;
  return at::constant_pad_nd(logsumexp, {0, missing}, std::numeric_limits<double>::infinity());
}

struct Saved {
  at::Tensor gradient, output, logsumexp;
};

AttentionGradients run_backward(AttentionForm captured, const Attention& attention, const Saved& saved,
                                bool wants_mask_gradient) {
  const auto form = form_for(captured, attention, wants_mask_gradient);
  if (!form) {
    return attend_backward(attention, saved.gradient, saved.output, saved.logsumexp, wants_mask_gradient);
  }
  const bool on_cpu = *form == AttentionForm::kFlashOnCpu;
  NamedArguments given = arguments_of(attention, *form);
  given["out"] = saved.output;
  given["grad_out"] = given["grad_out_"] = saved.gradient;
  given["logsumexp"] = on_cpu ? saved.logsumexp : padded(saved.logsumexp);
  if (!on_cpu) {
    const at::Tensor none = at::zeros({}, saved.gradient.options().dtype(at::kLong));
    given["attn_bias"] = at::Tensor();
    given["philox_seed"] = given["philox_offset"] = none;
    given["grad_input_mask"] = c10::List<bool>({true, true, true, false});
  }
  const Stack results = call(on_cpu ? kFlashOnCpuBackward : kEfficientBackward, given);
  return {results[0].toTensor(), results[1].toTensor(), results[2].toTensor(), {}};
}

// Layouts: most forms give an output that lies as the query does, one gives [batch, length, heads, size] whatever it
// is.
at::Tensor like_query(const at::Tensor& output, const at::Tensor& query) {
  if (output.sizes() != query.sizes() || output.strides() == query.strides()) return output;
  return at::empty_like(query, query.options(), at::MemoryFormat::Preserve).copy_(output);
}

at::Tensor heads_inside(const at::Tensor& tensor) { return tensor.transpose(1, 2).contiguous().transpose(1, 2); }

at::Tensor no_state(const at::Tensor& query) { return at::zeros({}, query.options().dtype(at::kLong)); }

void flash_on_cpu(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[3]);
  const Attention attention{tensor_of(stack[0]), tensor_of(stack[1]), tensor_of(stack[2]),
                            tensor_of(stack[5]), stack[4].toBool(),   maybe_double(stack[6])};
  const AttentionResult result = run(AttentionForm::kFlashOnCpu, attention);
  leave(stack, like_query(result.output, attention.query), heads_inside(result.logsumexp.unsqueeze(-1)).squeeze(-1));
}

void flash_on_cpu_backward(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[6]);
  const Attention attention{tensor_of(stack[1]), tensor_of(stack[2]), tensor_of(stack[3]),
                            tensor_of(stack[8]), stack[7].toBool(),   maybe_double(stack[9])};
  const Saved saved{tensor_of(stack[0]), tensor_of(stack[4]), tensor_of(stack[5])};
  const AttentionGradients gradients = run_backward(AttentionForm::kFlashOnCpu, attention, saved, false);
  leave(stack, gradients.query, gradients.key, gradients.value);
}

// Flash attention and that of cuDNN leave the same nine results: no lengths, since all sequences are equally long.
void leave_nine(Stack& stack, const Attention& attention, const AttentionResult& result, bool with_debug_mask) {
  const at::Tensor& query = attention.query;
  const at::Tensor state = no_state(query), debug = with_debug_mask ? at::empty({0}, query.options()) : at::Tensor();
  leave(stack, like_query(result.output, query), result.logsumexp.contiguous(), at::Tensor(), at::Tensor(),
        query.size(-2), attention.key.size(-2), state, state, debug);
}

void flash(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[3]);
  const Attention attention{tensor_of(stack[0]), tensor_of(stack[1]),   tensor_of(stack[2]), {},
                            stack[4].toBool(),   maybe_double(stack[6])};
  leave_nine(stack, attention, run(AttentionForm::kFlash, attention), true);
}

void flash_backward(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[10]);
  const Attention attention{tensor_of(stack[1]), tensor_of(stack[2]),    tensor_of(stack[3]), {},
                            stack[11].toBool(),  maybe_double(stack[14])};
  const Saved saved{tensor_of(stack[0]), tensor_of(stack[4]), tensor_of(stack[5])};
  const AttentionGradients gradients = run_backward(AttentionForm::kFlash, attention, saved, false);
  leave(stack, gradients.query, gradients.key, gradients.value);
}

void efficient(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[5]);
  const Attention attention{tensor_of(stack[0]), tensor_of(stack[1]), tensor_of(stack[2]),
                            tensor_of(stack[3]), stack[6].toBool(),   maybe_double(stack[7])};
  const bool wants_logsumexp = stack[4].toBool();
  const AttentionResult result = run(AttentionForm::kEfficient, attention);
  const at::Tensor state = no_state(attention.query);
  const at::Tensor logsumexp = wants_logsumexp ? padded(result.logsumexp) : result.logsumexp.narrow(-1, 0, 0);
  leave(stack, heads_inside(result.output), logsumexp, state, state);
}

void efficient_backward(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[9]);
  const Attention attention{tensor_of(stack[1]), tensor_of(stack[2]), tensor_of(stack[3]),
                            tensor_of(stack[4]), stack[11].toBool(),  maybe_double(stack[12])};
  const at::Tensor logsumexp = tensor_of(stack[6]).narrow(-1, 0, attention.query.size(-2));
  const c10::List<bool> wanted = stack[10].toBoolList();
  const bool wants_mask = wanted.get(3) && attention.mask.defined();
  const Saved saved{tensor_of(stack[0]), tensor_of(stack[5]), logsumexp};
  const AttentionGradients gradients = run_backward(AttentionForm::kEfficient, attention, saved, wants_mask);
  leave(stack, gradients.query, gradients.key, gradients.value, gradients.mask);
}

void cudnn(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[5]);
  const Attention attention{tensor_of(stack[0]), tensor_of(stack[1]), tensor_of(stack[2]),
                            tensor_of(stack[3]), stack[6].toBool(),   maybe_double(stack[8])};
  leave_nine(stack, attention, run(AttentionForm::kCudnn, attention), false);
}

void cudnn_backward(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[13]);
  const Attention attention{tensor_of(stack[1]), tensor_of(stack[2]), tensor_of(stack[3]),
                            tensor_of(stack[8]), stack[14].toBool(),  maybe_double(stack[15])};
  at::Tensor logsumexp = tensor_of(stack[5]);
  if (logsumexp.dim() == attention.query.dim())
    logsumexp = logsumexp.squeeze(-1);  // newer ones keep the last dimension
  const Saved saved{tensor_of(stack[0]), tensor_of(stack[4]), logsumexp};
  const AttentionGradients gradients = run_backward(AttentionForm::kCudnn, attention, saved, false);
  leave(stack, gradients.query, gradients.key, gradients.value);
}

void math(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[4]);
  const Attention attention{tensor_of(stack[0]), tensor_of(stack[1]), tensor_of(stack[2]),
                            tensor_of(stack[3]), stack[5].toBool(),   maybe_double(stack[7])};
  const AttentionResult result = attend(attention);
  leave(stack, result.output, result.weights);
}

void whole(Stack& stack, std::uint64_t /*seed*/) {
  refuse_dropout(stack[4]);
  leave(stack, attend({tensor_of(stack[0]), tensor_of(stack[1]), tensor_of(stack[2]), tensor_of(stack[3]),
                       stack[5].toBool(), maybe_double(stack[6])})
                   .output);
}

constexpr std::array kAttention{
    Substitute{kFlashOnCpu,
               "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float "
               "dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor, Tensor)",
               Itself::kOnCpu, flash_on_cpu},
    Substitute{
        kFlashOnCpuBackward,
        "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query, Tensor key, "
        "Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *, Tensor? attn_mask=None, "
        "float? scale=None) -> (Tensor, Tensor, Tensor)",
        Itself::kOnCpu, flash_on_cpu_backward},
    Substitute{"aten::_scaled_dot_product_flash_attention",
               "aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0.0, "
               "bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor, Tensor, Tensor, "
               "Tensor, int, int, Tensor, Tensor, Tensor)",
               Itself::kOnCuda, flash},
    Substitute{"aten::_scaled_dot_product_flash_attention_backward",
               "aten::_scaled_dot_product_flash_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor "
               "value, Tensor out, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, int max_q, int max_k, float "
               "dropout_p, bool is_causal, Tensor philox_seed, Tensor philox_offset, *, float? scale=None) -> (Tensor, "
               "Tensor, Tensor)",
               Itself::kOnCuda, flash_backward},
    Substitute{
        kEfficient,
        "aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, "
        "bool compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, *, float? scale=None) -> (Tensor, "
        "Tensor, Tensor, Tensor)",
        Itself::kOnCuda, efficient},
    Substitute{
        kEfficientBackward,
        "aten::_scaled_dot_product_efficient_attention_backward(Tensor grad_out_, Tensor query, Tensor key, Tensor "
        "value, Tensor attn_bias, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, float "
        "dropout_p, bool[4] grad_input_mask, bool is_causal=False, *, float? scale=None) -> (Tensor, Tensor, "
        "Tensor, Tensor)",
        Itself::kOnCuda, efficient_backward},
    Substitute{
        "aten::_scaled_dot_product_cudnn_attention",
        "aten::_scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool "
        "compute_log_sumexp, float dropout_p=0.0, bool is_causal=False, bool return_debug_mask=False, *, float? "
        "scale=None) -> (Tensor, Tensor, Tensor, Tensor, int, int, Tensor, Tensor, Tensor)",
        Itself::kOnCuda, cudnn},
    Substitute{
        "aten::_scaled_dot_product_cudnn_attention_backward",
        "aten::_scaled_dot_product_cudnn_attention_backward(Tensor grad_out, Tensor query, Tensor key, Tensor "
        "value, Tensor out, Tensor logsumexp, Tensor philox_seed, Tensor philox_offset, Tensor attn_bias, Tensor "
        "cum_seq_q, Tensor cum_seq_k, int max_q, int max_k, float dropout_p, bool is_causal, *, float? "
        "scale=None) -> (Tensor, Tensor, Tensor)",
        Itself::kOnCuda, cudnn_backward},
    Substitute{
        "aten::_scaled_dot_product_attention_math",
        "aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
        "float dropout_p=0.0, bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool "
        "enable_gqa=False) -> (Tensor, Tensor)",
        Itself::kNowhere, math},
    Substitute{
        "aten::scaled_dot_product_attention",
        "aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float "
        "dropout_p=0.0, bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
        Itself::kAnywhere, whole}};

}  // namespace

std::optional<AttentionForm> form_to_run(const AttentionCase& facts) {
  if (facts.captured == AttentionForm::kMath) return std::nullopt;  // nothing else gives the weights
  const bool is_of_cpu = facts.captured == AttentionForm::kFlashOnCpu;
  if (is_of_cpu != facts.is_cuda) return facts.captured;
  if (!facts.is_usual || facts.wants_mask_gradient) return std::nullopt;
  if (!facts.is_cuda) return AttentionForm::kFlashOnCpu;
  // Of the forms of GPUs this one takes every type and runs on every generation; its masks want a padding of their own.
  if (facts.has_mask || !facts.is_aligned) return std::nullopt;
  return AttentionForm::kEfficient;
}

std::span<const Substitute> attention_substitutes() { return kAttention; }

}  // namespace berth::exec
