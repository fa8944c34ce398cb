# SPDX-License-Identifier: Apache-2.0
"""Charts as SVG, drawn by matplotlib. The same data make the same file, byte for byte (docs/decisions/0024-charts.md).

matplotlib is no part of what Berth needs: where it is missing and cannot be installed, a line says so and tables come all the same.
"""
import dataclasses
import functools
import importlib
import io
import pathlib
import sys

from lib import berth, files, paths
from lib.cli import say
from lib.results import OOM

COLOURS = ("#1d4ed8", "#9ca3af", "#d97706", "#059669")
APART = ("#1d4ed8", "#d97706", "#059669")  # for lines of equal rank
MANY = ("#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f", "#edc948", "#b07aa1", "#9c755f", "#bab0ac", "#ff9da7")
STYLE = {
    "svg.hashsalt": "berth", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 8.0, "axes.titlesize": 9.0,
    "axes.titleweight": "bold", "axes.titlelocation": "left", "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#9aa3af",
    "axes.labelcolor": "#4b5563", "xtick.color": "#6b7280", "ytick.color": "#6b7280", "grid.color": "#eceff3", "axes.grid": True,
    "axes.axisbelow": True, "legend.frameon": False, "lines.linewidth": 1.4,
}
PANEL_INCHES, LEGEND_INCHES = (3.2, 2.5), 0.3
# Of Debian's package, for another Python of the same version, such as that of a virtual environment.
DEBIAN_PACKAGES = "/usr/lib/python3/dist-packages"


@dataclasses.dataclass
class Series:
    name: str
    colour: str
    points: list        # (x, least, median, most); OOM where there is nothing to show
    dots: bool = False  # points that no line may claim to connect


@dataclasses.dataclass
class Panel:
    """Both axes are logarithmic."""
    title: str
    x_label: str
    y_label: str
    series: list
    levels: list = dataclasses.field(default_factory=list)  # (name, y): lines across


@functools.cache
def matplotlib():
    """The module without a screen, installed if need be; None if it cannot be had, which is said once."""
    for get_it in (lambda: None, install, lambda: sys.path.append(DEBIAN_PACKAGES)):
        get_it()
        try:
            found = importlib.import_module("matplotlib")
            importlib.import_module("matplotlib.figure")
            return found
        except ImportError:
            importlib.invalidate_caches()
    say("no chart is drawn: this Python has no matplotlib; install it by scripts/install-dependencies bench (Debian's python3-matplotlib), "
        "or by pip install matplotlib, and run the same command again")
    return None


def install():
    done = berth.run([paths.ROOT / "scripts" / "install-dependencies", "bench"])
    if done.errors.strip():
        say(done.errors.strip())


def write(path, figure):
    """Writes the SVG of a figure; whether it did: there is none without matplotlib."""
    if figure is None:
        return False
    text = io.StringIO()
    with matplotlib().rc_context(STYLE):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    files.write(pathlib.Path(path), text.getvalue())
    return True


def styled(draw):
    """Decorates a function that returns a figure: in our style, or None without matplotlib."""
    @functools.wraps(draw)
    def drawn(*words, **more):
        if matplotlib() is None:
            return None
        with matplotlib().rc_context(STYLE):
            return draw(*words, **more)
    return drawn


@styled
def curves(title, panels, columns=3):
    """Panels side by side, a line for each series with a band for the range of seeds, and one legend: a name has one colour."""
    columns = max(1, min(columns, len(panels)))
    rows = -(-len(panels) // columns)
    width, height = max(columns * PANEL_INCHES[0], 6.4), rows * PANEL_INCHES[1] + 2 * LEGEND_INCHES
    figure = matplotlib().figure.Figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(rect=(0, LEGEND_INCHES / height, 1, 1 - LEGEND_INCHES / height))
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    for panel, axes in zip(panels, figure.subplots(rows, columns, squeeze=False).flat):
        draw_panel(axes, panel)
    for axes in figure.axes[len(panels):]:
        axes.set_visible(False)
    handles = {name: handle for axes in figure.axes for handle, name in zip(*axes.get_legend_handles_labels())}
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="lower left", ncol=len(handles))
    return figure


def draw_panel(axes, panel):
    axes.set(title=panel.title, xlabel=panel.x_label, ylabel=panel.y_label, xscale="log", yscale="log")
    for name, level in panel.levels:
        axes.axhline(level, color="#374151", linestyle=(0, (4, 3)), linewidth=0.8)
        axes.annotate(name, (1.0, level), xycoords=axes.get_yaxis_transform(), ha="right", va="bottom", color="#374151")
    for series in panel.series:
        draw_series(axes, series)
    plain_ticks(axes)


def draw_series(axes, series):
    points = [point for point in series.points if point[2] < OOM]
    xs, middles = [point[0] for point in points], [point[2] for point in points]
    if series.dots:
        axes.plot(xs, middles, "o", markersize=4, color=series.colour, label=series.name)
        return
    # A curve holds its value until the next point.
    axes.plot(xs, middles, drawstyle="steps-post", color=series.colour, label=series.name)
    known = [point for point in points if point[3] < OOM]
    if any(point[1] != point[3] for point in known):
        axes.fill_between([point[0] for point in known], [point[1] for point in known], [point[3] for point in known], step="post",
                          color=series.colour, alpha=0.15, linewidth=0)


def plain_ticks(axes, show=None):
    """A few round numbers, as people write them, however short the axis is."""
    ticker = importlib.import_module("matplotlib.ticker")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(ticker.FixedLocator(round_numbers(*axis.get_view_interval())))
        axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: (show or number)(value)))
        axis.set_minor_locator(ticker.NullLocator())


def round_numbers(low, high):
    """Three to six of them between two positive numbers; finer ones where these are near."""
    found = []
    for factors in ((1,), (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), tuple(1 + 0.1 * i for i in range(90))):
        found = [factor * 10.0**power for power in range(-9, 10) for factor in factors if low <= factor * 10.0**power <= high]
        if len(found) >= 3:
            break
    return found[::-(-len(found) // 6) or 1]


def number(value):
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


@styled
def scatter(title, x_label, y_label, groups, show):
    """Pairs (x, y) by group on two equal logarithmic axes, with the line where they are the same; `show` writes a value."""
    figure = matplotlib().figure.Figure(figsize=(7.0, 5.2), layout="constrained")
    axes = figure.subplots()
    axes.set(title=title, xlabel=x_label, ylabel=y_label, xscale="log", yscale="log", aspect="equal")
    values = [value for pairs in groups.values() for pair in pairs for value in pair]
    axes.axline((min(values), min(values)), (2 * max(values), 2 * max(values)), color="#333333", linewidth=0.8)
    for colour, (name, pairs) in zip(MANY * len(groups), sorted(groups.items())):
        axes.plot(*zip(*pairs), "o", markersize=5, alpha=0.7, markeredgewidth=0, color=colour, label=name)
    axes.set(xlim=(min(values) / 1.2, max(values) * 1.2), ylim=(min(values) / 1.2, max(values) * 1.2))
    plain_ticks(axes, show)
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0))
    return figure
