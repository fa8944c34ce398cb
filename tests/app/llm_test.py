# SPDX-License-Identifier: Apache-2.0
"""berth llm: models from files and by name, the answer as text and as JSON, flags out and in again, and what it refuses."""
import json
import pathlib
import re
import sys

from command_line import PATIENCE, CommandLineTest, berth, main

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import llm_seeds  # noqa: E402

QUICK = ["--no-what-if"]
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MACHINES = ["rtx4090-3060", "a100-v100", "core-ultra", ROOT / "examples" / "machines" / "one_card.toml"]


class LlmTest(CommandLineTest):
    def write_gguf(self, name="tiny.gguf", **sizes):
        return self.write(name, llm_seeds.gguf(*llm_seeds.llama(**sizes)))

    def test_one_screen(self):
        text = self.text_of("llm", "mixtral-8x7b", "--machine", "rtx4090-3060", "--ctx", "8192")
        self.assertLess(len(text.splitlines()), 40)
        for word in ("# weights + cache - runtime", "decode", "prefill", "largest context that fits", "memory-proportional",
                     "layer filling", "one device", "what if", "1 GiB more on gpu0", "four times as fast", "-ngl "):
            self.assertIn(word, text)

    def test_json_never_behind(self):
        for model in ("llama-8b", "llama-70b", "mixtral-8x7b"):
            for machine in MACHINES:
                done = berth("llm", model, "--machine", machine, "--ctx", "8192", "--json", *QUICK)
                answer = json.loads(done.stdout)
                self.assertEqual(done.returncode, 0 if answer["fits"] else 1, done.stderr)
                self.assertLess(answer["search_s"], PATIENCE, (model, machine))  # generous: the computer may be busy; bench/llm.py has figures
                names = {rival["name"] for rival in answer["rivals"]}
                self.assertLessEqual({"--fit", "memory-proportional", "layer filling", "one device"}, names)
                for rival in answer["rivals"]:
                    if rival["fits"]:
                        self.assertTrue(answer["fits"])
                        self.assertLessEqual(answer["objective_value_s"], 1.03 * rival["objective_value_s"], (model, machine, rival))  # a tie

    def test_memory_adds_up(self):
        answer = self.json_of("llm", "llama-70b", "--machine", "rtx4090-3060", "--ctx", "8192", *QUICK)
        weights = sum(device["weight_bytes"] for device in answer["devices"])
        self.assertEqual(weights, answer["model"]["weight_bytes"])
        self.assertEqual(sum(device["cache_bytes"] for device in answer["devices"]), answer["cache_bytes"])
        self.assertEqual(answer["cache_bytes"], 80 * 8192 * 8 * (128 + 128) * 2)
        for device in answer["devices"]:
            used = device["weight_bytes"] + device["cache_bytes"] + device["runtime_bytes"]
            self.assertLessEqual(used, device["capacity_bytes"])

    def test_gguf_files(self):
        answer = self.json_of("llm", self.write_gguf(experts=4), "--machine", "rtx4090-3060", *QUICK)
        self.assertEqual(answer["model"]["title"], "Tiny")
        self.assertEqual(answer["model"]["tensors"], 3 + 2 * 10)
        self.assertEqual(answer["context"], 2048)
        self.assertTrue(answer["fits"])
        strange = self.write_gguf("strange.gguf", architecture="strange")
        text = self.text_of("llm", strange, "--machine", "a100-v100", *QUICK)
        self.assertIn('note: architecture "strange" is not known', text)

    def test_hugging_face_folders(self):
        folder = self.folder / "tiny-llama"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps(llm_seeds.CONFIG))
        built = self.json_of("llm", folder, "--machine", "a100-v100", *QUICK)
        self.assertIn("no safetensors", built["notes"][0])
        (folder / "model.safetensors").write_bytes(llm_seeds.safetensors(llm_seeds.SHAPES))
        answer = self.json_of("llm", folder, "--machine", "a100-v100", "--runtime", "accelerate", *QUICK)
        self.assertEqual(answer["model"]["title"], "tiny-llama")
        self.assertEqual(answer["model"]["weight_bytes"], 2 * (100 * 64 * 2 + 64 + 64 * 64 + 2 * 128 * 64))
        plan = self.folder / "plan.json"
        self.text_of("llm", folder, "-m", "a100-v100", "-o", plan, *QUICK)
        score = self.json_of("score", f"{folder},mode=decode,ctx=2048", "-m", "a100-v100", "--plan", plan)
        self.assertAlmostEqual(score["step_time_s"], self.json_of("llm", folder, "-m", "a100-v100", *QUICK)["decode_step_s"])
        device_map = json.loads(answer["export"])
        self.assertEqual(set(device_map), {"model.embed_tokens", "model.rotary_emb", "model.layers.0", "model.norm", "lm_head"})

    def test_served_graphs(self):
        plan = self.folder / "plan.json"
        self.text_of("llm", "llama-8b", "-m", "rtx4090-3060", "--ctx", "8192", "-o", plan, *QUICK)
        score = self.json_of("score", "zoo:llama-8b,mode=decode,ctx=8192,depth=2150", "-m", "rtx4090-3060", "--plan", plan)
        answer = self.json_of("llm", "llama-8b", "-m", "rtx4090-3060", "--ctx", "8192", *QUICK)
        self.assertAlmostEqual(score["step_time_s"], answer["decode_step_s"])
        info = self.json_of("graph", "info", self.write_gguf() + ",mode=prefill,ctx=512")
        self.assertGreater(info["flops"], 0)
        self.assertEqual(info["unknown_ops"], {})
        self.assert_refused(["graph", "info", "zoo:nmt-4,mode=decode"], "no language model named 'nmt-4' to serve")
        self.assert_refused(["graph", "info", "zoo:llama-70b,ctx=1"], "ctx=1 is no whole number from 256 to")

    def test_flags_in_again(self):
        line = self.text_of("llm", "mixtral-8x7b", "-m", "rtx4090-3060", "--to", "llama.cpp", *QUICK).strip()
        self.assertRegex(line, r"^-c 4096 (-ub \d+ )?-ngl \d+ -dev CUDA\d")
        again = self.json_of("llm", "mixtral-8x7b", "-m", "rtx4090-3060", "--flags", line, *QUICK)
        self.assertEqual(again["given"]["objective_value_s"], again["objective_value_s"])
        text = self.text_of("llm", "mixtral-8x7b", "-m", "rtx4090-3060", "--flags", "-ngl 99 -ts 1,1 -c 8192", *QUICK)
        self.assertRegex(text, r"your flags +OOM")
        self.assertIn("context 8,192", text)
        device_map = self.write("map.json", json.dumps({"": 0}))
        mapped = self.json_of("llm", "llama-8b", "-m", "a100-v100", "--runtime", "accelerate", "--device-map", device_map, *QUICK)
        self.assertEqual(mapped["given"]["objective_value_s"], mapped["objective_value_s"])
        vllm = self.text_of("llm", "llama-70b", "-m", "a100-v100", "--runtime", "vllm", "--to", "vllm", "--weights", "fp8", *QUICK)
        stages = re.search(r"VLLM_PP_LAYER_PARTITION=([\d,]+)", vllm)[1]
        self.assertEqual(sum(map(int, stages.split(","))), 80)

    def test_given_plans_are_plans(self):
        ours, theirs = self.folder / "ours.json", self.folder / "theirs.json"
        answer = self.json_of("llm", "mixtral-8x7b", "-m", "rtx4090-3060", "--ctx", "8192", "--flags", "-ngl 20 -ts 2,1", "-o", ours,
                              "--given-output", theirs, *QUICK)
        graph = ["zoo:mixtral-8x7b,mode=decode,ctx=8192,depth=2150", "-m", "rtx4090-3060"]
        self.assertAlmostEqual(self.json_of("score", *graph, "--plan", theirs)["step_time_s"], answer["given"]["decode_step_s"])
        self.assertIn("gpu", self.text_of("explain", *graph, "--plan", theirs, "--op", "blk.31.up"))
        rows = self.json_of("compare", *graph, "--plan", theirs, "--plan", ours, "--planners", "single")
        self.assertIn("theirs.json", json.dumps(rows))
        self.text_of("report", *graph, "--plan", theirs, "--plan", ours, "-o", self.folder / "both.html")
        self.assert_refused(["llm", "llama-8b", "-m", "rtx4090-3060", "--given-output", theirs], "there is no plan of yours")

    def test_other_hosts(self):
        text = self.text_of("llm", "llama-70b", "-m", "2xhost", "--weights", "q8_0", *QUICK)
        self.assertIn("note: on another host: gpu2", text)
        line = self.text_of("llm", "llama-70b", "-m", "2xhost", "--weights", "q8_0", "--rpc", "gpu2=box:50052", "--rpc", "gpu3=box:50052",
                            "--to", "llama.cpp", *QUICK)
        self.assertRegex(line, r"^--rpc box:50052 -c 4096 .* -dev CUDA0,CUDA1,RPC0 ")
        on = ["llm", "llama-8b", "-m", "2xhost", "--rpc"]
        self.assert_refused([*on, "gpu2=box"], "is not of the form gpu2=HOST:PORT")
        self.assert_refused([*on, "cpu0=box:1"], "cpu0 is no GPU")
        self.assert_refused([*on, "gpu9=box:1"], "has no device 'gpu9'")

    def test_shared_memory_is_counted_once(self):
        text = self.text_of("llm", "gemma2-9b", "-m", "core-ultra", *QUICK)
        free = re.findall(r"([\d.]+ GiB)  (?:embeddings|layers)[^\n]*; memory is shared", text)
        self.assertEqual(len(free), 2)
        self.assertEqual(free[0], free[1])
        self.assertIn("-dev Vulkan0", text)

    def test_projectors_are_on_the_first_gpu(self):
        model = self.write_gguf()
        projector = self.write("mmproj.gguf", llm_seeds.gguf({"general.architecture": "clip"}, [("v.blk.0.attn_q.weight", [64, 64], llm_seeds.F16)]))
        base = ["llm", model, "-m", "rtx4090-3060", *QUICK]
        without, given = self.json_of(*base), self.json_of(*base, "--mmproj", projector)
        self.assertEqual(given["devices"][1]["weight_bytes"] - without["devices"][1]["weight_bytes"], 2 * 64 * 64)
        self.assertIn("--mmproj", given["export"])
        self.assert_refused(["llm", projector, "-m", "rtx4090-3060"], "it is a projector of pictures or sound (mmproj), no language model")
        self.assert_refused([*base, "--mmproj", model], 'its architecture is "llama", not "clip"')

    def test_pictures_and_words(self):
        folder = self.folder / "pictures"
        folder.mkdir()
        (folder / "config.json").write_text(json.dumps({"model_type": "gemma3", "vision_config": {}, "text_config": llm_seeds.CONFIG | {"model_type": "gemma3_text"}}))
        shapes = {f"language_model.{name}": shape for name, shape in llm_seeds.SHAPES.items()}
        shapes |= {"vision_tower.vision_model.encoder.layers.9.mlp.fc1.weight": [64, 64], "multi_modal_projector.weight": [64, 64]}
        (folder / "model.safetensors").write_bytes(llm_seeds.safetensors(shapes))
        on = ["llm", folder, "-m", "a100-v100", *QUICK]
        device_map = json.loads(self.json_of(*on, "--runtime", "accelerate")["export"])
        self.assertEqual(set(device_map), {"language_model.model.embed_tokens", "language_model.model.layers.0", "language_model.model.norm",
                                           "language_model.lm_head", "vision_tower", "multi_modal_projector"})
        self.assertIn("16.0 KiB of towers for pictures or sound are left out", self.text_of(*on))

    def test_weights_of_a_bare_config(self):
        config = self.write("config.json", json.dumps(llm_seeds.CONFIG | {"quantization_config": {"quant_method": "awq", "bits": 4}}))
        on = ["llm", config, "-m", "a100-v100", *QUICK]
        packed = self.json_of(*on)
        self.assertIn("in awq (4 bit)", packed["notes"][0])
        chosen = self.json_of(*on, "--weights", "Q8_0")
        self.assertGreater(chosen["model"]["weight_bytes"], packed["model"]["weight_bytes"])
        usual = self.json_of("llm", "llama-8b", "-m", "a100-v100", "--runtime", "vllm", *QUICK)
        self.assertAlmostEqual(usual["model"]["weight_bytes"] / 2 / usual["model"]["parameters"], 1.0, 3, "vLLM serves bf16")

    def test_tokens_and_sizes(self):
        base = ["llm", "llama-8b", "-m", "rtx4090-3060", *QUICK]
        self.assertEqual(self.json_of(*base, "--ctx", "32k")["context"], 32768)
        self.assert_refused([*base, "--ctx", "32q"], "'32q' is no number of tokens from 1 to 67108864; write for example 8192, 32k or 1M")
        self.assert_refused([*base, "--ctx", "0"], "'0' is no number of tokens")
        self.assert_refused([*base, "--reserve", "gpu0=1.5"], "--reserve: '1.5' has no unit; write for example 1.5GiB")
        self.assert_refused([*base, "--host-memory", "2"], "--host-memory: '2' has no unit")

    def test_models_of_every_name(self):
        for model in ("gpt-oss-120b", "qwen3-next-80b-a3b", "glm-4.5-air", "kimi-k2", "llama4-scout", "gemma3-27b", "gemma3n-e4b", "deepseek-v3.2"):
            answer = json.loads(berth("llm", model, "-m", "rtx4090-3060", "--ctx", "8k", "--json", *QUICK).stdout)
            self.assertEqual(answer["notes"], [], model)
            self.assertGreater(answer["cache_bytes"], 0)

    def test_a_request_is_asked_for(self):
        text = self.text_of("llm", "llama-8b", "-m", "rtx4090-3060", *QUICK)
        self.assertRegex(text, r"a request of 2,000 tokens in and 300 out: first word after [\d.]+ m?s, all after [\d.]+ s")
        answer = self.json_of("llm", "llama-8b", "-m", "rtx4090-3060", *QUICK)
        self.assertAlmostEqual(answer["objective_value_s"], 2000 / answer["prefill_tokens_per_s"] + 300 / answer["decode_tokens_per_s"])
        self.assertAlmostEqual(answer["first_token_s"], 2000 / answer["prefill_tokens_per_s"] + 1 / answer["decode_tokens_per_s"])
        several = self.text_of("llm", "llama-8b", "-m", "rtx4090-3060", "--sequences", "4", *QUICK)
        self.assertRegex(several, r"decode +[\d,.]+ tok/s in all, [\d.]+ each")

    def test_the_fast_card_computes_the_prompt(self):
        base = ["llm", "gpt-oss-120b", "-m", "rtx4090-3060", "--ctx", "32k", *QUICK]
        usual, decode = self.json_of(*base), self.json_of(*base, "--objective", "decode", "--prompt-batch", "512")
        self.assertGreater(usual["prefill_tokens_per_s"], 2 * decode["prefill_tokens_per_s"])
        self.assertGreater(usual["decode_tokens_per_s"], 0.9 * decode["decode_tokens_per_s"])
        self.assertGreater(usual["prompt_batch"], 512, "copies of weights are fewer")
        self.assertIn(f"-ub {usual['prompt_batch']}", usual["export"])

    def test_margins_stay_free(self):
        base = ["llm", "llama-70b", "-m", "rtx4090-3060", *QUICK]
        def free(answer):
            return [d["capacity_bytes"] - d["weight_bytes"] - d["cache_bytes"] - d["runtime_bytes"] for d in answer["devices"][1:]]
        self.assertGreaterEqual(min(free(self.json_of(*base))), 1 << 30)
        wide = free(self.json_of(*base, "--margin", "gpu0=3GiB"))
        self.assertGreaterEqual(wide[0], 3 << 30)
        self.assertGreaterEqual(wide[1], 1 << 30)
        self.assert_refused([*base, "--margin", "1"], "--margin: '1' has no unit")

    def test_more_is_never_worse(self):
        for model in ("gpt-oss-20b", "llama-70b", "mixtral-8x7b"):
            answer = self.json_of("llm", model, "-m", "rtx4090-3060", "--ctx", "8k")
            for what in answer["what_if"]:
                if "more on" in what["change"] or "slot" in what["change"]:
                    self.assertLessEqual(what["objective_value_s"], answer["objective_value_s"], what)

    def test_flags_that_leave_it_open_are_fitted(self):
        base = ["llm", "llama-70b", "-m", "rtx4090-3060", *QUICK, "--flags"]
        for line in ("-c 4096", "-ngl auto -c 4096", "-fit on"):
            answer = self.json_of(*base, line)
            fit = next(rival for rival in answer["rivals"] if rival["name"] == "--fit")
            self.assertEqual(answer["given"]["objective_value_s"], fit["objective_value_s"], line)
        text = self.text_of(*base, "--ngl 30 -c 8192 -md x.gguf", "--ctx", "4096")
        self.assertIn("--ngl is skipped; did you mean -ngl?", text)
        self.assertIn("-md loads a second model, whose memory is not counted", text)
        self.assertIn("your flags say -c 8192; all is judged with --ctx 4096", text)
        alone = self.text_of("llm", "llama-8b", "-m", "rtx4090-3060", "--without", "gpu0", "--without", "gpu1", "--to", "llama.cpp", *QUICK)
        self.assertIn("-ngl 0 -dev none", alone)
        hip = self.text_of("llm", "llama-8b", "-m", "rtx4090-3060", "--backend", "hip", "--to", "llama.cpp", *QUICK)
        self.assertIn("-dev ROCm0", hip)

    def test_demands(self):
        base = ["llm", "llama-8b", "-m", "rtx4090-3060", *QUICK]
        without = self.json_of(*base, "--without", "gpu0")
        self.assertEqual({layer["home"] for layer in without["layers"]}, {"gpu1"})
        last = self.json_of(*base, "--last", "gpu0")
        self.assertEqual({layer["home"] for layer in last["layers"]}, {"gpu1"}, "it fits on the other card")
        pinned = self.json_of(*base, "--pin", "30-31=gpu1")
        self.assertEqual(pinned["layers"][31]["home"], "gpu1")
        self.assertRegex(self.text_of(*base, "--pin", "30-31=gpu1"), r"layer filling .*one after the other; not as pinned")
        reserved = self.json_of(*base, "--reserve", "gpu0=20GiB")
        self.assertEqual(self.json_of(*base, "--reserve", "gpu:0=20GiB")["devices"], reserved["devices"])
        self.assertEqual({layer["home"] for layer in self.json_of(*base, "--last", "rtx4090")["layers"]}, {"gpu1"})
        self.assertGreaterEqual(reserved["devices"][1]["runtime_bytes"], 20 << 30)
        mixed = self.json_of(*base, "--objective", "2000:300")
        self.assertGreater(mixed["objective_value_s"], 300 * mixed["decode_step_s"])

    def test_refusals(self):
        on = ["-m", "rtx4090-3060"]
        self.assert_refused(["llm", "llama-9b", *on], "no file or language model 'llama-9b'; did you mean 'llama-8b'?")
        self.assert_refused(["llm", "llama-8b", "-m", "nowhere"], "nowhere")
        self.assert_refused(["llm", "llama-8b", *on, "--runtime", "ollama"], "there are llama.cpp, vllm and accelerate")
        self.assert_refused(["llm", "llama-8b", *on, "--objective", "fast"], "--objective: 'fast' is none")
        self.assert_refused(["llm", "llama-8b", *on, "--weights", "q9"], "no weight type 'q9'")
        self.assert_refused(["llm", "llama-8b", *on, "--cache-type", "q9"], "there is no type 'q9'")
        self.assert_refused(["llm", "llama-8b", *on, "--cache-type", "q4_k"], "llama.cpp keeps no cache of type q4_k; it takes f16")
        self.assert_refused(["llm", "llama-8b", *on, "--runtime", "vllm", "--cache-type", "q8_0"], "it takes f16, bf16")
        self.assert_refused(["llm", "llama-8b", *on, "--depth", "5000"], "5000 tokens are more than the context of 4096 holds")
        self.assert_refused(["llm", "llama-8b", *on, "--last", "cpu"], "'cpu' is no GPU")
        self.assert_refused(["llm", "llama-8b", *on, "--pin", "40=gpu0"], "names no layers from 0 to 31")
        self.assert_refused(["llm", "llama-8b", *on, "--pin", "0=gpu0", "--pin", "1=cpu", "--pin", "31=gpu0"], "cannot be where")
        self.assert_refused(["llm", "llama-8b", *on, "--without", "cpu"], "no runtime does without the CPU")
        self.assert_refused(["llm", "llama-8b", *on, "--reserve", "gpu0"], "is not of the form gpu0=1.5GiB")
        self.assert_refused(["llm", "llama-8b", *on, "--flags", "-ot x=CUDA9"], "it has: CPU, CUDA0, CUDA1")
        self.assert_refused(["llm", "llama-8b", *on, "--to", "vllm"], "plan with --runtime vllm too")
        self.assert_refused(["llm", self.write("m.safetensors", b""), *on], "give the folder, with config.json beside them")
        bad = self.write("bad.gguf", b"GGUF" + bytes(20))
        self.assert_refused(["llm", bad, *on], "bad.gguf: GGUF version 0 is not read", limited=True)
        huge = self.write("huge.gguf", b"GGUF\3\0\0\0" + bytes([255] * 16))
        self.assert_refused(["llm", huge, *on], "more than its 0 bytes can hold", limited=True)

    def test_what_does_not_fit(self):
        done = berth("llm", "deepseek-v3", "-m", "rtx4090-3060", *QUICK)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"it does not fit: \d+ GiB too much")
        self.assert_one_line_error(done, "does not fit on rtx4090-3060 with a context of 4096", code=1)
        over = [float(gib) for gib in re.findall(r"OOM +([\d.]+) GiB over", done.stdout)]
        self.assertEqual(len(over), 5)
        self.assertNotIn("-ngl", done.stdout, "what does not fit is not to be pasted")
        self.assertRegex(done.stdout, r"OOM +\d+ GiB over, on \w+")
        answer = json.loads(berth("llm", "deepseek-v3", "-m", "rtx4090-3060", "--json", *QUICK).stdout)
        self.assertIsNone(answer["decode_tokens_per_s"])
        self.assertEqual(answer["export"], "")
        self.assertLessEqual(float(re.search(r"fit: ([\d.]+) GiB", done.stdout)[1]), min(over))
        asked = berth("llm", "llama-70b", "-m", "core-ultra").stdout
        lacking = float(re.search(r"it does not fit: ([\d.]+) GiB", asked)[1])
        self.assertAlmostEqual(float(re.search(r"1 GiB more on gpu0 +OOM +([\d.]+) GiB over", asked)[1]), lacking - 1.0, 0)

    def test_contexts_beyond_the_trained_one(self):
        text = self.text_of("llm", "gemma2-9b", "-m", "rtx4090-3060", "--ctx", "32768", *QUICK)
        self.assertIn("32,768 at all (it was trained for 8,192)", text)
        text = self.text_of("llm", "gemma2-9b", "-m", "rtx4090-3060", *QUICK)
        self.assertIn("8,192 at all (all it was trained for)", text)

    def test_vllm_is_told_what_it_may_take(self):
        on = ["llm", "llama-70b", "-m", "a100-v100", "--runtime", "vllm", "--to", "vllm", *QUICK]
        self.assertNotIn("--gpu-memory-utilization", self.text_of(*on, "--weights", "awq"))
        line = self.text_of(*on, "--ctx", "32768", "--batch", "3", "--weights", "q8_0")
        self.assertIn("--max-num-seqs 3", line)
        share = float(re.search(r"--gpu-memory-utilization ([\d.]+)", line)[1])
        self.assertTrue(0.9 < share <= 1.0, share)

    def test_caches_of_runtimes(self):
        cache = ["llm", "deepseek-v2-lite", "-m", "rtx4090-3060", "--ctx", "1024", *QUICK]
        latent = self.json_of(*cache)
        self.assertEqual(latent["cache_bytes"], 27 * 1024 * (512 + 64) * 2)
        expanded = self.json_of(*cache, "--runtime", "accelerate")
        self.assertEqual(expanded["cache_bytes"], 27 * 1024 * 16 * (192 + 128) * 2, "transformers keeps every head")
        three = self.json_of("llm", "llama-8b", "-m", "rtx4090-3060", "--ctx", "100", "--sequences", "3", *QUICK)
        self.assertEqual(three["cache_bytes"], 3 * 32 * 256 * 8 * (128 + 128) * 2)

    def test_depth_costs_time(self):
        base = ["llm", "llama-8b", "-m", "rtx3090", "--ctx", "64k", *QUICK]
        short, long = self.json_of(*base), self.json_of(*base, "--objective", "30000:300")
        self.assertGreater(short["prefill_tokens_per_s"], 1.1 * long["prefill_tokens_per_s"])
        self.assertGreater(short["decode_tokens_per_s"], 1.1 * long["decode_tokens_per_s"])
        self.assertEqual(self.json_of(*base, "--depth", "15k")["decode_step_s"], self.json_of(*base, "--depth", "15360")["decode_step_s"])
        self.assertEqual({part["table"] for part in short["decode_parts"]}, {"NVIDIA cards"})

    def test_macs_keep_to_their_working_set(self):
        text = self.text_of("llm", "llama-70b", "-m", "m1-max", "--to", "llama.cpp", *QUICK)
        self.assertIn("-dev MTL0", text)
        answer = json.loads(berth("llm", "llama-70b", "-m", "m1-max", "--ctx", "64k", "--json", *QUICK).stdout)
        gpu = answer["devices"][1]
        self.assertLessEqual(gpu["weight_bytes"] + gpu["cache_bytes"] + gpu["runtime_bytes"], 48 << 30)
        self.assertIn("ROCm0", self.text_of("llm", "llama-8b", "-m", "mi300x", "--to", "llama.cpp", *QUICK))
        self.assertIn("Vulkan0", self.text_of("llm", "llama-8b", "-m", "rx7900xtx", "--to", "llama.cpp", *QUICK))
        self.assertIn("CUDA1", self.text_of("llm", "llama-70b", "-m", "rtx3090x2", "--to", "llama.cpp", *QUICK))

    def test_a_page(self):
        page = self.folder / "page.html"
        self.text_of("llm", "qwen3-30b-a3b", "-m", "rtx4090-3060", "--report", page)
        html = page.read_text()
        for word in ("layer 47 on", "Memory over the context", "Tokens a second over", "With other hardware", "-ngl"):
            self.assertIn(word, html)
        self.assertNotIn("<script", html)
        self.assert_refused(["llm", "llama-8b", "-m", "rtx3090", "--report", self.folder / "nowhere" / "x.html"], "nowhere")

    def test_problems_say_where_and_what_to_do(self):
        done = berth("llm", "llama-70b", "-m", "rtx3090", "--ctx", "131072", "--weights", "q8_0", *QUICK)
        self.assertRegex(done.stdout, r"problem: (cpu|gpu0) lacks [\d.]+ GiB: take --ctx \d+")
        answer = json.loads(berth("llm", "deepseek-v3", "-m", "rtx3090", "--json", *QUICK).stdout)
        self.assertIn("from a disk of 3 GB/s (mmap)", answer["problems"][0]["remedy"])

    def test_experts_one_by_one(self):
        base = ["llm", "mixtral-8x7b", "-m", "rtx3060", "--ctx", "8k", *QUICK, "--routing"]
        uniform = self.json_of(*base, "uniform")["experts"]
        self.assertTrue(uniform["uniform"])
        self.assertLess(uniform["by_layers_decode_step_s"] / uniform["decode_step_s"], 1.08, "no more than a part of a layer")
        self.assertIn("every expert as likely", self.text_of(*base, "uniform"))
        self.assertIn("gains nothing", self.text_of(*base, "uniform"))
        skewed = {"format": "berth-routing/1", "layers": [{"layer": i, "counts": [100, 50, 25, 12, 6, 3, 2, 1]} for i in range(32)]}
        trace = self.write("trace.json", json.dumps(skewed))
        found = self.json_of(*base, trace)["experts"]
        self.assertFalse(found["uniform"])
        self.assertEqual([len(layer["devices"]) for layer in found["layers"]], [8] * 32)
        self.assertGreater(found["layers_on_cpu"], 0)
        self.assertGreater(found["by_layers_decode_step_s"] / found["decode_step_s"], 1.1)
        bad = self.write("bad.json", json.dumps({"format": "berth-routing/1", "layers": [{"layer": 0, "counts": [1, 2]}]}))
        self.assert_refused([*base, bad], "layer 0 has 8 experts, not 2")
        self.assert_refused([*base, self.write("other.json", '{"format": "x"}')], 'this is "berth-routing/1"')
        self.assert_refused(["llm", "llama-8b", "-m", "rtx3090", "--routing", "uniform"], "llama-8b has no experts")

    def test_plans_of_another_runtime_are_told(self):
        text = self.text_of("llm", "llama-8b", "-m", "rtx4090-3060", "--partition", "16,16", *QUICK)
        self.assertIn("note: your partition is judged as llama.cpp would run it; --runtime vllm", text)


main()
