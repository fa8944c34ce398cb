// SPDX-License-Identifier: Apache-2.0
#include "services/serving/llm_html.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "files/quoting.h"
#include "services/serving/llm_curves.h"
#include "services/serving/llm_export.h"
#include "services/serving/llm_facts.h"
#include "services/serving/llm_problems.h"

namespace berth {
namespace {

constexpr const char* kServingStyle = R"(
:root{color-scheme:light dark;--page:#f6f6f3;--surface:#fff;--text:#1b1f24;--muted:#626a74;--line:#e4e4df;--alarm:#c4262e;
--d0:#8a8f98;--d1:#2f5f9e;--d2:#c2701c;--d3:#1d7a4c;--d4:#8d4fa8;--d5:#b8427a;--d6:#3f8f9b;--d7:#7a6a2f}
@media (prefers-color-scheme:dark){:root{--page:#101317;--surface:#181c22;--text:#e8eaed;--muted:#9aa3ae;--line:#2a3039;
--alarm:#ff7b7f;--d0:#8b929c;--d1:#8ab4e8;--d2:#f0a257;--d3:#62c795;--d4:#c79be0;--d5:#ee8ab8;--d6:#7fd0dc;--d7:#d3c27a}}
*{box-sizing:border-box}
body{margin:0;padding:24px;background:var(--page);color:var(--text);font:14px/1.45 system-ui,sans-serif}
main{max-width:1000px;margin:auto}
h1{font-size:22px;margin:0 0 4px}h2{font-size:16px;margin:28px 0 8px}
p,li{color:var(--muted);max-width:100ch}b{color:var(--text)}
pre{background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:12px;overflow-x:auto;white-space:pre-wrap}
.card{background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:12px;margin:8px 0;overflow-x:auto}
.alarm{color:var(--alarm)}svg{display:block;max-width:100%}svg text{fill:var(--muted);font:12px system-ui,sans-serif}
svg .axis{stroke:var(--line)}svg .limit{stroke:var(--alarm);stroke-dasharray:4 3}
.cells{display:flex;flex-wrap:wrap;gap:2px}.cells i{width:18px;height:22px;border-radius:3px;font:9px/22px system-ui;text-align:center;
color:var(--page);font-style:normal}
)";

constexpr std::size_t kColours = 8;
constexpr double kWidth = 930, kHeight = 180, kLeft = 70, kTop = 14, kBottom = 26;

std::string colour(DeviceId device) { return fmt::format("var(--d{})", index(device) % kColours); }
std::string name_in(const LlmAnswer& answer, DeviceId device) {
  return markup_text(answer.machine->device(device).name);
}
std::string count_words(std::int64_t count) { return group_digits(static_cast<std::uint64_t>(count)); }
std::string speed_words(double tokens) {
  return tokens >= 100 ? fmt::format("{:.0f}", tokens) : fmt::format("{:.3g}", tokens);
}

// Where values stand in a picture whose axis ends at `most`.
struct Scale {
  double most = 1.0;
  std::size_t points = 2;
  [[nodiscard]] double x(std::size_t i) const {
    const double share = points < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(points - 1);
    return kLeft + share * (kWidth - kLeft - 130.0);
  }
  [[nodiscard]] double y(double value) const {
    return kTop + (1.0 - std::min(value, most) / most) * (kHeight - kTop - kBottom);
  }
};

std::string frame(const std::string& inside) {
  return fmt::format("<div class=\"card\"><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" role=\"img\">{2}</svg></div>\n",
                     kWidth, kHeight, inside);
}

std::string ticks(const Scale& scale, const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", scale.x(i), kHeight - 8,
                        numbers[i] >= 1024 ? fmt::format("{:.3g}k", static_cast<double>(numbers[i]) / 1024.0)
                                           : fmt::format("{}", numbers[i]));
  }
  return text;
}

// The area between two lines.
std::string band(const Scale& scale, const std::vector<double>& low, const std::vector<double>& high,
                 const std::string& fill, double opacity, const std::string& title) {
  std::string points;
  for (std::size_t i = 0; i < high.size(); ++i) points += fmt::format("{:.1f},{:.1f} ", scale.x(i), scale.y(high[i]));
  for (std::size_t i = low.size(); i-- > 0;) points += fmt::format("{:.1f},{:.1f} ", scale.x(i), scale.y(low[i]));
  return fmt::format("<polygon points=\"{}\" fill=\"{}\" opacity=\"{:.2f}\"><title>{}</title></polygon>", points, fill,
                     opacity, title);
}

std::string memory_picture(const LlmAnswer& answer, const LlmCurves& curves, const MemoryCurve& curve) {
  Scale scale{.most = static_cast<double>(curve.capacity), .points = curves.contexts.size()};
  std::vector<double> zero(curve.weights.size(), 0.0), weights = zero, cache = zero, all = zero;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = static_cast<double>(curve.weights[i]);
    cache[i] = weights[i] + static_cast<double>(curve.cache[i]);
    all[i] = cache[i] + static_cast<double>(curve.runtime[i]);
  }
  scale.most = 1.05 * std::max(scale.most, *std::ranges::max_element(all));
  const std::string fill = colour(curve.device);
  std::string inside = band(scale, zero, weights, fill, 1.0, "weights") +
                       band(scale, weights, cache, fill, 0.6, "cache") + band(scale, cache, all, fill, 0.3, "runtime");
  const double limit = scale.y(static_cast<double>(curve.capacity));
  inside += fmt::format("<line class=\"limit\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>", kLeft,
                        scale.x(scale.points - 1), limit);
  inside += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 6, limit + 4,
                        format_bytes(curve.capacity));
  inside += fmt::format("<text x=\"0\" y=\"{}\">{}</text>", kHeight - 8, name_in(answer, curve.device));
  return frame(inside + ticks(scale, curves.contexts));
}

