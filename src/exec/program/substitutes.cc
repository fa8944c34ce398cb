// SPDX-License-Identifier: Apache-2.0
#include "exec/program/substitutes.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <array>
#include <limits>

#include "exec/program/attention_forms.h"

namespace berth::exec {
namespace {

at::Tensor copy_of(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() ? value.toTensor().clone() : at::Tensor();
}

c10::optional<at::Tensor> maybe_tensor(const at::Tensor& tensor) {
  return tensor.defined() ? c10::optional<at::Tensor>(tensor) : c10::optional<at::Tensor>();
}

c10::optional<at::Tensor> maybe_tensor(const c10::IValue& value) {
  return value.isTensor() ? maybe_tensor(value.toTensor()) : c10::optional<at::Tensor>();
}

// input, weight, bias, running mean, running variance, training, momentum, eps; gives the new running values too.
void batch_norm_functional(Stack& stack, std::uint64_t /*seed*/) {
  const at::Tensor mean = copy_of(stack[3]), variance = copy_of(stack[4]);
  const auto [output, save_mean, save_invstd] =
      at::native_batch_norm(stack[0].toTensor(), maybe_tensor(stack[1]), maybe_tensor(stack[2]), maybe_tensor(mean),
                            maybe_tensor(variance), stack[5].toBool(), stack[6].toDouble(), stack[7].toDouble());
  leave(stack, output, save_mean, save_invstd, mean, variance);
}

// input, weight, bias, running mean, running variance, momentum, eps
void batch_norm_no_training(Stack& stack, std::uint64_t /*seed*/) {
  const auto [output, save_mean, save_invstd] =
      at::native_batch_norm(stack[0].toTensor(), maybe_tensor(stack[1]), maybe_tensor(stack[2]), maybe_tensor(stack[3]),
                            maybe_tensor(stack[4]), false, stack[5].toDouble(), stack[6].toDouble());
  leave(stack, output, save_mean, save_invstd);
}

// input, dim, dtype. Rows that are masked out as a whole give 0 instead of no number.
void safe_softmax(Stack& stack, std::uint64_t /*seed*/) {
  const at::Tensor input = stack[0].toTensor();
  const std::int64_t dim = stack[1].toInt();
  const at::Tensor is_masked = input.eq(-std::numeric_limits<double>::infinity()).all(dim, /*keepdim=*/true);
  leave(stack, at::softmax(input, dim, stack[2].toOptional<at::ScalarType>()).masked_fill(is_masked, 0.0));
}

// input, p, train. On a CPU the work of ATen's own kernel, step by step, with a generator of its own: the shared one
// would give other numbers as soon as ops run in another order.
void dropout(Stack& stack, std::uint64_t seed) {
  const at::Tensor input = stack[0].toTensor();
  const double p = stack[1].toDouble();
  if (!input.is_cpu()) {
    at::Generator generator = at::globalContext().defaultGenerator(input.device());
    {
      const std::lock_guard<std::mutex> lock(generator.mutex());
      generator.set_current_seed(seed);
    }
    const auto [output, mask] = at::native_dropout(input, p, true);
    leave(stack, output, mask);
    return;
  }
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  const at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(1.0 - p, generator);
  leave(stack, input.mul(mask).mul_(p == 1.0 ? 0.0 : 1.0 / (1.0 - p)), mask);
}

// input, size, stride. The operator itself takes any strides, also those that lead out of the input's memory.
void reshape_alias(Stack& stack, std::uint64_t /*seed*/) {
  const at::Tensor input = stack[0].toTensor();
  leave(stack, input.as_strided(stack[1].toIntVector(), stack[2].toIntVector(), input.storage_offset()));
}

constexpr std::array kSubstitutes{
    Substitute{"aten::native_dropout", "aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
               Itself::kNowhere, dropout},
    Substitute{"aten::_safe_softmax", "aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
               Itself::kAnywhere, safe_softmax},
    Substitute{"aten::_native_batch_norm_legit_functional",
               "aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
               "running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, "
               "Tensor, Tensor, Tensor)",
               Itself::kAnywhere, batch_norm_functional},
    Substitute{"aten::_native_batch_norm_legit_no_training",
               "aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
               "running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
               Itself::kAnywhere, batch_norm_no_training},
    Substitute{"aten::_reshape_alias", "aten::_reshape_alias(Tensor(a) self, int[] size, int[] stride) -> Tensor(a)",
               Itself::kNowhere, reshape_alias}};

}  // namespace

const Substitute* find_substitute(std::string_view name, std::string_view overload) {
  if (!overload.empty()) return nullptr;
  for (const std::span<const Substitute> table : {std::span<const Substitute>(kSubstitutes), attention_substitutes()}) {
    const auto found = std::ranges::find(table, name, &Substitute::name);
    if (found != table.end()) return &*found;
  }
  return nullptr;
}

bool calls_itself(Itself itself, bool is_cuda) {
  return itself == Itself::kAnywhere || itself == (is_cuda ? Itself::kOnCuda : Itself::kOnCpu);
}

}  // namespace berth::exec
