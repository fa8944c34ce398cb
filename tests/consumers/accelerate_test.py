#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""device_map for accelerate and transformers, taken by them: BERT, GPT-2, ViT and ResNet, small, made here, captured or exported
by torch.export and placed by Berth; and a small Llama by `berth llm`, from its folder. Usage: accelerate_test.py BERTH
BUILD_FOLDER. PyTorch from PyPI takes gigabytes, so this runs only when asked for (./test --consumers)."""
import consumer

consumer.only_if_asked("accelerate and transformers need PyTorch, gigabytes from PyPI")
consumer.run_in_environment("accelerate")

import itertools  # noqa: E402
import json  # noqa: E402
import pathlib  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import unittest  # noqa: E402
import unittest.mock  # noqa: E402

import accelerate  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402
from accelerate.hooks import attach_align_device_hook_on_blocks  # noqa: E402
from accelerate.utils.modeling import check_device_map, find_tied_parameters  # noqa: E402
from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

program = consumer.Program(sys.argv[1])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "python"))


class Logits(torch.nn.Module):
    """What is exported: the model inside a wrapper, as people do it to get rid of dictionaries."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, values):
        return self.model(values, use_cache=False).logits if "GPT" in type(self.model).__name__ else self.model(values).logits


def words():
    return torch.randint(0, 100, (2, 16))


def image():
    return torch.randn(2, 3, 32, 32)


def small_bert():
    return transformers.BertForMaskedLM(transformers.BertConfig(
        vocab_size=100, hidden_size=32, num_hidden_layers=4, num_attention_heads=4, intermediate_size=64, max_position_embeddings=64,
        attn_implementation="eager"))


def small_gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=100, n_embd=32, n_layer=4, n_head=4, n_positions=64, bos_token_id=1, eos_token_id=1, attn_implementation="eager"))


def small_vit():
    return transformers.ViTForImageClassification(transformers.ViTConfig(
        hidden_size=32, num_hidden_layers=4, num_attention_heads=4, intermediate_size=64, image_size=32, patch_size=8,
        attn_implementation="eager"))


def small_resnet():
    return transformers.ResNetForImageClassification(transformers.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 32, 32, 64], depths=[1, 2, 1, 1], layer_type="basic"))


MODELS = {"bert": (small_bert, words), "gpt2": (small_gpt2, words), "vit": (small_vit, image), "resnet": (small_resnet, image)}


def device_of(placed, tensor):
    """As accelerate reads a map: that of the innermost module."""
    return next(device for module, device in sorted(placed.items(), key=lambda item: -len(item[0]))
                if module == "" or tensor == module or tensor.startswith(module + "."))


def move_fake(module, name, device, moved):
    owner, _, leaf = name.rpartition(".")
    owner = module.get_submodule(owner)
    for held in (owner._parameters, owner._buffers):
        if held.get(leaf) is not None:  # tied ones stay one tensor
            old = held[leaf]
            held[leaf] = moved.setdefault((id(old), device), (old.to(torch.device("cuda", device)), old))[0]


def run_on_two_fake_gpus(make, values, placed):
    """The real hooks of accelerate on tensors without contents: an op whose inputs are on two devices raises."""
    moved = {}

    def move(module, name, device, **unused):
        move_fake(module, name, device, moved)

    with FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad(), unittest.mock.patch("accelerate.hooks.set_module_tensor_to_device", move):
        model = make().eval()
        for name, _ in [*model.named_parameters(remove_duplicate=False), *model.named_buffers()]:  # as it is loaded
            move(model, name, device_of(placed, name))
        attach_align_device_hook_on_blocks(model, execution_device=placed, offload={module: False for module in placed}, tied_params_map={})
        return Logits(model)(torch.zeros_like(values))


