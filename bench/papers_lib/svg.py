# SPDX-License-Identifier: Apache-2.0
"""Charts of curves as SVG by hand: panels side by side, both axes logarithmic, bands for the range of seeds."""
import dataclasses
import math
from xml.sax.saxutils import escape

COLOURS = ("#1d4ed8", "#9ca3af", "#d97706", "#059669")
APART = ("#1d4ed8", "#d97706", "#059669")  # for lines of equal rank
COLUMNS = 3
WIDTH, HEIGHT = 300, 230        # of a panel
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 28, 40  # margins within it
HEADER, LEGEND = 30, 26
OOM = math.inf


@dataclasses.dataclass
class Series:
    name: str
    colour: str
    points: list        # (x, least, median, most); OOM where there is nothing to show
    dots: bool = False  # points that no line may claim to connect


@dataclasses.dataclass
class Panel:
    title: str
    x_label: str
    y_label: str
    series: list
    levels: list = dataclasses.field(default_factory=list)  # (name, y): lines across


class Axis:
    """Logarithmic, from `low` to `high` on pixels `begin` to `end`."""

    def __init__(self, values, begin, end):
        values = [value for value in values if 0 < value < OOM] or [1.0, 10.0]
        self.low, self.high = min(values), max(values)
        if self.high < self.low * 1.2:  # nothing to see: give it room
            self.low, self.high = self.low / 1.1, self.high * 1.1
        self.begin, self.end = begin, end

    def __call__(self, value):
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        """Round numbers; more of them where the axis is short."""
        for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), tuple(1 + 0.1 * i for i in range(90))):
            found = [factor * 10.0**power for power in range(-6, 9) for factor in factors
                     if self.low * 0.999 <= factor * 10.0**power <= self.high * 1.001]
            if len(found) >= 3:
                break
        every = math.ceil(len(found) / 6)
        return found[::every]


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def steps(points, axes, which):
    """Corners of a curve that holds its value until the next point. What is nearer than a pixel to the last is left out."""
    x_of, y_of = axes
    shown = [(x_of(point[0]), y_of(point[which])) for point in points if point[which] < OOM]
    found = shown[:1]
    for i, (x, y) in enumerate(shown[1:], 1):
        if i == len(shown) - 1 or abs(x - found[-1][0]) + abs(y - found[-1][1]) >= 1:
            found += [(x, found[-1][1]), (x, y)]
    return found


def path(corners):
    return "M" + " ".join(f"{x:.1f} {y:.1f}" for x, y in corners)


def draw_series(series, axes):
    if series.dots:
        return [f'<circle cx="{axes[0](x):.1f}" cy="{axes[1](middle):.1f}" r="3" fill="{series.colour}"/>'
                for x, _, middle, _ in series.points if middle < OOM]
    lines = []
    low, high = steps([point for point in series.points if point[3] < OOM], axes, 1), steps(series.points, axes, 3)
    if len(low) > 1 and low != high:
        lines.append(f'<path d="{path(low + high[::-1])} Z" fill="{series.colour}" opacity="0.15"/>')
    if middle := steps(series.points, axes, 2):
        lines.append(f'<path d="{path(middle)}" fill="none" stroke="{series.colour}" stroke-width="1.8"/>')
    return lines


def draw_axes(panel, axes):
    x_of, y_of = axes
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    lines = [f'<text x="{LEFT}" y="18" font-weight="bold">{escape(panel.title)}</text>',
             f'<text x="{(LEFT + right) / 2:.0f}" y="{HEIGHT - 6}" text-anchor="middle" fill="#4b5563">{escape(panel.x_label)}</text>',
             f'<text transform="translate(12 {(TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle" fill="#4b5563">'
             f'{escape(panel.y_label)}</text>']
    for x in x_of.ticks():
        lines.append(f'<path d="M{x_of(x):.1f} {TOP} V{bottom}" stroke="#eceff3"/>')
        lines.append(f'<text x="{x_of(x):.1f}" y="{bottom + 14}" text-anchor="middle" fill="#6b7280">{number(x)}</text>')
    for y in y_of.ticks():
        lines.append(f'<path d="M{LEFT} {y_of(y):.1f} H{right}" stroke="#eceff3"/>')
        lines.append(f'<text x="{LEFT - 5}" y="{y_of(y) + 4:.1f}" text-anchor="end" fill="#6b7280">{number(y)}</text>')
    lines.append(f'<path d="M{LEFT} {TOP} V{bottom} H{right}" fill="none" stroke="#9aa3af"/>')
    return lines


def draw_panel(panel, x, y):
    points = [point for series in panel.series for point in series.points if point[2] < OOM]
    axes = (Axis([point[0] for point in points], LEFT, WIDTH - RIGHT),
            Axis([value for point in points for value in point[1:]] + [level for _, level in panel.levels], HEIGHT - BOTTOM, TOP))
    lines = [f'<g transform="translate({x} {y})">', *draw_axes(panel, axes)]
    for name, level in panel.levels:
        at = axes[1](level)
        lines.append(f'<path d="M{LEFT} {at:.1f} H{WIDTH - RIGHT}" stroke="#374151" stroke-dasharray="4 3"/>')
        lines.append(f'<text x="{WIDTH - RIGHT - 2}" y="{at - 3:.1f}" text-anchor="end" fill="#374151">{escape(name)}</text>')
    for series in panel.series:
        lines += draw_series(series, axes)
    return [*lines, "</g>"]


def draw_legend(panels, y):
    """Every name once; all panels use one colour for it."""
    lines, x = [], 20
    for name, series in {series.name: series for panel in panels for series in panel.series}.items():
        mark = (f'<circle cx="{x + 10}" cy="{y - 4}" r="3" fill="{series.colour}"/>' if series.dots else
                f'<path d="M{x} {y - 4} h20" stroke="{series.colour}" stroke-width="2.5"/>')
        lines += [mark, f'<text x="{x + 26}" y="{y}">{escape(name)}</text>']
        x += 44 + 6.6 * len(name)
    return lines


def chart(title, panels, columns=COLUMNS):
    columns = max(1, min(columns, len(panels)))
    width = max(columns * WIDTH + 10, 640)
    height = HEADER + LEGEND + -(-len(panels) // columns) * HEIGHT + 6
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
             f"<title>{escape(title)}</title>", f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
             f'<g fill="#1f2937"><text x="20" y="20" font-size="14" font-weight="bold">{escape(title)}</text>',
             *draw_legend(panels, HEADER + 14)]
    for i, panel in enumerate(panels):
        lines += draw_panel(panel, (i % columns) * WIDTH, HEADER + LEGEND + i // columns * HEIGHT)
    return "\n".join([*lines, "</g></svg>"]) + "\n"
