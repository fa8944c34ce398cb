#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""device_map for accelerate and transformers, taken by them: BERT and GPT-2, small, made here, exported by torch.export and
placed by Berth; and a small Llama by `berth llm`, from its folder. Usage: accelerate_test.py BERTH BUILD_FOLDER. PyTorch from PyPI takes gigabytes, so this runs only when asked
for (./test --consumers)."""
import consumer

consumer.only_if_asked("accelerate and transformers need PyTorch, gigabytes from PyPI")
consumer.run_in_environment("accelerate")

import json  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402

import accelerate  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from accelerate.utils.modeling import check_device_map, find_tied_parameters  # noqa: E402

berth = consumer.Program(sys.argv[1])


class Logits(torch.nn.Module):
    """What is exported: the model inside a wrapper, as people do it to get rid of dictionaries."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words):
        return self.model(words, use_cache=False).logits if "GPT" in type(self.model).__name__ else self.model(words).logits


def small_models():
    bert = transformers.BertConfig(vocab_size=100, hidden_size=32, num_hidden_layers=4, num_attention_heads=4, intermediate_size=64,
                                   max_position_embeddings=64, attn_implementation="eager")
    gpt = transformers.GPT2Config(vocab_size=100, n_embd=32, n_layer=4, n_head=4, n_positions=64, attn_implementation="eager")
    yield "bert", transformers.BertForMaskedLM(bert).eval()
    yield "gpt2", transformers.GPT2LMHeadModel(gpt).eval()


class Accelerate(unittest.TestCase):
    def test_maps_are_taken_and_compute_the_same(self):
        torch.manual_seed(1)
        words = torch.randint(0, 100, (2, 16))
        for name, model in small_models():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                torch.export.save(torch.export.export(Logits(model), (words,)), folder / "model.pt2")
                berth("place", folder / "model.pt2", "-m", "k40x2", "-p", "expert-layers", "--evaluations", 20, "-q", "-o", folder / "plan.json")
                # No GPU here: both are the CPU and "disk" is not wanted, so that only the form of the map is theirs.
                berth("export", folder / "model.pt2", "--plan", folder / "plan.json", "--to", "accelerate", "--module-prefix", "model",
                      "-o", folder / "device_map.json")
                placed = json.loads((folder / "device_map.json").read_text())
                self.assertEqual(set(placed.values()), {0, 1})
                check_device_map(model, placed)  # raises if a parameter or buffer is not covered
                for tied in find_tied_parameters(model):
                    devices = {next(device for module, device in sorted(placed.items(), key=lambda item: -len(item[0]))
                                    if parameter == module or parameter.startswith(module + ".")) for parameter in tied}
                    self.assertEqual(len(devices), 1, tied)
                for module in placed:  # nothing inside a block of the model's own list
                    owner = model.get_submodule(module.rsplit(".", 1)[0]) if "." in module else model
                    self.assertNotIn(type(owner).__name__, model._no_split_modules or [])
                expected = Logits(model)(words)
                here = {module: "cpu" for module in placed}
                dispatched = accelerate.dispatch_model(model, here, main_device="cpu", force_hooks=True)
                torch.testing.assert_close(Logits(dispatched)(words), expected)
                self.assertEqual(dispatched.hf_device_map, here)


LLAMA = transformers.LlamaConfig(vocab_size=100, hidden_size=64, intermediate_size=128, num_hidden_layers=4,
                                 num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512)


class LanguageModel(unittest.TestCase):
    def test_a_llama_loads_with_our_map(self):
        torch.manual_seed(1)
        here = transformers.LlamaForCausalLM(LLAMA).eval()
        words = torch.randint(0, 100, (1, 8))
        for tied in (False, True):
            with self.subTest(tied=tied), tempfile.TemporaryDirectory() as folder:
                here.config.tie_word_embeddings = tied
                if tied:
                    here.lm_head.weight = here.model.embed_tokens.weight
                folder = pathlib.Path(folder)
                here.save_pretrained(folder / "llama")
                text = berth("llm", folder / "llama", "-m", "rtx4090-3060", "--runtime", "accelerate", "--pin", "2-3=cpu",
                             "--ctx", 256, "--to", "accelerate")
                ours = json.loads(text)
                self.assertEqual({key: ours[f"model.layers.{key}"] for key in range(4)}, {0: 0, 1: 0, 2: "cpu", 3: "cpu"})
                check_device_map(here, ours)  # raises if a parameter or buffer is not covered
                # No GPU here: what we put on one stays on the CPU, what we put on the CPU goes to the disk.
                placed = {module: "disk" if device == "cpu" else "cpu" for module, device in ours.items()}
                loaded = transformers.LlamaForCausalLM.from_pretrained(folder / "llama", device_map=placed,
                                                                       offload_folder=str(folder / "disk")).eval()
                self.assertEqual(loaded.hf_device_map, placed)
                for name, parameter in loaded.named_parameters():
                    module = max((key for key in placed if name == key or name.startswith(key + ".")), key=len)
                    wanted = "meta" if placed[module] == "disk" else "cpu"  # weights on the disk are on meta between steps
                    self.assertEqual(str(parameter.device), wanted, name)
                with torch.no_grad():
                    torch.testing.assert_close(loaded(words).logits, here(words).logits)


if __name__ == "__main__":
    print(f"torch {torch.__version__}, accelerate {accelerate.__version__}, transformers {transformers.__version__}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