class Accelerate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        torch.manual_seed(1)

    def models(self):
        for name, (make, values) in MODELS.items():
            with self.subTest(name):
                yield name, make().eval(), values()

    def device_map(self, graph, *more, planner="expert-layers", seed=1):
        """By default of a plan that has half of the blocks on each GPU."""
        plan, out = self.folder / "plan.json", self.folder / "device_map.json"
        program("place", graph, "-m", "k40x2", "-p", planner, "--seed", seed, "--evaluations", 20, "-q", "-o", plan)
        program("export", graph, "--plan", plan, "--to", "accelerate", "--module-prefix", "model", "-o", out, *more)
        return json.loads(out.read_text())

    def exported(self, model, values):
        path = self.folder / "model.pt2"
        torch.export.save(torch.export.export(Logits(model), (values,)), path)
        return path

    def captured(self, model, values):
        import berth.capture
        path = self.folder / "model.json.gz"
        berth.capture(Logits(model), (values,), path=path)
        return path

    def assert_whole(self, model, placed):
        """Every parameter covered, tied ones together, and nothing inside a block of the model's own list."""
        check_device_map(model, placed)  # raises if a parameter or buffer is not covered
        for tied in find_tied_parameters(model):
            self.assertEqual(len({device_of(placed, parameter) for parameter in tied}), 1, tied)
        for listed in placed:
            for around in itertools.accumulate(listed.split(".")[:-1], "{}.{}".format):
                self.assertNotIn(type(model.get_submodule(around)).__name__, model._no_split_modules or [], listed)
                self.assertNotIn(around, placed, "no module inside another")

    def assert_maps_work(self, graph_of):
        for name, model, values in self.models():
            graph = graph_of(model, values)
            self.assertEqual(set(self.device_map(graph).values()), {0, 1})
            for planner, seed in [("expert-layers", 1), ("round-robin", 1), *(("random", seed) for seed in range(1, 6))]:
                with self.subTest(name, planner=planner, seed=seed):
                    placed = self.device_map(graph, planner=planner, seed=seed)
                    self.assert_whole(model, placed)
                    run_on_two_fake_gpus(MODELS[name][0], values, placed)

    def test_maps_of_exported_models_work_on_two_gpus(self):
        self.assert_maps_work(self.exported)

    def test_maps_of_captured_models_work_on_two_gpus(self):
        self.assert_maps_work(self.captured)

    def test_a_map_that_splits_a_sum_does_not_work_on_two_gpus(self):
        """What the fake GPUs are worth."""
        rest = {"bert.encoder": 1, "cls": 1, "bert.embeddings.LayerNorm": 1, "bert.embeddings.position_ids": 1,
                "bert.embeddings.token_type_ids": 1}
        parts = {"bert.embeddings.word_embeddings": 0, "bert.embeddings.position_embeddings": 1, "bert.embeddings.token_type_embeddings": 1}
        with self.assertRaisesRegex(RuntimeError, "two different devices"):
            run_on_two_fake_gpus(small_bert, words(), {**parts, **rest})

    def test_transformers_loads_by_them_on_two_devices(self):
        """No GPU here: the second one is accelerate's disk, from which a layer comes when it runs. The file is used as it is."""
        for name, model, values in self.models():
            for graph_of in (self.exported, self.captured):
                with self.subTest(name, graph=graph_of.__name__):
                    expected = Logits(model)(values)
                    placed = self.device_map(graph_of(model, values), "--name", "gpu0=cpu", "--name", "gpu1=disk")
                    self.assertEqual(set(placed.values()), {"cpu", "disk"})
                    model.save_pretrained(self.folder / name)
                    loaded = type(model).from_pretrained(self.folder / name, device_map=placed, offload_folder=self.folder / f"{name}-disk",
                                                         attn_implementation="eager").eval()
                    self.assertEqual({module: str(device) for module, device in loaded.hf_device_map.items()}, placed)
                    for parameter, tensor in loaded.named_parameters():
                        wanted = {"cpu": "cpu", "disk": "meta"}[device_of(placed, parameter)]
                        self.assertEqual(tensor.device.type, wanted, parameter)
                    torch.testing.assert_close(Logits(loaded)(values), expected)

    def test_accelerate_dispatches_by_them(self):
        for _, model, values in self.models():
            expected = Logits(model)(values)
            placed = self.device_map(self.exported(model, values), "--name", "gpu0=cpu", "--name", "gpu1=cpu")
            dispatched = accelerate.dispatch_model(model, placed, main_device="cpu", force_hooks=True)
            torch.testing.assert_close(Logits(dispatched)(values), expected)
            self.assertEqual(dispatched.hf_device_map, placed)


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
                text = program("llm", folder / "llama", "-m", "rtx4090-3060", "--runtime", "accelerate", "--pin", "2-3=cpu",
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
