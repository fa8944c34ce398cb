// SPDX-License-Identifier: Apache-2.0
// `berth explain --policy RUN` in `berth-learned`: how likely a trained policy holds every device.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/explain.h"
#include "app/learned.h"
#include "app/output/output.h"
#include "app/output/progress.h"
#include "app/output/terminal.h"
#include "base/text.h"
#include "files/json/json_writer.h"
#include "learn/run/explain_policy.h"
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
  json.members("title", view.problem().graph().title(), "machine", view.problem().machine().name(), "policy",
               view.run.given, "planner", view.run.config.planner, "updates", view.run.checkpoint.state.updates,
               "groups_used", view.beliefs.used_groups(), "groups_possible", view.beliefs.groups.size());
}

void write_group(JsonWriter& json, const PolicyExplanation& view, std::size_t number) {
  const Beliefs::Group& group = view.beliefs.groups[number];
  json.members("group", number, "ops", group.ops.size(), "mostly", mostly(view.problem().graph(), group.ops), "device",
               chosen_name(view, group), "entropy", group.entropy());
  json.object("chances", [&] {
    for (std::size_t i = 0; i < group.chances.size(); ++i) {
      json.members(device_name(view, view.beliefs.devices[i]), group.chances[i]);
    }
  });
  json.key("attention").begin_array();
  for (const Look& look : looks_of(group, kLooksWritten)) {
    json.begin_object().members("group", look.group, "weight", look.weight).end_object();
  }
  json.end_array();
}

// All groups: how large, where, how sure.
std::string beliefs_text(const PolicyExplanation& view) {
  const Beliefs& beliefs = view.beliefs;
  return fmt::format(
      "{}\n{}{} of {} in use; entropy in nats: 0.00 is sure, {:.2f} has no idea which of {} to take\n\n{}",
      headline(view.problem()), policy_line(view), group_digits(beliefs.used_groups()),
      counted(beliefs.groups.size(), "group"), std::log(static_cast<double>(beliefs.devices.size())),
      counted(beliefs.devices.size(), "device"), group_table(view));
}

std::string beliefs_json(const PolicyExplanation& view) {
  return json_document([&](JsonWriter& json) {
    write_head(json, view);
    json.objects("groups", groups_by_size(view.beliefs), [&](std::size_t number) { write_group(json, view, number); });
  });
}

// One op: its group, how likely every device is, what the Placer looked at.
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
  const std::int64_t group = beliefs.group_of[index(op)];
  std::optional<std::string> best;
  if (view.best_plan) best = device_name(view, view.best_plan->device(op));
  return json_document([&](JsonWriter& json) {
    write_head(json, view);
    json.members("op", graph.name(op), "type", graph.type(op), "likeliest_device",
                 device_name(view, beliefs.plan.device(op)), "best_plan_device", best, "decided", group >= 0);
    if (group < 0) return;
    if (!beliefs.grouping_chances.empty()) json.members("grouping_chance", beliefs.grouping_chances[index(op)]);
    json.object("choice", [&] { write_group(json, view, static_cast<std::size_t>(group)); });
  });
}

}  // namespace

Result<Exit> explain_policy(const ExplainFlags& flags) {
  BERTH_TRY(ProblemRequest problem, request_of(flags.problem));
  TerminalCaller caller(false);
  BERTH_TRY(const learn::PolicyExplanation why,
            learn::explain_policy({std::move(problem), flags.policy, flags.op}, caller));
  if (why.op) return printed(flags.json ? belief_json(why, *why.op) : belief_text(why, *why.op));
  return printed(flags.json ? beliefs_json(why) : beliefs_text(why));
}

}  // namespace berth::app
