# SPDX-License-Identifier: Apache-2.0
"""The scatter plot: predicted against measured step time, both on logarithmic axes."""
import html
import math

SIZE, LEFT, BOTTOM, TOP, LEGEND = 460, 70, 50, 40, 190
COLOURS = ["#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1", "#9c755f", "#bab0ac", "#ff9da7"]


def time_text(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 0.9999:
            return f"{seconds * factor:g} {unit}"
    return f"{seconds:g} s"


def scatter(rows, title):
    """SVG text; rows that failed are left out."""
    rows = [row for row in rows if row["failed"] is None]
    times = [row[key] for row in rows for key in ("predicted_s", "measured_s")]
    low = math.floor(math.log10(min(times)) * 2) / 2
    high = max(math.ceil(math.log10(max(times)) * 2) / 2, low + 0.5)
    scale = SIZE / (high - low)

    def x(seconds):
        return LEFT + (math.log10(seconds) - low) * scale

    def y(seconds):
        return TOP + SIZE - (math.log10(seconds) - low) * scale
    graphs = sorted({row["graph"] for row in rows})
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + SIZE + LEGEND}" height="{TOP + SIZE + BOTTOM}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{LEFT}" y="22" font-size="15">{html.escape(title)}</text>']
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = 10.0 ** power
        parts += [f'<line x1="{x(at):.1f}" y1="{TOP}" x2="{x(at):.1f}" y2="{TOP + SIZE}" stroke="#ddd"/>',
                  f'<line x1="{LEFT}" y1="{y(at):.1f}" x2="{LEFT + SIZE}" y2="{y(at):.1f}" stroke="#ddd"/>',
                  f'<text x="{x(at):.1f}" y="{TOP + SIZE + 18}" text-anchor="middle">{time_text(at)}</text>',
                  f'<text x="{LEFT - 8}" y="{y(at) + 4:.1f}" text-anchor="end">{time_text(at)}</text>']
    first, last = 10.0 ** low, 10.0 ** high
    parts.append(f'<line x1="{x(first):.1f}" y1="{y(first):.1f}" x2="{x(last):.1f}" y2="{y(last):.1f}" stroke="#333"/>')
    for row in rows:
        colour = COLOURS[graphs.index(row["graph"]) % len(COLOURS)]
        name = html.escape(f'{row["graph"]}, {row["plan"]}: measured {time_text(round(row["measured_s"], 6))}, '
                           f'predicted {time_text(round(row["predicted_s"], 6))}')
        parts.append(f'<circle cx="{x(row["measured_s"]):.1f}" cy="{y(row["predicted_s"]):.1f}" r="4" fill="{colour}" '
                     f'fill-opacity="0.7"><title>{name}</title></circle>')
    for i, graph in enumerate(graphs):
        at = TOP + 14 + 18 * i
        parts += [f'<circle cx="{LEFT + SIZE + 16}" cy="{at - 4}" r="4" fill="{COLOURS[i % len(COLOURS)]}"/>',
                  f'<text x="{LEFT + SIZE + 26}" y="{at}">{html.escape(graph)}</text>']
    middle = LEFT + SIZE / 2
    parts += [f'<text x="{middle}" y="{TOP + SIZE + 40}" text-anchor="middle">measured step time</text>',
              f'<text x="16" y="{TOP + SIZE / 2}" text-anchor="middle" '
              f'transform="rotate(-90 16 {TOP + SIZE / 2})">predicted</text>', "</svg>"]
    return "\n".join(parts) + "\n"