// Labels of lines that end here, from the top down: as near to their ends as they can be without touching.
std::vector<double> label_places(std::vector<double> ends) {
  constexpr double kLine = 13.0;
  std::vector<std::size_t> order(ends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return ends[k]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    ends[order[i]] = std::max(ends[order[i]], ends[order[i - 1]] + kLine);
  }
  return ends;
}

std::string speed_picture(const LlmCurves& curves) {
  Scale scale{.most = 1e-9, .points = curves.depths.size()};
  for (const SpeedCurve& curve : curves.speeds)
    scale.most = std::max(scale.most, 1.05 * *std::ranges::max_element(curve.tokens_per_s));
  std::string inside = fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft - 6,
                                   scale.y(scale.most) + 10, speed_words(scale.most));
  std::vector<double> ends;
  for (const SpeedCurve& curve : curves.speeds) ends.push_back(scale.y(curve.tokens_per_s.back()));
  const std::vector<double> labels = label_places(ends);
  for (std::size_t k = 0; k < curves.speeds.size(); ++k) {
    const SpeedCurve& curve = curves.speeds[k];
    std::string points;
    for (std::size_t i = 0; i < curve.tokens_per_s.size(); ++i) {
      points += fmt::format("{:.1f},{:.1f} ", scale.x(i), scale.y(curve.tokens_per_s[i]));
    }
    inside +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"var(--d{})\" stroke-width=\"2\"/>", points, k + 1);
    inside += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{} at once: {}</text>", scale.x(scale.points - 1) + 4,
                          labels[k] + 4, curve.sequences, speed_words(curve.tokens_per_s.back()));
  }
  return frame(inside + ticks(scale, curves.depths));
}

std::string layer_cells(const LlmAnswer& answer) {
  std::string cells;
  const llm::Placement& placement = answer.placement();
  for (std::size_t i = 0; i < placement.home.size(); ++i) {
    const DeviceId home = placement.home[i];
    const auto away = std::ranges::find_if(placement.moved[i], [&](DeviceId id) { return id != home; });
    const bool is_split = away != placement.moved[i].end();
    const std::string fill =
        is_split ? fmt::format("linear-gradient(0deg,{0} 50%,{1} 50%)", colour(*away), colour(home)) : colour(home);
    const std::string words =
        is_split ? fmt::format("layer {} on {}, feed-forward on {}", i, name_in(answer, home), name_in(answer, *away))
                 : fmt::format("layer {} on {}", i, name_in(answer, home));
    cells += fmt::format("<i style=\"background:{}\" title=\"{}\">{}</i>", fill, words, i);
  }
  std::string legend;
  for (const DeviceId id : answer.machine->device_ids()) {
    legend += fmt::format("<span style=\"color:{}\">&#9632;</span> {} ", colour(id), name_in(answer, id));
  }
  return fmt::format("<div class=\"card\"><div class=\"cells\">{}</div><p>{}</p></div>\n", cells, legend);
}

