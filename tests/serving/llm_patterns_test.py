#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""llm_patterns_test.py RANDOM_LLM_PLANS: our flags of llama.cpp give back exactly the plan they were made for.

The reader here knows nothing of ours: it splits the line as a shell does, spreads layers by -ngl, -dev and -ts as llama.cpp
documents it, and takes for each tensor the first pattern of -ot that is found in its name, with Python's regular expressions."""
import json
import re
import shlex
import subprocess
import sys

PLANS = 200


def options_of(line):
    words = shlex.split(line)
    return dict(zip(words[::2], words[1::2]))


def homes_of(options, layers):
    """Device of every layer, the head last."""
    count = min(int(options["-ngl"]), layers + 1)
    devices = options.get("-dev", "").split(",") if count else []
    shares = [float(share) for share in options.get("-ts", "1").split(",")]
    first = layers + 1 - count
    homes = ["CPU"] * first
    for item in range(count):
        at = item / count
        total = 0.0
        for device, share in zip(devices, shares):
            total += share
            if at < total / sum(shares):
                homes.append(device)
                break
        else:
            raise AssertionError(f"no device for item {item} of {options}")
    return homes


def device_of(name, homes, overrides):
    for pattern, device in overrides:
        if pattern.search(name):
            return device
    layer = re.match(r"blk\.(\d+)\.", name)
    if layer:
        return homes[int(layer[1])]
    return homes[-1] if name.startswith("output") else "CPU"


def check(plan):
    options = options_of(plan["line"])
    homes = homes_of(options, plan["layers"])
    overrides = []
    for part in filter(None, options.get("-ot", "").split(",")):
        regex, device = part.split("=")
        overrides.append((re.compile(regex), device))
    assert len(overrides) == plan["patterns"]
    wrong = [(name, wanted, device_of(name, homes, overrides)) for name, wanted in plan["tensors"]
             if device_of(name, homes, overrides) != wanted]
    assert not wrong, f"{plan['line']}: {wrong[:3]}"
    return len(overrides), len(options.get("-ot", ""))


def main():
    done = subprocess.run([sys.argv[1], str(PLANS), "7"], capture_output=True, text=True, check=True)
    plans = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(plans) == PLANS and len({plan["model"] for plan in plans}) == 3
    counts, lengths = zip(*map(check, plans))
    assert sum(counts) > PLANS / 2, "most plans should move something"
    print(f"{PLANS} plans: {sum(counts) / PLANS:.2f} patterns on average, {max(counts)} at most; "
          f"{sum(lengths) / PLANS:.0f} characters on average, {max(lengths)} at most")
    assert max(counts) <= 3, "one pattern per device is enough"


if __name__ == "__main__":
    main()
