// SPDX-License-Identifier: Apache-2.0
#include "files/json/json_reader.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/text.h"
#include "base/units.h"
#include "files/text_lines.h"

namespace berth {
namespace {

constexpr std::size_t kFirstCapacity = 4096;  // more than most ops take; grows when one takes more

std::string_view syntax_message(simdjson::error_code code) {
  switch (code) {
    case simdjson::UTF8_ERROR:
      return "the text is not valid UTF-8";
    case simdjson::DEPTH_ERROR:
      return "the JSON is nested too deeply (at most 1024 levels)";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed or out of range";
    case simdjson::STRING_ERROR:
      return "a string is malformed";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed";
    case simdjson::UNESCAPED_CHARS:
      return "a string holds a control character that is not escaped";
    case simdjson::T_ATOM_ERROR:
    case simdjson::F_ATOM_ERROR:
    case simdjson::N_ATOM_ERROR:
      return "expected true, false or null";
    case simdjson::MEMALLOC:
      return "there is not enough memory to parse it";
    default:
      return "the JSON is malformed";
  }
}

}  // namespace

JsonDocument::JsonDocument(std::string text, std::size_t max_value_bytes)
    : padded_(std::move(text)),
      size_(padded_.size()),
      max_value_bytes_(max_value_bytes),
      parser_(std::make_unique<simdjson::dom::parser>()) {
  padded_.append(simdjson::SIMDJSON_PADDING, '\0');
}

Result<JsonDocument> JsonDocument::open(std::string text, std::size_t max_value_bytes) {
  JsonDocument document(std::move(text), max_value_bytes);
  if (document.parser_->allocate(kFirstCapacity) != simdjson::SUCCESS)
    return bad_input("there is no memory for a parser");
  BERTH_RETURN_IF_ERROR(document.read_outline());
  return document;
}

Status JsonDocument::read_outline() {
  JsonScanner scanner(text(), text().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  if (scanner.at_end()) return bad_input("it is empty");
  BERTH_RETURN_IF_ERROR(scanner.expect('{', "at the beginning: this is no JSON object"));
  BERTH_RETURN_IF_ERROR(read_members(scanner));
  if (!scanner.at_end()) return scanner.error("there is more text after the end of the root object");
  return {};
}

Status JsonDocument::enter(std::string_view key) {
  const Member* member = find(key);
  if (member == nullptr) return missing(key);
  JsonScanner scanner(text().substr(0, member->value.end), member->value.begin);
  if (!scanner.accept('{')) return bad_input("{}: expected an object", key);
  members_.clear();
  return read_members(scanner);
}

Status JsonDocument::read_members(JsonScanner& scanner) {
  for (bool more = !scanner.accept('}'); more;) {
    BERTH_TRY(const JsonSpan quoted_key, scanner.string());
    BERTH_TRY(const simdjson::dom::element key, parse(quoted_key, [] { return "a member's name"; }));
    BERTH_RETURN_IF_ERROR(scanner.expect(':', "after a member's name"));
    BERTH_TRY(const JsonSpan value, scanner.value());
    members_.push_back({std::string(key.get_string().value_unsafe()), value});
    more = scanner.accept(',');
    if (!more)
      BERTH_RETURN_IF_ERROR(scanner.expect('}', fmt::format("after the member {}", in_quotes(members_.back().key))));
  }
  // By name, so that each is found quickly: a plan of another program has as many as the model has layers.
  std::ranges::sort(members_, {}, [](const Member& member) { return std::tie(member.key, member.value.begin); });
  const auto twice = std::ranges::adjacent_find(members_, {}, &Member::key);
  if (twice == members_.end()) return {};
  return scanner.error_at(std::next(twice)->value.begin,
                          fmt::format("the member {} is there twice", in_quotes(twice->key)));
}

Result<simdjson::dom::element> JsonDocument::parse(JsonSpan span, const std::function<std::string()>& path) {
  if (span.size() > max_value_bytes_) {
    return bad_input("{}: it takes {} of text; at most {} is read", path(),
                     format_bytes(static_cast<Bytes>(span.size())), format_bytes(static_cast<Bytes>(max_value_bytes_)));
  }
  simdjson::dom::element element;
  const auto code = parser_->parse(padded_.data() + span.begin, span.size(), false).get(element);
  if (code == simdjson::SUCCESS) return element;
  return JsonScanner(text()).error_at(span.begin, fmt::format("{}: {}", path(), syntax_message(code)));
}

const JsonDocument::Member* JsonDocument::find(std::string_view key) const {
  const auto found = std::ranges::lower_bound(members_, key, {}, &Member::key);
  return found != members_.end() && found->key == key ? &*found : nullptr;
}

Error JsonDocument::missing(std::string_view key) const { return bad_input("\"{}\" is missing", key); }

Result<JsonValue> JsonDocument::member(std::string_view key) {
  const Member* member = find(key);
  if (member == nullptr) return missing(key);
  BERTH_TRY(const simdjson::dom::element element, parse(member->value, [&] { return member->key; }));
  return JsonValue(element, member->key);
}

Result<std::string> JsonDocument::string(std::string_view key) {
  BERTH_TRY(const JsonValue value, member(key));
  BERTH_TRY(const std::string_view text, value.string());
  return std::string(text);
}

Status JsonDocument::for_each(std::string_view key, const JsonValue::Visit& visit) {
  const Member* member = find(key);
  if (member == nullptr) return missing(key);
  JsonScanner scanner(text().substr(0, member->value.end), member->value.begin);
  if (!scanner.accept('[')) return bad_input("{}: expected an array", key);
  std::size_t index = 0;
  for (bool more = !scanner.accept(']'); more; ++index) {
    BERTH_TRY(const JsonSpan span, scanner.value());
    BERTH_TRY(const simdjson::dom::element element, parse(span, [&] { return fmt::format("{}[{}]", key, index); }));
    BERTH_RETURN_IF_ERROR(visit(JsonValue(element, nullptr, member->key, index)));
    more = scanner.accept(',');
    if (!more) BERTH_RETURN_IF_ERROR(scanner.expect(']', fmt::format("after {}[{}]", key, index)));
  }
  return {};
}

Status JsonDocument::check_members(std::span<const std::string_view> known) const {
  const Member* first = nullptr;  // as the text has them
  for (const Member& member : members_) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    if (first == nullptr || member.value.begin < first->value.begin) first = &member;
  }
  if (first == nullptr) return {};
  return bad_input("unknown member {}{}", in_quotes(first->key), did_you_mean(first->key, known));
}

Status check_format(JsonDocument& document, std::string_view wanted) {
  BERTH_TRY(const std::string format, document.string("format"));
  if (format == wanted) return {};
  return bad_input("its format is {}, expected {}", in_quotes(format), in_quotes(wanted));
}

}  // namespace berth
