// SPDX-License-Identifier: Apache-2.0
// The learned methods, and what is known of them without libtorch: what each is called, what it can be told and its
// presets. One row each, which feeds the command line (--option NAME=VALUE), config.json of a run, --help and the
// documentation; src/learn holds what they do.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "runs/methods/colocrl.h"
#include "runs/methods/go.h"
#include "runs/methods/hierarchical.h"
#include "runs/methods/hsdag.h"
#include "runs/methods/placeto.h"

namespace berth::learn {

// A method is a type with Options, info() and learned(). All tables of methods are made of such a list.
template <typename... Method>
struct MethodList {
  using Options = std::variant<typename Method::Options...>;
};

// In the order in which they were published. The only list.
using LearnedMethods = MethodList<Colocrl, Hierarchical, Placeto, Go, Hsdag>;

// The options of some method: which one it is says whose they are.
using Options = LearnedMethods::Options;

// What all of them have.
const TrainingOptions& training_of(const Options& options);
TrainingOptions& training_of(Options& options);

using Field = FieldOf<Options>;  // of one method: for options of that method alone

struct Preset {
  std::string_view name;
  Options options;
};

// What a user can do who is told that a run does not go well.
struct Hints {
  std::string more_plans;   // for an update to measure more of them
  std::string apart;        // where all ops are in one group; empty: that is as it should be
  std::string more_groups;  // where nothing fits in memory; empty: nothing of that kind
};

struct MethodInfo {
  std::string_view name, summary;
  // Why a policy serves but the graph and the machine that it has learned from, in words. Empty: it serves any, can
  // learn from several problems at once, and plan for one that it has never seen.
  std::string_view why_not_general;
  std::vector<Field> fields;
  std::vector<Preset> presets;  // the first is `default`
  Options plain;                // without a preset: every option at the value that changes nothing
  std::function<Hints(const Options&)> hints;

  [[nodiscard]] bool is_general() const { return why_not_general.empty(); }
  [[nodiscard]] const Field* find(std::string_view option) const;  // nullptr if it has none of that name
};

// In the order of LearnedMethods.
std::span<const MethodInfo> methods();
const MethodInfo& method_of(const Options& options);
const MethodInfo* find_method(std::string_view name);  // nullptr if there is none
// "go and placeto": those that learn from several problems.
std::string general_methods();

// The options of a method and a preset. Errors name the nearest method or preset, and all there are.
Result<Options> preset(std::string_view method, std::string_view name);

// "groups=32". An option that this method does not have is refused: errors name the methods that have it, or the
// nearest option.
Status set_option(Options& options, std::string_view assignment);

}  // namespace berth::learn
