// SPDX-License-Identifier: Apache-2.0
// Which operators of libtorch a capture may call. A capture is a file, perhaps a stranger's, so that it may compute and
// nothing else: only operators of ATen that the op table knows, whose schema says that they write into none of their
// arguments, and that take nothing but tensors, numbers, dtypes, devices and words out of a list. libtorch has others
// that open files (aten::from_file), print or write in place. Updates of parameters are no such operators: a capture
// has `sgd_update` for them, which the executor does itself.
#pragma once

#include <ATen/core/function_schema.h>

#include <optional>
#include <string>
#include <string_view>

namespace berth::exec {

// Why a capture may not call the operator `type` of ATen ("aten.add.Tensor"), which has this schema, and what to do;
// none if it may.
std::optional<std::string> refusal(std::string_view type, const c10::FunctionSchema& schema);

// Whether an argument of that name may have that word: a rounding mode, a kind of reduction, an equation of einsum.
bool is_known_word(std::string_view argument, std::string_view word);

// Operators that write running statistics when they train, though their schema does not say so. The position of the
// argument that says whether they train; none for all others.
std::optional<std::size_t> position_of_training(const c10::FunctionSchema& schema);

}  // namespace berth::exec
