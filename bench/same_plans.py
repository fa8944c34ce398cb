#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a change of the code changed plans: every planner on 20 problems, by --evaluations, so that nothing depends on time.

same_plans.py record BERTH FILE    runs what FILE does not have yet and adds it; goes on where it was killed
same_plans.py compare OLD NEW      rows that differ, and status 1 if there are any

A row holds the status, the value of the plan, and digests of its file and of what was printed, less the time that the search took.
bench/recorded/ has what earlier versions gave; learned rows depend on libtorch and the processor as well."""
import hashlib
import json
import pathlib
import tempfile

from lib import cli, files, paths
from lib.berth import Berth

EVALUATIONS = {"auto": 300, "genetic": 200, "anneal": 200, "exact": 2000}
USUAL_EVALUATIONS = 100
LEARNED_EVALUATIONS = 12
VOLATILE = {"search_s"}
LIMIT_S = 900

MSR = "msr-dnn-partitioning/throughput-inputs"
ZOO = [
    ["zoo:rnnlm,unroll=10", "-m", "k40x2"],
    ["zoo:nmt-2,unroll=10", "-m", "k40x4"],
    ["zoo:inception-v3", "-m", "k40x4"],
    ["zoo:inception-v3", "-m", "flex170-hetero"],
    ["zoo:resnet-50", "-m", "p100x4"],
    ["zoo:transformer-xl", "-m", "v100x8"],
    ["zoo:wavenet", "-m", "2xhost"],
    ["zoo:moe", "-m", "a100-v100"],
    ["zoo:gpt2", "-m", "rtx4090-3060", "--set", "gpu.memory=4GiB"],
    ["zoo:bert-base", "-m", "core-ultra", "--resident-weights"],
    ["zoo:llama-8b,mode=decode", "-m", "rtx4090-3060"],
    ["zoo:bert-base", "-m", "k40x4", "--pin", "module:embedding=gpu0", "--keep-together", "encoder.layer.*"],
    ["zoo:gpt2", "-m", "a100x8", "--objective", "pipeline"],
    ["zoo:nmt-2,unroll=10", "-m", "k40x4", "--objective", "pipeline"],
]
FILES = [
    ["stg/50/rand0000.stg", "-m", "procx4"],
    [f"{MSR}/OperatorGraphs/bert_l-3_inference.json"],
    [f"{MSR}/LayerGraphs/resnet50_inference.json"],
    ["captured/resnet50.infer.json.gz", "-m", "h200"],
    ["captured/rnnlm.train.json.gz", "-m", "h200"],
    ["exported/bert_base.onnx", "-m", "rtx4090-3060"],
]
LEARNED_ON = [0, 3, 11, 13, 17]  # of all rows


def problems():
    return ZOO + [[str(paths.data(row[0])), *row[1:]] for row in FILES]


def jobs(berth):
    planners = [(one.name, one.learned) for one in berth.planners().values() if one.built]
    for number, problem in enumerate(problems()):
        for name, learned in planners:
            if learned and number not in LEARNED_ON:
                continue
            evaluations = LEARNED_EVALUATIONS if learned else EVALUATIONS.get(name, USUAL_EVALUATIONS)
            yield f"{number:02} {name}", [*problem, "-p", name, "--evaluations", str(evaluations)]


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(part) for key, part in value.items() if key not in VOLATILE}
    return [without_times(part) for part in value] if isinstance(value, list) else value


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def run(berth, flags):
    with tempfile.TemporaryDirectory() as folder:
        plan = pathlib.Path(folder) / "plan.json"
        done = berth.start("place", *flags, "--seed", 1, "--json", "-q", "-o", plan).wait(LIMIT_S)
        printed = without_times(done.json()) if done.out.strip() else done.errors.strip()
        return {"status": done.code, "value_s": printed.get("objective_value_s") if isinstance(printed, dict) else None,
                "plan": digest(plan.read_bytes()) if plan.exists() else None,
                "printed": digest(json.dumps(printed, sort_keys=True).encode())}


def write(path, rows):
    files.write(path, "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(rows[name])}" for name in sorted(rows)) + "\n}\n")


def record(berth, path):
    rows = json.loads(path.read_text()) if path.exists() else {}
    for name, flags in jobs(berth):
        if name in rows:
            continue
        rows[name] = run(berth, flags)
        write(path, rows)
        cli.say(f"{name}: status {rows[name]['status']}")


def compare(old, new):
    differ = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    for name in differ:
        before, after = old.get(name), new.get(name)
        if before is None or after is None:
            print(f"{name}: only in {'NEW' if before is None else 'OLD'}")
            continue
        parts = [part for part in before if before[part] != after[part]]
        print(f"{name}: {', '.join(parts)} {'differs' if len(parts) == 1 else 'differ'}")
    print(f"{len(old.keys() & new.keys())} rows in both, {len(differ)} differ")
    return not differ


def main():
    parser = cli.parser(__doc__, berth=False)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("first", type=pathlib.Path)
    parser.add_argument("second", type=pathlib.Path)
    flags = parser.parse_args()
    if flags.what == "record":
        record(Berth(flags.first), flags.second)
        return 0
    return 0 if compare(json.loads(flags.first.read_text()), json.loads(flags.second.read_text())) else 1


if __name__ == "__main__":
    cli.run(main)
