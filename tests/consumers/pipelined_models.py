# SPDX-License-Identifier: Apache-2.0
"""Models for pipelines, small, as run.py of an export takes them: a function returns (model, loss, batch). In double precision, so
that gradients differ from those of one process by the order of additions alone."""
import os

import torch

LAYERS, WIDTH, WORDS, LENGTH = 8, 16, 50, 8


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        samples, length, width = x.shape
        q, k, v = (part.view(samples, length, 2, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = torch.softmax(q @ k.transpose(-1, -2) / (width // 2) ** 0.5, -1) @ v
        x = x + self.out(mixed.transpose(1, 2).reshape(samples, length, width))
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm2(x))))


class Transformer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.wte, self.wpe = torch.nn.Embedding(WORDS, WIDTH), torch.nn.Embedding(LENGTH, WIDTH)
        self.h = torch.nn.ModuleList(Block() for _ in range(LAYERS))
        self.ln_f, self.lm_head = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, WORDS, bias=False)

    def first(self, ids):
        return self.wte(ids) + self.wpe(torch.arange(ids.shape[1], device=ids.device))

    def forward(self, ids):
        x = self.first(ids)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


class Masked(Transformer):
    """Every layer reads an input of the model and a value that is made once, the last one also what the first layer made."""

    def forward(self, ids, mask):
        start = x = self.first(ids)
        bias = (~mask).to(x.dtype)[..., None] * -0.5
        for block in self.h:
            x = (block(x) + bias) * mask[..., None]
        return self.lm_head(self.ln_f(x + start))


class Turned(Transformer):
    """What goes from layer to layer is a view that is not in one piece."""

    def forward(self, ids):
        x = self.first(ids)
        for block in self.h:
            x = block(x).transpose(0, 1).contiguous().transpose(0, 1)
        return self.lm_head(self.ln_f(x))


class WithLoss(torch.nn.Module):
    """For a capture of the whole step."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids, target):
        return loss(self.model(ids), target)


def loss(output, target):
    return torch.nn.functional.cross_entropy(output.flatten(0, 1), target.flatten())


def batch_of(samples, with_mask=False):
    def batch(step):
        ids = torch.randint(0, WORDS, (samples, LENGTH + 1), generator=torch.Generator().manual_seed(step))
        inputs = (ids[:, :-1],)
        return (*inputs, inputs[0] > 7) if with_mask else inputs, ids[:, 1:].contiguous()
    return batch


def plain():
    return Transformer().double(), loss, batch_of(24)


def tied():
    model = Transformer().double()
    model.lm_head.weight = model.wte.weight
    return model, loss, batch_of(24)


def masked():
    return Masked().double(), loss, batch_of(24, with_mask=True)


def turned():
    return Turned().double(), loss, batch_of(24)


def another_in_every_process():
    """What must not be done."""
    torch.manual_seed(int(os.environ["RANK"]))
    return plain()