std::string change_picture(const LlmAnswer& answer) {
  std::vector<std::pair<std::string, double>> bars;
  if (answer.verdict().fits) bars.emplace_back("as it is", answer.verdict().request_s);
  for (const llm::WhatIf& what : answer.what_ifs) {
    if (what.fits) bars.emplace_back(what.change, what.request_s);
  }
  if (bars.size() < 2) return "";
  const double most = std::ranges::max(bars, {}, &std::pair<std::string, double>::second).second;
  std::string inside;
  double y = 8;
  for (const auto& [name, seconds] : bars) {
    inside += fmt::format(
        "<text x=\"0\" y=\"{:.0f}\">{}</text><rect x=\"240\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"14\" "
        "fill=\"var(--d1)\"/>"
        "<text x=\"{:.1f}\" y=\"{:.0f}\">{}</text>",
        y + 12, markup_text(name), y, 560.0 * seconds / most, 246.0 + 560.0 * seconds / most, y + 12,
        format_seconds(seconds));
    y += 22;
  }
  return fmt::format(
      "<h2>With other hardware</h2><p>Time of {0}: shorter is better.</p><div class=\"card\"><svg viewBox=\"0 0 {1} "
      "{2:.0f}\" "
      "width=\"{1}\" role=\"img\">{3}</svg></div>\n",
      answer.is_request() ? "a request" : "what is minimised", kWidth, y, inside);
}

std::string speed_text(const LlmAnswer& answer) {
  const llm::Verdict& verdict = answer.verdict();
  if (!verdict.fits)
    return fmt::format("<p class=\"alarm\">It does not fit: {} too much.</p>\n", format_bytes(verdict.over));
  const std::int64_t sequences = answer.options.cache.sequences;
  const double decode = answer.decode_tokens(verdict.decode_s);
  std::string text = fmt::format("<p>It writes <b>{} tokens a second</b>", speed_words(decode));
  if (sequences > 1)
    text += fmt::format(" in all, {} for each of {} sequences,", speed_words(decode / static_cast<double>(sequences)),
                        sequences);
  text += fmt::format(" and reads prompts at <b>{}</b>.", speed_words(answer.prefill_tokens(verdict.prompt_s)));
  if (answer.is_request()) {
    text += fmt::format(" The first word of an answer to {} tokens comes after {}, the last of {} after <b>{}</b>.",
                        count_words(static_cast<std::int64_t>(answer.options.mix.prompt)),
                        format_seconds(answer.first_token_s(verdict)),
                        count_words(static_cast<std::int64_t>(answer.options.mix.generated)),
                        format_seconds(verdict.request_s));
  }
  return text + fmt::format(" A real run may be {:.2f} to {:.2f} times as fast as the first of these says.</p>\n",
                            kDecodeBand.low, kDecodeBand.high);
}

std::string problem_list(const LlmAnswer& answer) {
  std::string lines;
  for (const LlmProblem& problem : problems_of(answer))
    lines += fmt::format("<li>{}</li>", markup_text(line_of(problem)));
  for (const std::string& note : answer.notes) lines += fmt::format("<li>{}</li>", markup_text(note));
  return lines.empty() ? "" : fmt::format("<h2>To know</h2><ul>{}</ul>\n", lines);
}

}  // namespace

Result<std::string> llm_html(const LlmAnswer& answer) {
  BERTH_TRY(const LlmCurves curves, curves_of(answer));
  std::string memory;
  for (const MemoryCurve& curve : curves.memory) memory += memory_picture(answer, curves, curve);
  const auto paste = text_to_paste(answer, answer.options.runtime);
  const std::string flags =
      answer.verdict().fits && paste
          ? fmt::format("<h2>To paste ({})</h2><pre>{}</pre>\n", name_of(answer.options.runtime), markup_text(*paste))
          : "";
  const std::string title =
      fmt::format("{} on {}", markup_text(answer.model->title), markup_text(answer.machine->name()));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width\">"
      "<title>{0}</title><style>{1}</style></head>\n<body><main><h1>{0}</h1>\n{2}{3}<h2>Layers</h2>\n{4}"
      "<h2>Memory over the context</h2><p>Weights, cache and what the runtime takes, from dark to light; the dashed "
      "line is "
      "what the device has. This plan, with other contexts, for {5} sequence{6}.</p>\n{7}"
      "<h2>Tokens a second over what is in the caches</h2><p>Of all sequences "
      "together.</p>\n{8}{9}{10}</main></body></html>\n",
      title, kServingStyle, speed_text(answer), problem_list(answer), layer_cells(answer),
      answer.options.cache.sequences, answer.options.cache.sequences == 1 ? "" : "s", memory, speed_picture(curves),
      change_picture(answer), flags);
}

}  // namespace berth
