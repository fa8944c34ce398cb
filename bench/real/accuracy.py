# SPDX-License-Identifier: Apache-2.0
"""Predictions against measurements: errors, ranks, regret, intervals."""
from lib import stats


def errors(rows):
    return [abs(row["predicted_s"] / row["measured_s"] - 1) for row in rows]


def error_facts(rows):
    found = errors(rows)
    return {"plans": len(rows), "median_error": stats.quantile(found, 0.5), "p90_error": stats.quantile(found, 0.9),
            "median_error_interval": stats.bootstrap(found, stats.median)}  # 90 %: how far the median is a matter of which plans ran


def by_graph(rows):
    graphs = {}
    for row in rows:
        graphs.setdefault(row["graph"], []).append(row)
    return graphs


def distinct(rows):
    """Planners often agree: equal plans count once, by the median of what they took."""
    groups = {}
    for row in rows:
        groups.setdefault((row["graph"], row["fingerprint"], row["predicted_s"]), []).append(row)
    return [dict(group[0], measured_s=stats.quantile([row["measured_s"] for row in group], 0.5)) for group in groups.values()]


def rank_facts(rows):
    """Rank correlation over all plans (step times of all graphs together), its mean within graphs, and among plans
    within 20 % of the best measured one."""
    rows = distinct(rows)
    graphs = by_graph(rows)
    within = [stats.spearman([r["predicted_s"] for r in part], [r["measured_s"] for r in part]) for part in graphs.values()]
    near = []
    for part in graphs.values():
        best = min(row["measured_s"] for row in part)
        close = [row for row in part if row["measured_s"] <= 1.2 * best]
        near.append(stats.spearman([r["predicted_s"] for r in close], [r["measured_s"] for r in close]))
    return {"all": stats.spearman([r["predicted_s"] for r in rows], [r["measured_s"] for r in rows]),
            "mean_within_graphs": mean([x for x in within if x is not None]),
            "mean_near_the_best": mean([x for x in near if x is not None])}


def mean(values):
    return stats.mean(values) if values else None


def regret_facts(rows):
    """Measured time of the plan predicted best over that of the best measured, by graph."""
    regrets = {}
    for graph, part in by_graph(distinct(rows)).items():
        chosen = min(part, key=lambda row: row["predicted_s"])
        regrets[graph] = chosen["measured_s"] / min(row["measured_s"] for row in part) - 1
    return {"by_graph": regrets, "mean": mean(list(regrets.values())), "worst": max(regrets.values(), default=None)}


def coverage(rows):
    """How many measurements are in the range that the prediction carried."""
    judged = [row for row in rows if row.get("range_s")]
    if not judged:
        return None
    return sum(row["range_s"][0] <= row["measured_s"] <= row["range_s"][1] for row in judged) / len(judged)


def memory_facts(rows):
    """Predicted peak against that of tensors, for devices that hold at least a mebibyte; workspaces apart."""
    found, with_workspaces = [], []
    for row in rows:
        for device in row["devices"]:
            if device["tensor_peak_bytes"] < 1 << 20:
                continue
            found.append(abs(device["predicted_peak_bytes"] / device["tensor_peak_bytes"] - 1))
            with_workspaces.append(abs(device["predicted_peak_bytes"] / device["peak_bytes"] - 1))
    return {"devices": len(found), "median_error": stats.quantile(found, 0.5), "p90_error": stats.quantile(found, 0.9),
            "worst_error": max(found, default=None), "median_error_with_workspaces": stats.quantile(with_workspaces, 0.5),
            "worst_error_with_workspaces": max(with_workspaces, default=None)}


def summary(rows):
    ran = [row for row in rows if row["failed"] is None]
    if not ran:
        return {"plans": 0, "failed": len(rows)}
    accelerated = [row for row in ran if row["accelerator_share"] is not None and row["accelerator_share"] >= 0.9]
    facts = {"plans": len(ran), "failed": len(rows) - len(ran), "graphs": len(by_graph(ran)), "step_time": error_facts(ran),
             "distinct_plans": len(distinct(ran)), "rank_correlation": rank_facts(ran), "regret": regret_facts(ran),
             "interval_coverage": coverage(ran), "peak_memory": memory_facts(ran)}
    if accelerated:
        facts["mostly_on_the_accelerator"] = error_facts(accelerated)
        facts["others"] = error_facts([row for row in ran if row not in accelerated])
    return facts
