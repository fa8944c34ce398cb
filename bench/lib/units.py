# SPDX-License-Identifier: Apache-2.0
"""Numbers as tables show them."""
import math
import re

from lib.results import OOM


def seconds(value):
    if value == OOM:
        return "OOM"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.3g} s" if value else "0 s"


def milliseconds(value):
    """Of columns whose head has the unit."""
    return "OOM" if value == OOM else f"{1e3 * value:.1f}"


def percent(share):
    return f"{100 * share:,.0f} %" if share >= 1 else f"{100 * share:.3g} %"


def ratio(value):
    if math.isnan(value):
        return "-"
    return "OOM" if value == OOM else f"{value:.3f}" if value < 10 else f"{value:.3g}"


def byte_count(value):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value} B"


def megabytes(value):
    return f"{value / 1e6:,.0f} MB"


def spread(median, least, most, show=seconds):
    """Median, and the range where it can be seen."""
    median, least, most = map(show, (median, least, most))
    return median if least == most else f"{median} [{least} .. {most}]"


def seeds(count):
    return "one seed" if count == 1 else f"{count} seeds"


def duration(text):
    """Seconds of a time as people write it; ValueError if it is none."""
    found = re.fullmatch(r"([0-9.]+)(ms|s|min)", text)
    if not found:
        raise ValueError(f"'{text}' is no time; write for example 500ms, 10s or 5min")
    return float(found[1]) * {"ms": 0.001, "s": 1, "min": 60}[found[2]]
