// SPDX-License-Identifier: Apache-2.0
#include "runs/run_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "base/hasher.h"
#include "files/files.h"
#include "files/json/json_reader.h"
#include "files/json/json_writer.h"

namespace berth::learn {
namespace {

constexpr std::string_view kMembers[] = {"format",        "planner",     "preset",    "seed",    "threads",
                                         "policy_device", "tensorboard", "async",     "updates", "evaluations",
                                         "budget_s",      "lessons",     "objective", "costs",   "dims",
                                         "output_nodes",  "signature",   "tag",       "demands", "constraints",
                                         "unsupported",   "options"};

void write_texts(JsonWriter& json, std::string_view key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

// JSON readers take whole numbers up to this.
std::uint64_t within_json(std::uint64_t number) {
  return std::min<std::uint64_t>(number, std::numeric_limits<std::int64_t>::max());
}

void write_problem(JsonWriter& json, const ProblemWords& problem) {
  json.key("objective").value(problem.objective);
  write_texts(json, "costs", problem.costs);
  write_texts(json, "dims", problem.dims);
  write_texts(json, "output_nodes", problem.step.outputs);
  json.key("signature").value(problem.step.signature).key("tag").value(problem.step.tag);
  json.key("demands").begin_array();
  for (const auto& [form, text] : problem.demands) {
    json.begin_object().key("flag").value(form->name).key("text").value(text).end_object();
  }
  json.end_array();
  write_texts(json, "constraints", problem.constraints);
  write_texts(json, "unsupported", problem.unsupported);
}

Status read_texts(JsonDocument& document, std::string_view key, std::vector<std::string>& texts) {
  return document.for_each(key, [&](const JsonValue& value) -> Status {
    BERTH_TRY(const std::string_view text, value.string());
    texts.emplace_back(text);
    return {};
  });
}

Result<std::int64_t> read_whole(JsonDocument& document, std::string_view key, std::int64_t low = 0,
                                std::int64_t high = JsonValue::kLargest) {
  BERTH_TRY(const JsonValue value, document.member(key));
  return value.integer(low, high);
}

Result<bool> read_flag(JsonDocument& document, std::string_view key) {
  BERTH_TRY(const JsonValue value, document.member(key));
  return value.boolean();
}

Status read_demand(const JsonValue& value, ProblemWords& problem) {
  const auto flag = value.find("flag"), text = value.find("text");
  if (!flag || !text) return value.expected("an object with flag and text");
  BERTH_TRY(const std::string_view name, flag->string());
  BERTH_TRY(const std::string_view words, text->string());
  const auto forms = demand_forms();
  const auto form = std::ranges::find(forms, name, &DemandForm::name);
  if (form == forms.end()) return flag->error("there is no such flag");
  problem.demands.push_back({&*form, std::string(words)});
  return {};
}

Status read_problem(JsonDocument& document, ProblemWords& problem) {
  BERTH_TRY(problem.objective, document.string("objective"));
  BERTH_RETURN_IF_ERROR(read_texts(document, "costs", problem.costs));
  BERTH_RETURN_IF_ERROR(read_texts(document, "dims", problem.dims));
  BERTH_RETURN_IF_ERROR(read_texts(document, "output_nodes", problem.step.outputs));
  BERTH_TRY(problem.step.signature, document.string("signature"));
  BERTH_TRY(problem.step.tag, document.string("tag"));
  BERTH_RETURN_IF_ERROR(
      document.for_each("demands", [&](const JsonValue& value) { return read_demand(value, problem); }));
  BERTH_RETURN_IF_ERROR(read_texts(document, "constraints", problem.constraints));
  return read_texts(document, "unsupported", problem.unsupported);
}

void write_lesson(JsonWriter& json, const LessonConfig& lesson) {
  json.begin_object().key("graph").value(lesson.graph).key("machine").value(lesson.machine);
  json.key("graph_hash").value(lesson.graph_hash).key("machine_hash").value(lesson.machine_hash);
  json.key("problem_hash").value(lesson.problem_hash).end_object();
}

Status read_lesson_config(const JsonValue& value, LessonConfig& lesson) {
  constexpr std::array<std::string_view, 5> kNames{"graph", "machine", "graph_hash", "machine_hash", "problem_hash"};
  std::string* const texts[] = {&lesson.graph, &lesson.machine, &lesson.graph_hash, &lesson.machine_hash,
                                &lesson.problem_hash};
  const auto read_text = [&](std::size_t field, const JsonValue& member) -> Status {
    BERTH_TRY(*texts[field], member.string());
    return {};
  };
  BERTH_TRY(const std::uint32_t seen, value.fields(kNames, UnknownFields::kRefuse, read_text));
  const bool is_whole = seen == (1U << kNames.size()) - 1 && !lesson.graph.empty();
  return is_whole ? Status() : value.expected("an object with graph, machine and their hashes");
}

// A seed has 64 bits, more than numbers of JSON do, so it is a text.
Result<std::uint64_t> read_seed(JsonDocument& document) {
  BERTH_TRY(const std::string text, document.string("seed"));
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end) return bad_input("seed: {} is no whole number", in_quotes(text));
  return seed;
}

// An option as the file's words have it, set where the run's planner has it. Files of old runs hold those of all
// planners: these are checked and kept. The value comes back as it is written.
Result<std::string> read_option(Options& options, std::string_view name, const JsonValue& value) {
  BERTH_TRY(const std::string_view text, value.string());
  const auto set = [&](const Field& field, Options& target) -> Result<std::string> {
    BERTH_RETURN_IF_ERROR(field.set(target, text));
    return field.get(target);
  };
  if (const Field* const own = method_of(options).find(name)) return set(*own, options);
  Result<std::string> kept = value.error("there is no such option");
  for (const MethodInfo& other : methods()) {
    Options ignored = other.plain;
    if (const Field* const field = other.find(name)) kept = set(*field, ignored);
    if (kept) break;  // methods may take other words for the same option: one of them is enough
  }
  return kept;
}

// In the order of the method's row, however the file has them. Those of an old file that holds options of other
// planners too stay as they are, and so does its fingerprint.
void put_in_order(OptionWords& words, const MethodInfo& method) {
  const auto place = [&](const OptionWords::value_type& word) {
    return std::ranges::find(method.fields, word.first, &Field::name) - method.fields.begin();
  };
  const auto is_own = [&](const OptionWords::value_type& word) { return method.find(word.first) != nullptr; };
  if (std::ranges::all_of(words, is_own)) std::ranges::sort(words, {}, place);
}

// Options that the file does not have did not exist when the run began: they have the value that changes nothing, not
// that of a preset.
Status read_options(JsonDocument& document, RunConfig& config) {
  BERTH_RETURN_IF_ERROR(preset(config.planner, config.preset));
  config.options = find_method(config.planner)->plain;
  OptionWords& words = config.read_options;
  BERTH_TRY(const JsonValue options, document.member("options"));
  BERTH_RETURN_IF_ERROR(options.for_each_member([&](std::string_view key, const JsonValue& value) -> Status {
    BERTH_TRY(std::string text, read_option(config.options, key, value));
    if (std::ranges::find(words, key, &OptionWords::value_type::first) != words.end())
      return value.error("it is there twice");
    words.emplace_back(key, std::move(text));
    return {};
  }));
  if (words.empty()) return bad_input("options: there is none");
  put_in_order(words, method_of(config.options));
  return {};
}

Status read_limits(JsonDocument& document, Limits& limits) {
  BERTH_TRY(const std::int64_t updates, read_whole(document, "updates"));
  BERTH_TRY(const std::int64_t evaluations, read_whole(document, "evaluations"));
  BERTH_TRY(const JsonValue budget, document.member("budget_s"));
  BERTH_TRY(limits.time_s, budget.number());
  limits.updates = static_cast<std::uint64_t>(updates);
  limits.evaluations = static_cast<std::uint64_t>(evaluations);
  if (limits.time_s < 0.0) return bad_input("budget_s: {} is no time", limits.time_s);
  if (updates == 0 && evaluations == 0 && limits.time_s == 0.0)
    return bad_input("updates, evaluations and budget_s are all 0: the run would never end");
  return {};
}

Result<RunConfig> read(std::string text) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(std::move(text)));
  BERTH_RETURN_IF_ERROR(check_format(document, kRunFormat));
  BERTH_RETURN_IF_ERROR(document.check_members(kMembers));
  RunConfig config;
  BERTH_RETURN_IF_ERROR(read_problem(document, config.problem));
  BERTH_TRY(config.planner, document.string("planner"));
  BERTH_TRY(config.preset, document.string("preset"));
  BERTH_RETURN_IF_ERROR(read_options(document, config));
  BERTH_TRY(config.seed, read_seed(document));
  BERTH_TRY(const std::int64_t threads, read_whole(document, "threads", 1, 1024));
  config.threads = static_cast<int>(threads);
  BERTH_TRY(config.policy_device, document.string("policy_device"));
  BERTH_TRY(config.tensorboard, read_flag(document, "tensorboard"));
  BERTH_TRY(config.async, read_flag(document, "async"));
  BERTH_RETURN_IF_ERROR(read_limits(document, config.limits));
  BERTH_RETURN_IF_ERROR(document.for_each(
      "lessons", [&](const JsonValue& value) { return read_lesson_config(value, config.lessons.emplace_back()); }));
  if (config.lessons.empty()) return bad_input("lessons: there is none");
  return config;
}

}  // namespace

