# SPDX-License-Identifier: Apache-2.0
"""What many numbers say together."""
import math
import random
import statistics

median = statistics.median
mean = statistics.fmean
deviation = statistics.stdev


def geometric_mean(values):
    """Of positive numbers; NaN of none."""
    values = list(values)
    return math.exp(statistics.fmean(map(math.log, values))) if values else math.nan


def upper_median(values):
    """The middle one, and the larger of the two middle ones if they are even: always one that was measured. None of none."""
    values = sorted(values)
    return values[len(values) // 2] if values else None


def quantile(values, share):
    """Between the two nearest values, in proportion; None of none."""
    values = sorted(values)
    if not values:
        return None
    at = share * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def bootstrap(values, statistic, share=0.9, draws=1000, seed=1):
    """The interval that holds the statistic of that share of samples drawn anew from the values (percentile bootstrap, Efron 1979);
    None of less than two. The same for the same values and seed."""
    values = list(values)
    if len(values) < 2:
        return None
    chance = random.Random(seed)
    found = [statistic(chance.choices(values, k=len(values))) for _ in range(draws)]
    return [quantile(found, (1 - share) / 2), quantile(found, (1 + share) / 2)]


def ranks(values):
    """Ranks from 1, equals share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    result = [0.0] * len(values)
    begin = 0
    while begin < len(order):
        end = begin
        while end + 1 < len(order) and values[order[end + 1]] == values[order[begin]]:
            end += 1
        for i in range(begin, end + 1):
            result[order[i]] = (begin + end) / 2 + 1
        begin = end + 1
    return result


def spearman(first, second):
    """Rank correlation; None below three pairs or if one side is constant."""
    if len(first) < 3:
        return None
    a, b = ranks(first), ranks(second)
    middle = (len(a) + 1) / 2
    above = sum((x - middle) * (y - middle) for x, y in zip(a, b))
    below = math.sqrt(sum((x - middle) ** 2 for x in a) * sum((y - middle) ** 2 for y in b))
    return above / below if below else None
