// SPDX-License-Identifier: Apache-2.0
#include "app/learn/beliefs_output.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/output/output.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "files/json/json_writer.h"
#include "services/words.h"

namespace berth::app {
namespace {

using learn::Beliefs, learn::PolicyExplanation, learn::mostly;
using enum Table::Align;

constexpr std::size_t kGroupsShown = 20, kLooksShown = 5, kLooksWritten = 10;

struct Look {
  std::size_t group;
  double weight;
};

// What a group looked at, most first.
std::vector<Look> looks_of(const Beliefs::Group& group, std::size_t most) {
  std::vector<Look> looks;
  for (std::size_t i = 0; i < group.attention.size(); ++i) looks.push_back({i, group.attention[i]});
  std::ranges::stable_sort(looks, std::greater<>(), &Look::weight);
  looks.resize(std::min(looks.size(), most));
  return looks;
}

// One digit more than percent() has: of many groups every weight is small.
std::string weight_text(double weight) { return fmt::format("{:.1f} %", 100.0 * weight); }

// Those in use, largest first.
std::vector<std::size_t> groups_by_size(const Beliefs& beliefs) {
  std::vector<std::size_t> order(beliefs.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return beliefs.groups[i].ops.empty(); });
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return beliefs.groups[i].ops.size(); });
  return order;
}

const std::string& device_name(const PolicyExplanation& view, DeviceId device) {
  return view.problem().machine().device(device).name;
}

const std::string& chosen_name(const PolicyExplanation& view, const Beliefs::Group& group) {
  return device_name(view, view.beliefs.devices[group.chosen]);
}

std::string policy_line(const PolicyExplanation& view) {
  return fmt::format("policy of {}: {}\n", clean(view.run.name()), view.run.config.planner);
}

std::string group_table(const PolicyExplanation& view) {
  const Beliefs& beliefs = view.beliefs;
  const bool attends = std::ranges::any_of(beliefs.groups, [](const auto& group) { return !group.attention.empty(); });
  Table table({kRight, kRight, kLeft, kLeft, kRight, kRight, kLeft});
  table.add({"group", "ops", "mostly", "device", "chance", "entropy", attends ? "looked most at" : ""});
  const std::vector<std::size_t> order = groups_by_size(beliefs);
  for (std::size_t row = 0; row < std::min(order.size(), kGroupsShown); ++row) {
    const Beliefs::Group& group = beliefs.groups[order[row]];
    const std::vector<Look> looks = looks_of(group, 1);
    table.add({fmt::format("{}", order[row]), group_digits(group.ops.size()), mostly(view.problem().graph(), group.ops),
               chosen_name(view, group), percent(group.chances[group.chosen]), fmt::format("{:.2f}", group.entropy()),
               looks.empty() ? "" : fmt::format("group {} ({})", looks[0].group, weight_text(looks[0].weight))});
  }
  std::string text = table.text();
  if (order.size() > kGroupsShown) {
    text += fmt::format("and {} (--json has all of them)\n", counted(order.size() - kGroupsShown, "smaller group"));
  }
  return text;
}

std::string look_table(const PolicyExplanation& view, std::size_t number) {
  const Beliefs::Group& group = view.beliefs.groups[number];
  if (group.attention.empty()) return "";
  Table table({kRight, kRight, kRight, kLeft, kLeft});
  table.add({"group", "attention", "ops", "mostly", "device"});
  for (const Look& look : looks_of(group, kLooksShown)) {
    const Beliefs::Group& other = view.beliefs.groups[look.group];
    const bool empty = other.ops.empty();
    table.add({fmt::format("{}{}", look.group, look.group == number ? " (itself)" : ""), weight_text(look.weight),
               group_digits(other.ops.size()), empty ? "nothing" : mostly(view.problem().graph(), other.ops),
               empty ? "-" : chosen_name(view, other)});
  }
  return fmt::format("\nwhat the Placer looked at when it chose ({} is an even share)\n{}",
                     weight_text(1.0 / static_cast<double>(group.attention.size())), table.text("  "));
}

// "in group 17 with 311 others, mostly encoder.layer.1; 84 % sure of the group"
std::string membership(const PolicyExplanation& view, OpId op, std::size_t number) {
  const Beliefs& beliefs = view.beliefs;
  const std::size_t others = beliefs.groups[number].ops.size() - 1;
  std::string text = others == 0 ? fmt::format("alone in group {}", number)
                                 : fmt::format("in group {} with {}, mostly {}", number, counted(others, "other op"),
                                               clean(mostly(view.problem().graph(), beliefs.groups[number].ops)));
  if (!beliefs.grouping_chances.empty()) {
    text += fmt::format("; the Grouper is {} sure of that group", percent(beliefs.grouping_chances[index(op)]));
  }
  return text;
}

