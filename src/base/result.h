// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that says in one line what is wrong and how to mend it. Used for everything the
// outside world can get wrong (files, flags, models, memory limits); our own mistakes are BERTH_CHECKs.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace berth {

enum class ErrorCode {
  kBadInput,    // a file, flag, model or plan is wrong: exit code 2
  kInfeasible,  // nothing is wrong, but no plan fits: exit code 1
};

struct Error {
  ErrorCode code = ErrorCode::kBadInput;
  std::string message;  // one line, no trailing full stop
};

// Error of a bad input, written with a format string.
template <typename... Args>
[[nodiscard]] Error bad_input(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kBadInput, fmt::format(format, std::forward<Args>(args)...)};
}

template <typename... Args>
[[nodiscard]] Error infeasible(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kInfeasible, fmt::format(format, std::forward<Args>(args)...)};
}

// The same error with "where: " in front, for adding context on the way up.
[[nodiscard]] inline Error within(std::string_view where, Error error) {
  error.message = fmt::format("{}: {}", where, error.message);
  return error;
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& value() const& { return BERTH_CHECK(ok()), std::get<0>(state_); }
  [[nodiscard]] T& value() & { return BERTH_CHECK(ok()), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return BERTH_CHECK(ok()), std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  [[nodiscard]] const Error& error() const { return BERTH_CHECK(!ok()), std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Result without a value: success, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return BERTH_CHECK(!ok()), *error_; }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace berth

#define BERTH_CONCAT_INNER(a, b) a##b
#define BERTH_CONCAT(a, b) BERTH_CONCAT_INNER(a, b)

// BERTH_TRY(const Graph graph, load(path)): declares graph, or returns the error of load().
#define BERTH_TRY(declaration, expression) BERTH_TRY_INNER(BERTH_CONCAT(berth_try_, __LINE__), declaration, expression)
#define BERTH_TRY_INNER(temporary, declaration, expression) \
  auto temporary = (expression);                            \
  if (!temporary.ok()) return temporary.error();            \
  declaration = std::move(temporary).value()

// BERTH_RETURN_IF_ERROR(check(x)): returns the error of a Status or Result, if it has one.
#define BERTH_RETURN_IF_ERROR(expression)                       \
  do {                                                          \
    if (auto berth_status = (expression); !berth_status.ok()) { \
      return berth_status.error();                              \
    }                                                           \
  } while (false)
