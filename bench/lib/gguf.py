# SPDX-License-Identifier: Apache-2.0
"""Language models with random weights as whole GGUF files that llama.cpp loads and runs, without a tokenizer.

Blocks are written as the types have them (ggml/src/ggml-common.h of llama.cpp), so nothing is quantised: random codes, and scales for
which weights have a spread of a few hundredths."""
import dataclasses
import random
import struct

ALIGNMENT = 32
U32, F32_VALUE, STRING = 4, 6, 8
POOL_BYTES = 1 << 25  # of random bytes; tensors begin at places of their own in it


@dataclasses.dataclass(frozen=True)
class Type:
    """Weights of a block, its bytes, and (place, value) of the half-precision scales in it."""
    number: int
    weights: int
    bytes: int
    scales: tuple = ()


TYPES = {"f32": Type(0, 1, 4), "f16": Type(1, 1, 2), "q4_0": Type(2, 32, 18, ((0, 0.006),)), "q8_0": Type(8, 32, 34, ((0, 0.0004),)),
         "q4_k": Type(12, 256, 144, ((0, 0.0002), (2, 0.0015))), "q6_k": Type(14, 256, 210, ((208, 6.2e-5),))}


@dataclasses.dataclass(frozen=True)
class Sizes:
    """Of a model like Llama, with heads of 64 and, if it has experts, a router per layer."""
    layers: int
    hidden: int
    ffn: int
    heads: int
    kv_heads: int
    vocab: int = 32000
    experts: int = 0
    used: int = 0
    context: int = 8192


def takes_more_bits(layer, layers):
    """llama-quantize gives some layers of a _k_m mix a larger type: the first and last eighth, and every third between them."""
    eighth = layers // 8
    return layer < eighth or layer >= 7 * layers // 8 or (layer - eighth) % 3 == 2


def type_of(name, layer, sizes, weights):
    """Of a tensor when the file is one of `weights`: f16, q8_0, q4_0 or q4_k_m, as llama-quantize mixes them."""
    if "norm" in name or name == "ffn_gate_inp":
        return "f32"
    if weights in ("f16", "q8_0"):
        return weights
    if name == "output":
        return "q6_k"
    if weights == "q4_0":
        return "q4_0"
    more = name in ("attn_v", "ffn_down", "ffn_down_exps") and takes_more_bits(layer, sizes.layers)
    return "q6_k" if more else "q4_k"


def tensors_of(sizes, weights):
    """(name, dimensions, type) in the order of the file."""
    hidden, ffn, kv = sizes.hidden, sizes.ffn, sizes.hidden // sizes.heads * sizes.kv_heads
    rows = [("token_embd", -1, [hidden, sizes.vocab]), ("output_norm", -1, [hidden]), ("output", -1, [hidden, sizes.vocab])]
    for layer in range(sizes.layers):
        rows += [(name, layer, dims) for name, dims in [("attn_norm", [hidden]), ("attn_q", [hidden, hidden]), ("attn_k", [hidden, kv]),
                                                        ("attn_v", [hidden, kv]), ("attn_output", [hidden, hidden]), ("ffn_norm", [hidden])]]
        if sizes.experts:
            rows += [("ffn_gate_inp", layer, [hidden, sizes.experts])]
        ends, more = ("_exps", [sizes.experts]) if sizes.experts else ("", [])
        rows += [(f"ffn_gate{ends}", layer, [hidden, ffn, *more]), (f"ffn_up{ends}", layer, [hidden, ffn, *more]),
                 (f"ffn_down{ends}", layer, [ffn, hidden, *more])]
    return [(f"{name}.weight" if layer < 0 else f"blk.{layer}.{name}.weight", dims, type_of(name, layer, sizes, weights))
            for name, layer, dims in rows]


def count(dims):
    product = 1
    for dim in dims:
        product *= dim
    return product


def bytes_of(dims, kind):
    known = TYPES[kind]
    return count(dims) // known.weights * known.bytes


# Halves of either sign between 2^-7 and 2^-4, made of any random byte.
HALVES = bytes((byte & 0x80) | (0x20 + byte % 12) for byte in range(256))


def random_bytes(size, pool, rng):
    data = bytearray()
    while len(data) < size:
        start = rng.randrange(len(pool) // 2)
        data += pool[start:start + size - len(data)]
    return data


def data_of(dims, kind, pool, rng):
    size, known = bytes_of(dims, kind), TYPES[kind]
    if kind == "f32":  # norms are ones; what chooses experts must not choose the same ones always
        values = [1.0] * dims[0] if len(dims) == 1 else [rng.gauss(0.0, 0.03) for _ in range(count(dims))]
        return struct.pack(f"<{len(values)}f", *values)
    data = random_bytes(size, pool, rng)
    if kind == "f16":
        data[1::2] = data[1::2].translate(HALVES)
    blocks = size // known.bytes
    for place, value in known.scales:
        low, high = struct.pack("<e", value)
        data[place::known.bytes], data[place + 1::known.bytes] = bytes([low]) * blocks, bytes([high]) * blocks
    return data


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pair(key, value):
    if isinstance(value, str):
        return text(key) + struct.pack("<I", STRING) + text(value)
    if isinstance(value, float):
        return text(key) + struct.pack("<If", F32_VALUE, value)
    return text(key) + struct.pack("<II", U32, value)


def metadata_of(name, sizes):
    keys = {"block_count": sizes.layers, "embedding_length": sizes.hidden, "feed_forward_length": sizes.ffn, "context_length": sizes.context,
            "attention.head_count": sizes.heads, "attention.head_count_kv": sizes.kv_heads, "vocab_size": sizes.vocab,
            "rope.dimension_count": sizes.hidden // sizes.heads, "attention.layer_norm_rms_epsilon": 1e-5}
    if sizes.experts:
        keys |= {"expert_count": sizes.experts, "expert_used_count": sizes.used}
    return {"general.architecture": "llama", "general.name": name, "general.alignment": ALIGNMENT, "tokenizer.ggml.model": "no_vocab",
            **{f"llama.{key}": value for key, value in keys.items()}}


def header(name, sizes, weights):
    """What is before the weights; enough for berth."""
    tensors, at, infos = tensors_of(sizes, weights), 0, b""
    for tensor, dims, kind in tensors:
        infos += text(tensor) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, TYPES[kind].number, at)
        at += bytes_of(dims, kind) + -bytes_of(dims, kind) % ALIGNMENT
    metadata = metadata_of(name, sizes)
    found = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata)) + b"".join(pair(*item) for item in metadata.items()) + infos
    return found + bytes(-len(found) % ALIGNMENT)


def write(path, name, sizes, weights, seed=1):
    """Writes the file and returns the bytes of its tensors."""
    rng = random.Random(seed)
    pool, tensors = rng.randbytes(POOL_BYTES), tensors_of(sizes, weights)
    with open(path, "wb") as file:
        file.write(header(name, sizes, weights))
        for _, dims, kind in tensors:
            data = data_of(dims, kind, pool, rng)
            file.write(data)
            file.write(bytes(-len(data) % ALIGNMENT))
    return sum(bytes_of(dims, kind) for _, dims, kind in tensors)