void write_head(JsonWriter& json, const PolicyExplanation& view) {
  const Beliefs& beliefs = view.beliefs;
  json.key("title").value(view.problem().graph().title()).key("machine").value(view.problem().machine().name());
  json.key("policy").value(view.run.given).key("planner").value(view.run.config.planner);
  json.key("updates").value(view.run.checkpoint.state.updates);
  json.key("groups_used").value(beliefs.used_groups()).key("groups_possible").value(beliefs.groups.size());
}

void write_group(JsonWriter& json, const PolicyExplanation& view, std::size_t number) {
  const Beliefs::Group& group = view.beliefs.groups[number];
  json.key("group").value(number).key("ops").value(group.ops.size());
  json.key("mostly").value(mostly(view.problem().graph(), group.ops));
  json.key("device").value(chosen_name(view, group)).key("entropy").value(group.entropy());
  json.key("chances").begin_object();
  for (std::size_t i = 0; i < group.chances.size(); ++i) {
    json.key(device_name(view, view.beliefs.devices[i])).value(group.chances[i]);
  }
  json.end_object().key("attention").begin_array();
  for (const Look& look : looks_of(group, kLooksWritten)) {
    json.begin_object().key("group").value(look.group).key("weight").value(look.weight).end_object();
  }
  json.end_array();
}

}  // namespace

std::string beliefs_text(const PolicyExplanation& view) {
  const Beliefs& beliefs = view.beliefs;
  return fmt::format(
      "{}\n{}{} of {} in use; entropy in nats: 0.00 is sure, {:.2f} has no idea which of {} to take\n\n{}",
      headline(view.problem()), policy_line(view), group_digits(beliefs.used_groups()),
      counted(beliefs.groups.size(), "group"), std::log(static_cast<double>(beliefs.devices.size())),
      counted(beliefs.devices.size(), "device"), group_table(view));
}

std::string beliefs_json(const PolicyExplanation& view) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_head(json, view);
  json.key("groups").begin_array(JsonLayout::kLines);
  for (const std::size_t number : groups_by_size(view.beliefs)) {
    json.begin_object();
    write_group(json, view, number);
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).take();
}

std::string belief_text(const PolicyExplanation& view, OpId op) {
  const Graph& graph = view.problem().graph();
  const Beliefs& beliefs = view.beliefs;
  std::string text = fmt::format("{} ({})\n{}", bold(graph.name(op)), clean(graph.type(op)), policy_line(view));
  const std::string& likeliest = device_name(view, beliefs.plan.device(op));
  const std::int64_t group = beliefs.group_of[index(op)];
  if (group < 0) return text + fmt::format("nothing was decided for it: it can only be on {}\n", likeliest);
  const auto number = static_cast<std::size_t>(group);
  text +=
      fmt::format("it is {}\nthe policy's likeliest plan has it on {}", membership(view, op, number), bold(likeliest));
  if (view.best_plan)
    text += fmt::format(", the best plan of the run on {}", device_name(view, view.best_plan->device(op)));
  Table table({kLeft, kRight, kLeft});
  table.add({"device", "chance", ""});
  for (std::size_t i = 0; i < beliefs.devices.size(); ++i) {
    const double chance = beliefs.groups[number].chances[i];
    table.add({device_name(view, beliefs.devices[i]), percent(chance), bar(chance)});
  }
  return text + fmt::format("\n\n{}{}", table.text(), look_table(view, number));
}

std::string belief_json(const PolicyExplanation& view, OpId op) {
  const Graph& graph = view.problem().graph();
  const Beliefs& beliefs = view.beliefs;
  JsonWriter json;
  json.begin_object(JsonLayout::kLines);
  write_head(json, view);
  json.key("op").value(graph.name(op)).key("type").value(graph.type(op));
  json.key("likeliest_device").value(device_name(view, beliefs.plan.device(op))).key("best_plan_device");
  if (view.best_plan) {
    json.value(device_name(view, view.best_plan->device(op)));
  } else {
    json.null();
  }
  json.key("decided").value(beliefs.group_of[index(op)] >= 0);
  if (const std::int64_t group = beliefs.group_of[index(op)]; group >= 0) {
    if (!beliefs.grouping_chances.empty()) json.key("grouping_chance").value(beliefs.grouping_chances[index(op)]);
    json.key("choice").begin_object();
    write_group(json, view, static_cast<std::size_t>(group));
    json.end_object();
  }
  json.end_object();
  return std::move(json).take();
}

}  // namespace berth::app
