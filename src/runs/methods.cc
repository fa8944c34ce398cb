// SPDX-License-Identifier: Apache-2.0
#include "runs/methods.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace berth::learn {
namespace {

template <typename... Method>
auto rows_of(MethodList<Method...>) {
  return std::array{Method::info()...};
}

const auto& rows() {
  static const auto kRows = rows_of(LearnedMethods());
  return kRows;
}

std::vector<std::string_view> names_of(const std::vector<Field>& fields) {
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

std::vector<std::string_view> methods_with(std::string_view option) {
  std::vector<std::string_view> names;
  for (const MethodInfo& method : methods())
    if (method.find(option) != nullptr) names.push_back(method.name);
  return names;
}

// The nearest of its own options, else of all.
std::string nearest_option(const MethodInfo& method, std::string_view name) {
  std::vector<std::string_view> names = names_of(method.fields);
  if (const std::string own = did_you_mean(name, names); !own.empty()) return own;
  for (const MethodInfo& other : methods()) {
    const std::vector<std::string_view> more = names_of(other.fields);
    names.insert(names.end(), more.begin(), more.end());
  }
  return did_you_mean(name, names);
}

Error no_option(const MethodInfo& method, std::string_view name) {
  const std::vector<std::string_view> others = methods_with(name);
  if (others.empty()) return bad_input("no option named '{}'{}", name, nearest_option(method, name));
  return bad_input("option '{}' belongs to {}; {} has none of that name (berth planners --options {} lists its own)",
                   name, listed(others), method.name, method.name);
}

}  // namespace

const TrainingOptions& training_of(const Options& options) {
  return std::visit([](const TrainingOptions& own) -> const TrainingOptions& { return own; }, options);
}
TrainingOptions& training_of(Options& options) {
  return std::visit([](TrainingOptions& own) -> TrainingOptions& { return own; }, options);
}

const Field* MethodInfo::find(std::string_view option) const {
  const auto found = std::ranges::find(fields, option, &Field::name);
  return found != fields.end() ? &*found : nullptr;
}

std::span<const MethodInfo> methods() { return rows(); }

const MethodInfo& method_of(const Options& options) { return rows()[options.index()]; }

const MethodInfo* find_method(std::string_view name) {
  const auto found = std::ranges::find(rows(), name, &MethodInfo::name);
  return found != rows().end() ? &*found : nullptr;
}

std::string general_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.is_general()) names.emplace_back(method.name);
  std::ranges::sort(names);
  return join(names, " and ");
}

Result<Options> preset(std::string_view method, std::string_view name) {
  const MethodInfo* const info = find_method(method);
  if (info == nullptr) {
    std::vector<std::string_view> known;
    for (const MethodInfo& one : methods()) known.push_back(one.name);
    return bad_input("no learned planner named '{}'{} (there are {})", method, did_you_mean(method, known),
                     listed(known));
  }
  std::vector<std::string_view> known;
  for (const Preset& one : info->presets) {
    if (one.name == name) return one.options;
    known.push_back(one.name);
  }
  return bad_input("{} has no preset named '{}'{} (there are {})", method, name, did_you_mean(name, known),
                   listed(known));
}

Status set_option(Options& options, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string_view name = trim(assignment.substr(0, equals));
  const MethodInfo& method = method_of(options);
  const Field* const field = method.find(name);
  if (field == nullptr) return no_option(method, name);
  if (equals == std::string_view::npos) return bad_input("option '{}' needs a value: {}=VALUE", name, name);
  return field->set(options, trim(assignment.substr(equals + 1)));
}

}  // namespace berth::learn
