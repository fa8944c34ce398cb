# SPDX-License-Identifier: Apache-2.0
"""Language models on a machine."""
from __future__ import annotations

import os
from typing import Any, Sequence

from . import _berth
from ._machines import Machine, MachineSource


def llm(model: str | os.PathLike[str], machine: MachineSource, *, ctx: int = 0, sequences: int = 0, runtime: str = "llama.cpp",
        objective: str = "request", weights: str = "", cache_type: str = "", reserve: Sequence[str] = (), pin: Sequence[str] = (),
        without: Sequence[str] = ()) -> dict[str, Any]:
    """Where the layers of a language model go and how fast that is, as `berth llm` says (docs/llm.md). model: a .gguf file, a folder
    with config.json, or a name such as "llama-8b". Returns feasible, decode_tokens_per_s, prefill_tokens_per_s, devices (layers and
    memory of each), to_paste (flags for llama.cpp, a command line for vLLM, a device_map for accelerate), notes."""
    request = _berth.LlmRequest()
    request.model = os.fspath(model)
    request.machine = machine.source if isinstance(machine, Machine) else os.fspath(machine)
    request.context, request.sequences = ctx, sequences
    request.weights, request.cache_type = weights, cache_type
    request.reserves, request.pins, request.without = list(reserve), list(pin), list(without)
    return _berth.llm(request, runtime, objective)
