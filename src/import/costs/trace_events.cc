// SPDX-License-Identifier: Apache-2.0
#include "import/costs/trace_events.h"

#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "base/units.h"
#include "files/json/json_reader.h"
#include "import/costs/costs_file.h"

namespace berth {
namespace {

constexpr std::string_view kEvents = "traceEvents";
constexpr double kLongest = kLongestTime * 1e6;

enum EventField : std::size_t {
  kEventPhase,
  kEventName,
  kEventCategory,
  kEventStart,
  kEventDuration,
  kEventProcess,
  kEventThread,
  kEventArguments
};
constexpr std::array<std::string_view, 8> kEventFields{"ph", "name", "cat", "ts", "dur", "pid", "tid", "args"};

// JsonDocument wants an object; an array becomes its only member.
std::string as_object(std::string text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string::npos || text[first] != '[') return text;
  text.replace(0, first, "{\"traceEvents\":");
  text += '}';
  return text;
}

class EventReader {
 public:
  Status read(const JsonValue& value) {
    TraceEvent event;
    bool is_complete = false, has_duration = false;
    std::string thread;
    const auto read_field = [&](std::size_t field, const JsonValue& member) -> Status {
      switch (field) {
        case kEventPhase: {
          BERTH_TRY(const std::string_view phase, member.string());
          is_complete = phase == "X";
          return {};
        }
        case kEventName:
          if (event.name.empty()) return read_text(member, event.name);
          return {};
        case kEventCategory:
          return read_text(member, event.category);
        case kEventStart:
          return read_number(member, event.start_us);
        case kEventDuration:
          has_duration = true;
          return read_number(member, event.duration_us);
        case kEventProcess:
          return read_id(member, 'p', thread);
        case kEventThread:
          return read_id(member, 't', thread);
        default:
          return read_arguments(member, event);
      }
    };
    BERTH_RETURN_IF_ERROR(value.fields(kEventFields, UnknownFields::kIgnore, read_field));
    if (!is_complete || !has_duration || event.name.empty()) return {};
    if (event.duration_us < 0.0 || event.duration_us > kLongest) {
      return value.error(fmt::format("\"dur\" is {}; expected 0 to {:g} microseconds", event.duration_us, kLongest));
    }
    event.thread = threads_.try_emplace(std::move(thread), static_cast<std::uint32_t>(threads_.size())).first->second;
    events_.push_back(std::move(event));
    return {};
  }

  std::vector<TraceEvent> take() && { return std::move(events_); }

 private:
  static Status read_text(const JsonValue& value, std::string& text) {
    BERTH_TRY(const std::string_view read, value.string());
    text = read;
    return {};
  }

  static Status read_number(const JsonValue& value, double& number) {
    BERTH_TRY(number, value.number());
    return {};
  }

  // Ids are numbers with most writers, texts with some.
  static Status read_id(const JsonValue& value, char mark, std::string& key) {
    if (const auto number = value.integer(std::numeric_limits<std::int64_t>::min())) {
      key += fmt::format("{}{} ", mark, *number);
    } else if (const auto text = value.string()) {
      key += fmt::format("{}{} ", mark, *text);
    } else {
      return value.expected("a number or a string");
    }
    return {};
  }

  // Anybody may write what he likes here: what is of another type than we look for is not what we look for.
  static Status read_arguments(const JsonValue& arguments, TraceEvent& event) {
    if (const auto name = arguments.find("name")) {
      if (const auto text = name->string(); text && !text->empty()) event.name = *text;
    }
    if (const auto provider = arguments.find("provider")) {
      if (const auto text = provider->string()) event.provider = *text;
    }
    for (const std::string_view key : {"External id", "external id"}) {
      const auto id = arguments.find(key);
      if (!id) continue;
      if (const auto number = id->integer()) event.external_id = *number;
    }
    return {};
  }

  std::vector<TraceEvent> events_;
  std::unordered_map<std::string, std::uint32_t> threads_;
};

}  // namespace

Result<std::vector<TraceEvent>> read_trace_events(std::string text) {
  BERTH_TRY(JsonDocument document, JsonDocument::open(as_object(std::move(text))));
  if (!document.has(kEvents)) {
    return bad_input("it is no trace: \"{}\" is missing; {}", kEvents, kReadableCosts);
  }
  EventReader reader;
  BERTH_RETURN_IF_ERROR(document.for_each(kEvents, [&](const JsonValue& event) { return reader.read(event); }));
  return std::move(reader).take();
}

}  // namespace berth
