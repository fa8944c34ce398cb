# SPDX-License-Identifier: Apache-2.0
"""Small language models as GGUF files and as config.json with a safetensors header, for make_seeds.py and the tests of the
command line. Headers alone: the weights are never read."""
import json
import struct

U32, STRING, ARRAY = 4, 8, 9
F32, F16, Q4_0, Q8_0 = 0, 1, 2, 8


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, value):
    if isinstance(value, str):
        return text(key) + struct.pack("<I", STRING) + text(value)
    if isinstance(value, list) and isinstance(value[0], str):
        return text(key) + struct.pack("<IIQ", ARRAY, STRING, len(value)) + b"".join(map(text, value))
    if isinstance(value, list):
        return text(key) + struct.pack("<IIQ", ARRAY, U32, len(value)) + struct.pack(f"<{len(value)}I", *value)
    return text(key) + struct.pack("<II", U32, value)


def tensor(name, dims, kind):
    return text(name) + struct.pack("<I", len(dims)) + struct.pack(f"<{len(dims)}Q", *dims) + struct.pack("<IQ", kind, 0)


def gguf(metadata, tensors):
    """metadata: {key: value}; tensors: [(name, dims, type)]."""
    header = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata))
    return header + b"".join(pair(*item) for item in metadata.items()) + b"".join(tensor(*item) for item in tensors)


def llama(layers=2, hidden=64, ffn=128, heads=4, kv_heads=2, vocab=100, experts=0, architecture="llama"):
    """(metadata, tensors) of a llama of these sizes."""
    keys = {"block_count": layers, "embedding_length": hidden, "feed_forward_length": ffn, "context_length": 2048,
            "attention.head_count": heads, "attention.head_count_kv": kv_heads, "vocab_size": vocab}
    if experts:
        keys |= {"expert_count": experts, "expert_used_count": 2}
    metadata = {"general.architecture": architecture, "general.name": "Tiny"}
    metadata |= {f"{architecture}.{key}": value for key, value in keys.items()}
    kv = hidden // heads * kv_heads
    tensors = [("token_embd.weight", [hidden, vocab], F16), ("output_norm.weight", [hidden], F32),
               ("output.weight", [hidden, vocab], Q8_0)]
    for layer in range(layers):
        rows = [("attn_norm", [hidden], F32), ("attn_q", [hidden, hidden], Q4_0), ("attn_k", [hidden, kv], Q4_0),
                ("attn_v", [hidden, kv], Q4_0), ("attn_output", [hidden, hidden], Q4_0), ("ffn_norm", [hidden], F32)]
        if experts:
            rows += [("ffn_gate_inp", [hidden, experts], F32), ("ffn_gate_exps", [hidden, ffn, experts], Q4_0),
                     ("ffn_up_exps", [hidden, ffn, experts], Q4_0), ("ffn_down_exps", [ffn, hidden, experts], Q4_0)]
        else:
            rows += [("ffn_gate", [hidden, ffn], Q4_0), ("ffn_up", [hidden, ffn], Q4_0), ("ffn_down", [ffn, hidden], Q4_0)]
        tensors += [(f"blk.{layer}.{name}.weight", dims, kind) for name, dims, kind in rows]
    return metadata, tensors


CONFIG = {"model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64, "vocab_size": 100, "num_attention_heads": 4,
          "num_key_value_heads": 2, "intermediate_size": 128, "max_position_embeddings": 2048, "torch_dtype": "float16"}


def safetensors(shapes):
    """Header of half-precision tensors {name: shape}."""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes.items():
        size = 2
        for dim in shape:
            size *= dim
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [at, at + size]}
        at += size
    data = json.dumps(header).encode()
    return struct.pack("<Q", len(data)) + data


SHAPES = {"model.embed_tokens.weight": [100, 64], "model.norm.weight": [64], "lm_head.weight": [100, 64],
          "model.layers.0.self_attn.q_proj.weight": [64, 64], "model.layers.0.mlp.up_proj.weight": [128, 64],
          "model.layers.0.mlp.down_proj.weight": [64, 128]}
WORDS = {"tokenizer.ggml.tokens": ["a", "b"], "general.file_type": 2}

_metadata, _tensors = llama()
GGUF = {"dense.gguf": gguf(_metadata | WORDS, _tensors), "experts.gguf": gguf(*llama(experts=4)),
        "strange.gguf": gguf(*llama(layers=1, architecture="strange"))}
_latent = CONFIG | {"model_type": "deepseek_v2", "kv_lora_rank": 32, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16,
                    "v_head_dim": 16, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
                    "n_shared_experts": 1}
HF = {"config.json": json.dumps(CONFIG).encode(), "latent.json": json.dumps(_latent).encode(),
      "both": json.dumps(CONFIG).encode() + b"\n---\n" + safetensors(SHAPES)}
