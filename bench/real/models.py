# SPDX-License-Identifier: Apache-2.0
"""Models to capture for bench/capped: python -m berth.capture real.models:gpt2_xl --train -o gpt2_xl.train.json.gz (from bench/).

Written with PyTorch alone, so that no other package is needed; without contents, so that no memory is.
"""
import torch
from torch import nn


class Block(nn.Module):
    """Attention and a feed-forward part, each behind a norm, as in GPT-2 (Radford et al., 2019)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.ln_1, self.ln_2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask):
        batch, length, width = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(self.ln_1(x)).split(width, dim=2))
        scores = q @ k.transpose(2, 3) / (width // self.heads) ** 0.5 + mask
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(nn.functional.gelu(self.up(self.ln_2(x))))


class Gpt(nn.Module):
    def __init__(self, layers, width, heads, words=50257, length=1024):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(words, width), nn.Embedding(length, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln_f, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)

    def forward(self, tokens, positions, mask):
        x = self.wte(tokens) + self.wpe(positions)
        for block in self.h:
            x = block(x, mask)
        return self.head(self.ln_f(x))


def gpt2_xl(batch=2, length=1024):
    """1.56 billion parameters; its head is not tied to the embedding, which adds 80 million. With two texts a training step takes 26 GiB."""
    with torch.device("meta"):
        model = Gpt(layers=48, width=1600, heads=25)
        tokens, positions = torch.zeros(batch, length, dtype=torch.long), torch.zeros(batch, length, dtype=torch.long)
        return model, (tokens, positions, torch.zeros(length, length))


def gpt2_small(length=256):
    """The 12 layers of GPT-2's smallest, for bench/reality."""
    with torch.device("meta"):
        model = Gpt(layers=12, width=768, heads=12)
        tokens, positions = torch.zeros(4, length, dtype=torch.long), torch.zeros(4, length, dtype=torch.long)
        return model, (tokens, positions, torch.zeros(length, length))
