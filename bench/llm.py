#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llm.py BERTH: three language models on four machines against the runtimes' rules, as a table in Markdown. How much faster is in
seconds of a request of 2,000 tokens in and 300 out.
Deterministic but for the seconds."""
from lib import cli, markdown, paths

MODELS = ["llama-8b", "llama-70b", "mixtral-8x7b"]
MACHINES = ["rtx4090-3060", "a100-v100", "core-ultra", str(paths.ROOT / "examples/machines/one_card.toml")]
RIVALS = ["--fit", "memory-proportional", "layer filling", "experts on cpu", "one device"]


def tokens(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def cell(ours, rival):
    if rival is None:
        return "-"
    if not rival["fits"]:
        return "OOM"
    if not ours["fits"]:
        return tokens(rival["decode_tokens_per_s"])
    ratio = rival["objective_value_s"] / ours["objective_value_s"]
    assert ratio > 0.97, (ours["model"], rival)  # within a tie
    return f"{tokens(rival['decode_tokens_per_s'])} ({ratio:.2f}x)"


def row(berth, model, machine, context):
    answer = berth.ask("llm", model, "--machine", machine, "--ctx", context, "--no-what-if")
    rivals = {rival["name"]: rival for rival in answer["rivals"]}
    cells = [cell(answer, rivals.get(name)) for name in RIVALS]
    ours = tokens(answer["decode_tokens_per_s"]) if answer["fits"] else "OOM"
    prefill = tokens(answer["prefill_tokens_per_s"]) if answer["fits"] else "-"
    return f"`{model}`", f"`{answer['machine']}`", ours, prefill, *cells, f"{answer['search_s']:.2f} s"


def main():
    parser = cli.parser(__doc__)
    parser.add_argument("--ctx", type=int, default=8192)
    args = parser.parse_args()
    head = ["model", "machine", "decode tok/s", "prefill tok/s", *RIVALS, "planning"]
    table = markdown.Printed(head, "ll" + "r" * (len(head) - 2))
    for machine in MACHINES:
        for model in MODELS:
            table.add(*row(args.berth, model, machine, args.ctx))


if __name__ == "__main__":
    cli.run(main)