std::string LessonConfig::name() const { return machine.empty() ? graph : fmt::format("{} on {}", graph, machine); }

OptionWords RunConfig::option_words() const {
  if (!read_options.empty()) return read_options;
  OptionWords words;
  for (const Field& field : method_of(options).fields) words.emplace_back(field.name, field.get(options));
  return words;
}

std::string RunConfig::fingerprint() const {
  Hasher hasher;
  for (const LessonConfig& lesson : lessons) hasher.add(lesson.problem_hash);
  hasher.add(planner);
  hasher.add(seed);
  for (const auto& [name, value] : option_words()) {
    hasher.add(name);
    hasher.add(value);
  }
  return hasher.hex();
}

std::string write_config(const RunConfig& config) {
  JsonWriter json;
  json.begin_object(JsonLayout::kLines).key("format").value(kRunFormat);
  json.key("planner").value(config.planner).key("preset").value(config.preset);
  json.key("seed").value(std::to_string(config.seed)).key("threads").value(config.threads);
  json.key("policy_device").value(config.policy_device);
  json.key("tensorboard").value(config.tensorboard).key("async").value(config.async);
  json.key("updates").value(within_json(config.limits.updates));
  json.key("evaluations").value(within_json(config.limits.evaluations));
  json.key("budget_s").value(config.limits.time_s);
  write_problem(json, config.problem);
  json.key("lessons").begin_array(JsonLayout::kLines);
  for (const LessonConfig& lesson : config.lessons) write_lesson(json, lesson);
  json.end_array();
  json.key("options").begin_object(JsonLayout::kLines);
  for (const auto& [name, value] : config.option_words()) json.key(name).value(value);
  json.end_object().end_object();
  return std::move(json).take();
}

Result<RunConfig> read_config(std::string text, std::string_view where) {
  Result<RunConfig> config = read(std::move(text));
  if (!config) return in_file(where, config.error());
  return config;
}

}  // namespace berth::learn
