// SPDX-License-Identifier: Apache-2.0
// Members of config.json: by one of several names, with what the framework takes where the file leaves one out.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "files/json/json_value.h"

namespace berth {

class HfFields {
 public:
  // `model_type` says whose defaults fill in what is missing.
  HfFields(const JsonValue& root, std::string model_type) : root_(root), model_type_(std::move(model_type)) {}

  // The first of these names that is there and not null, or the model type's default for one of them.
  Result<std::int64_t> number(std::initializer_list<std::string_view> names, std::int64_t otherwise = 0) const;
  Result<std::int64_t> required(std::string_view name) const;
  Result<bool> truth(std::string_view name, bool otherwise) const;
  [[nodiscard]] std::string word(std::initializer_list<std::string_view> names) const;
  [[nodiscard]] std::vector<std::string> words(std::string_view name) const;  // texts of a list; empty: there is none

 private:
  // The largest of a list, for what some models say layer by layer.
  static Result<std::int64_t> largest(const JsonValue& value);
  [[nodiscard]] std::int64_t default_of(std::string_view name) const;  // 0: there is none

  const JsonValue& root_;
  std::string model_type_;
};

}  // namespace berth
