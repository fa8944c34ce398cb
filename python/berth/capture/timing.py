# SPDX-License-Identifier: Apache-2.0
"""The time of every op on a device, one by one on random values: the median of a few calls."""
import time

import torch

from .errors import CaptureError

REPEATS = 5


def example(value, device):
    """A tensor like one without contents. Whole numbers are 0, which every index may be."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.dtype.is_floating_point:
        return torch.rand(value.shape, dtype=torch.float32, device=device).to(value.dtype)
    return torch.zeros(value.shape, dtype=value.dtype, device=device)


def seconds_of(call, device):
    times = []
    for _ in range(REPEATS):
        if device == "cuda":
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            call()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3)
        else:
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
    return sorted(times)[len(times) // 2]


def add_times(document, traced, converter, devices):
    """Adds `us` to every op that computes; null where it could not run alone."""
    for device in devices:
        if device not in ("cpu", "cuda"):
            raise CaptureError(f"no device '{device}' to time ops on; cpu or cuda")
        if device == "cuda" and not torch.cuda.is_available():
            raise CaptureError("PyTorch sees no CUDA device to time ops on")
        document["measured_on"][device] = torch.cuda.get_device_name() if device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
        for node in traced.nodes:
            op = document["ops"][converter.number[node]]
            if node.op != "call_function" or op["type"] == "getitem" or op.get("view"):
                continue
            op.setdefault("us", {"cuda": None, "cpu": None})[device] = microseconds(node, device)


def microseconds(node, device):
    def value(argument):
        return example(argument.meta["val"], device) if isinstance(argument, torch.fx.Node) else argument
    try:
        args = torch.fx.map_arg(node.args, value)
        kwargs = {key: torch.device(device) if isinstance(argument, torch.device) else torch.fx.map_arg(argument, value)
                  for key, argument in node.kwargs.items()}
        with torch.no_grad():
            return round(1e6 * seconds_of(lambda: node.target(*args, **kwargs), device), 3)
    except Exception:  # whatever the op may say about made-up values
        return None
