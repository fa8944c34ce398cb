// SPDX-License-Identifier: Apache-2.0
#include "report/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/units.h"
#include "files/quoting.h"

namespace berth::report {
namespace {

constexpr double kWidth = 760, kHeight = 440, kLeft = 72, kRight = 28, kTop = 92, kBottom = 64;
constexpr double kLetter = 7.2, kLine = 15;  // of the text, about
// Paul Tol's "bright" blue and red: told apart by colour-blind people, and by their lightness in print.
constexpr const char* kStyle =
    "text{font:13px "
    "system-ui,sans-serif;fill:#222;stroke:#fff;stroke-width:3px;paint-order:stroke}.title{font-size:16px;font-weight:"
    "600}.quiet{fill:#555}"
    ".grid{stroke:#ddd}.axis{stroke:#555}.rate{stroke:#4477aa;stroke-width:2.5;fill:none}.dot{fill:#4477aa}"
    ".bound{stroke:#aa3377;stroke-width:1.5;stroke-dasharray:6 "
    "4;fill:none}.square{fill:#fff;stroke:#aa3377;stroke-width:1.5}"
    ".open{fill:#fff;stroke:#4477aa;stroke-width:2}.none{stroke:#222;stroke-width:2}.enough{stroke:#888;stroke-"
    "dasharray:2 3}";

class Picture {
 public:
  explicit Picture(const Plot& plot) : plot_(plot) {
    double most = 0.0;
    for (const Plot::Point& point : plot.points) {
      most = std::max({most, point.rate.value_or(0.0), point.bound.value_or(0.0)});
    }
    ticks_ = ticks_up_to(most);
  }

  std::string draw() {
    begin();
    axes();
    enough();
    line("bound", &Plot::Point::bound);
    line("rate", &Plot::Point::rate);
    for (std::size_t i = 0; i < plot_.points.size(); ++i) mark(i);
    return svg_ + "</svg>\n";
  }

 private:
  template <typename... Args>
  void add(fmt::format_string<Args...> text, Args&&... args) {
    svg_ += fmt::format(text, std::forward<Args>(args)...);
  }
  void text(double x, double y, const std::string& words, const char* anchor = "start", const char* kind = "") {
    add("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor,
        *kind == '\0' ? "" : fmt::format(" class=\"{}\"", kind), markup_text(words));
  }
  [[nodiscard]] double x(std::size_t i) const {
    const double room = kWidth - kLeft - kRight;
    return kLeft + room * (static_cast<double>(i) + 0.5) / static_cast<double>(plot_.points.size());
  }
  [[nodiscard]] double y(double value) const {
    return kHeight - kBottom - (kHeight - kTop - kBottom) * value / ticks_.end;
  }

  void begin() {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
        "role=\"img\">\n",
        kWidth, kHeight);
    add("<title>{}</title>\n<desc>{}</desc>\n<style>{}</style>\n", markup_text(plot_.title), markup_text(in_words()),
        kStyle);
    add("<rect width=\"{}\" height=\"{}\" fill=\"#fff\"/>\n", kWidth, kHeight);
    text(20, 28, plot_.title, "start", "title");
    text(20, 48, plot_.verdict);
    add("<path class=\"rate\" d=\"M20 68h24\"/><circle class=\"dot\" cx=\"32\" cy=\"68\" r=\"4\"/>\n");
    text(50, 72, plot_.y_name);
    add("<path class=\"bound\" d=\"M240 68h24\"/><rect class=\"square\" x=\"248.5\" y=\"64.5\" width=\"7\" "
        "height=\"7\"/>\n");
    text(270, 72, "no plan can do more (lower bound of the step)");
  }

  [[nodiscard]] std::string in_words() const {
    std::string words = fmt::format("{} by {}:", plot_.y_name, plot_.x_name);
    for (const Plot::Point& point : plot_.points) {
      const std::string rate = point.rate ? format_count(*point.rate) : "";
      const bool both = point.rate && !point.note.empty();
      words += fmt::format(" {}: {}{}{};", point.label, rate, both ? ", " : "", point.note);
    }
    return words;
  }

