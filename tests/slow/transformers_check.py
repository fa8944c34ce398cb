#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""transformers_check.py MAP.json: a tiny random Llama loads in real transformers and accelerate with a device_map of ours, puts
every module where the map says, and computes what it computes on the CPU. Needs transformers, accelerate and the map's GPUs.

Not part of ./test. The map comes from a model of the same sizes (tests/fuzz/llm_seeds.py, CONFIG with four layers):
  berth llm FOLDER --machine examples/machines/one_card.toml --runtime accelerate --pin 2-3=cpu --to accelerate > MAP.json"""
import json
import sys
import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM

CONFIG = LlamaConfig(vocab_size=100, hidden_size=64, intermediate_size=128, num_hidden_layers=4, num_attention_heads=4,
                     num_key_value_heads=2)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        device_map = json.load(file)
    torch.manual_seed(1)
    here = LlamaForCausalLM(CONFIG)
    with tempfile.TemporaryDirectory() as folder:
        here.save_pretrained(folder)
        placed = LlamaForCausalLM.from_pretrained(folder, device_map=device_map)
        assert placed.hf_device_map == device_map, placed.hf_device_map
        for name, parameter in placed.named_parameters():
            module = max((key for key in device_map if name.startswith(key)), key=len)
            wanted = "meta" if device_map[module] == "cpu" else f"cuda:{device_map[module]}"  # offloaded ones are on meta
            assert str(parameter.device) in (wanted, "cpu"), (name, parameter.device, wanted)
        tokens = torch.tensor([[1, 2, 3]])
        with torch.no_grad():
            difference = (placed(tokens.to(placed.device)).logits.cpu() - here(tokens).logits).abs().max().item()
        assert difference < 1e-4, difference
    print(f"{len(device_map)} modules where the map says; logits differ by at most {difference:.1e}")


if __name__ == "__main__":
    main()
