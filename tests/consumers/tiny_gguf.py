# SPDX-License-Identifier: Apache-2.0
"""A small language model with random weights as a whole GGUF file, which llama.cpp loads and runs: the sizes and names of
tests/fuzz/llm_seeds.py, with words and weights."""
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import llm_seeds  # noqa: E402

ALIGNMENT = 32
F32_VALUE, I32_VALUE = 6, 5
UNKNOWN, CONTROL, BYTE = 2, 3, 6
WORDS = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]  # any text is a row of bytes
KINDS = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256]


def float_pair(key, value):
    return llm_seeds.text(key) + struct.pack("<If", F32_VALUE, value)


def array_pair(key, kind, letter, values):
    head = llm_seeds.text(key) + struct.pack("<IIQ", llm_seeds.ARRAY, kind, len(values))
    return head + struct.pack(f"<{len(values)}{letter}", *values)


def weights(dims, kind, rng):
    count = 1
    for dim in dims:
        count *= dim
    values = [rng.uniform(-0.05, 0.05) for _ in range(256)]
    letter = "f" if kind == llm_seeds.F32 else "e"
    data = struct.pack(f"<256{letter}", *values)
    size = count * (4 if letter == "f" else 2)
    return (data * (size // len(data) + 1))[:size]


def write(path, seed=1, **sizes):
    """Writes the file; sizes as llm_seeds.llama() takes them. Norms are f32, all else f16."""
    rng = random.Random(seed)
    metadata, tensors = llm_seeds.llama(vocab=len(WORDS), **sizes)
    tensors = [(name, dims, kind if kind == llm_seeds.F32 else llm_seeds.F16) for name, dims, kind in tensors]
    metadata |= {"tokenizer.ggml.model": "llama", "tokenizer.ggml.tokens": WORDS, "general.alignment": ALIGNMENT,
                 "llama.rope.dimension_count": sizes.get("hidden", 64) // sizes.get("heads", 4),
                 "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.eos_token_id": 2, "tokenizer.ggml.unknown_token_id": 0}
    extra = [float_pair("llama.attention.layer_norm_rms_epsilon", 1e-5),
             array_pair("tokenizer.ggml.scores", F32_VALUE, "f", [0.0] * len(WORDS)),
             array_pair("tokenizer.ggml.token_type", I32_VALUE, "i", KINDS)]
    infos, data = b"", b""
    for name, dims, kind in tensors:
        info = llm_seeds.tensor(name, dims, kind)
        infos += info[:-8] + struct.pack("<Q", len(data))
        data += weights(dims, kind, rng)
        data += bytes(-len(data) % ALIGNMENT)
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata) + len(extra))
    header += b"".join(llm_seeds.pair(*item) for item in metadata.items()) + b"".join(extra) + infos
    pathlib.Path(path).write_bytes(header + bytes(-len(header) % ALIGNMENT) + data)
    return [name for name, _, _ in tensors]
