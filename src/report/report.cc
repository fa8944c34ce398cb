// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include "report/blob.h"
#include "report/graph_section.h"
#include "report/page.h"
#include "report/plan_section.h"

#include "files/json/json_writer.h"
#include "files/quoting.h"

namespace berth::report {
namespace {

constexpr std::string_view kReportFormat = "berth-report/1";

// JSON inside <script>: no "<" may begin a tag there.
std::string without_tags(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string head_json(const ReportContent& content, Blob& blob) {
  JsonWriter json;
  json.begin_object();
  json.key("format").value(kReportFormat).key("version").value(content.version);
  json.key("objective").value(objective_name(content.problem.objective()));
  write_machine(json, content.problem);
  write_graph(json, blob, content.problem);
  json.key("yardsticks").begin_array();
  for (const Yardstick& yardstick : content.yardsticks) {
    json.begin_object().key("name").value(yardstick.name).key("note").value(yardstick.note);
    json.key("step_s").value(yardstick.step_s).end_object();
  }
  json.end_array();
  json.key("plans").begin_array();
  for (std::size_t i = 0; i < content.plans.size(); ++i) {
    write_plan(json, blob, content.problem, content.plans[i], fmt::format("plan{}.", i));
  }
  json.end_array();
  blob.write_index(json);
  json.end_object();
  return std::move(json).take();
}

// The template with every mark replaced, in one pass: what is put in is not searched again.
std::string filled(std::string_view html, std::string_view (*value)(std::string_view, const void*),
                   const void* context) {
  std::string text;
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t open = html.find("{{", at);
    const std::size_t close = open == std::string_view::npos ? open : html.find("}}", open);
    if (close == std::string_view::npos) return text += html.substr(at);
    text += html.substr(at, open - at);
    text += value(html.substr(open + 2, close - open - 2), context);
    at = close + 2;
  }
  return text;
}

}  // namespace

Result<std::string> html_report(const ReportContent& content) {
  BERTH_CHECK(!content.plans.empty());
  const Page source = page();
  if (source.html.empty()) return bad_input("this build has no HTML report; build it with -DBERTH_REPORT=ON");
  struct Values {
    std::string title, report, data;
    Page source;
  } values;
  Blob blob;
  values.report = without_tags(head_json(content, blob));
  values.data = blob.text();
  values.title = markup_text(content.problem.graph().title() + " on " + content.problem.machine().name());
  values.source = source;
  const auto value = [](std::string_view mark, const void* context) -> std::string_view {
    const auto& all = *static_cast<const Values*>(context);
    if (mark == "title") return all.title;
    if (mark == "style") return all.source.style;
    if (mark == "report") return all.report;
    if (mark == "data") return all.data;
    BERTH_CHECK(mark == "script");
    return all.source.script;
  };
  return filled(source.html, value, &values);
}

}  // namespace berth::report