  void axes() {
    const double right = kWidth - kRight;
    for (int i = 0; i * ticks_.step <= ticks_.end * (1.0 + 1e-9); ++i) {
      const double at = y(i * ticks_.step);
      add("<path class=\"{}\" d=\"M{} {:.1f}H{}\"/>\n", i == 0 ? "axis" : "grid", kLeft, at, right);
      text(kLeft - 8, at + 4, i == 0 ? "0" : format_count(i * ticks_.step), "end", "quiet");
    }
    for (std::size_t i = 0; i < plot_.points.size(); i += stride()) {
      text(x(i), kHeight - kBottom + 20, plot_.points[i].label, "middle");
    }
    text((kLeft + right) / 2, kHeight - 16, plot_.x_name, "middle", "quiet");
  }

  // Every so many values have words: as many as there is room for.
  [[nodiscard]] std::size_t stride() const {
    std::size_t longest = 1;
    for (const Plot::Point& point : plot_.points) {
      const std::string rate = point.rate ? format_count(*point.rate) : "";
      longest = std::max({longest, point.label.size(), point.note.size(), rate.size()});
    }
    const double column = (kWidth - kLeft - kRight) / static_cast<double>(plot_.points.size());
    return static_cast<std::size_t>(std::ceil(static_cast<double>(longest + 1) * kLetter / column));
  }

  void enough() {
    if (!plot_.enough) return;
    add("<path class=\"enough\" d=\"M{:.1f} {}V{}\"/>\n", x(*plot_.enough), kTop, kHeight - kBottom);
  }

  // Broken where a value has none.
  void line(const char* kind, std::optional<double> Plot::Point::*value) {
    std::string path;
    bool pen_down = false;
    for (std::size_t i = 0; i < plot_.points.size(); ++i) {
      const std::optional<double>& number = plot_.points[i].*value;
      if (number) path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x(i), y(*number));
      pen_down = number.has_value();
    }
    if (!path.empty()) add("<path class=\"{}\" d=\"{}\"/>\n", kind, path);
  }

  void mark(std::size_t i) {
    const Plot::Point& point = plot_.points[i];
    if (point.bound) {
      add("<rect class=\"square\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\"/>\n", x(i) - 3.5,
          y(*point.bound) - 3.5);
    }
    if (point.rate) {
      add("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>\n", point.note.empty() ? "dot" : "open", x(i),
          y(*point.rate));
    } else {
      add("<path class=\"none\" d=\"M{0:.1f} {1:.1f}l10 10m0 -10l-10 10\"/>\n", x(i) - 5, y(0.0) - 14);
    }
    if (i % stride() == 0) label(i);
  }

  // Below its point; above it where that would run into the axis, whose values stand there.
  void label(std::size_t i) {
    const Plot::Point& point = plot_.points[i];
    if (!point.rate) return text(x(i), y(0.0) - 20, point.note, "middle");
    const double lines = point.note.empty() ? 1 : 2;
    double at = y(*point.rate) + 20;
    if (at + (lines - 1) * kLine > y(0.0) - 5) at = y(*point.rate) - 10 - (lines - 1) * kLine;
    text(x(i), at, format_count(*point.rate), "middle");
    if (lines > 1) text(x(i), at + kLine, point.note, "middle", "quiet");
  }

  const Plot& plot_;
  AxisTicks ticks_;
  std::string svg_;
};

}  // namespace

AxisTicks ticks_up_to(double most) {
  if (!(most > 0.0) || !std::isfinite(most)) return {};
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  double step = power;
  if (most / power < 5.0) step = power / 2.0;
  if (most / power < 2.0) step = power / 5.0;
  return {step * std::ceil(most / step - 1e-9), step};
}

std::string svg_of(const Plot& plot) { return Picture(plot).draw(); }

}  // namespace berth::report
