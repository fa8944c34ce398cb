#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models of all kinds (onnx_zoo.py), cut into stages by random plans: whatever ONNX Runtime runs whole it runs in stages, with equal
outputs, or the export is refused by the name of a node. Usage: onnx_stages_test.py BERTH BUILD_FOLDER."""
import consumer

consumer.run_in_environment("onnxruntime")

import pathlib  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
import threading  # noqa: E402
import unittest  # noqa: E402

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
import onnx_zoo  # noqa: E402

BERTH = consumer.Program(sys.argv[1])
PLANS = 3
ROUNDED = {"half_norm": 2e-3}  # the CPU has no such kernels in half precision: in the whole model more of it runs in single
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL  # a stage sees less than the whole to optimise
OPTIONS.log_severity_level = 4


def berth(*args):
    return subprocess.run([BERTH.path, *map(str, args)], capture_output=True, text=True)


def whole_outputs(path, inputs):
    """None if ONNX Runtime does not run the model."""
    try:
        session = onnxruntime.InferenceSession(path, OPTIONS, providers=["CPUExecutionProvider"])
        return dict(zip([value.name for value in session.get_outputs()], session.run(None, inputs)))
    except Exception:
        return None


def assert_same(found, wanted, tolerance=0):
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted):
            assert_same(one, other)
    else:
        assert found.dtype == wanted.dtype, (found.dtype, wanted.dtype)
        if tolerance:
            np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(found, wanted)


class Stages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def export(self, path, seed, out):
        """The error, if it was refused."""
        plan = out.parent / f"{out.name}.json"
        for command in (["place", path, "-m", "k40x4", "-p", "random", "--seed", seed, "--evaluations", 1, "-q", "-o", plan],
                        ["export", path, "--plan", plan, "--to", "ort-stages", "-o", out]):
            done = berth(*command)
            if done.returncode != 0:
                self.assertEqual(done.returncode, 2, done.stderr)
                return done.stderr
        return None

    def test_what_runs_whole_runs_in_stages(self):
        tried = accepted = refused = stages = 0
        not_run, types = [], set()
        for name, make in onnx_zoo.MODELS.items():
            made, inputs = make()
            path = self.folder / f"{name}.onnx"
            onnx.save(made, path)
            expected = whole_outputs(path, inputs)
            if expected is None:
                not_run.append(name)
                continue
            tried += 1
            for seed in range(1, PLANS + 1):
                with self.subTest(model=name, seed=seed):
                    out = self.folder / f"{name}-{seed}"
                    error = self.export(path, seed, out)
                    if error is not None:
                        self.assertRegex(error, r"node '\w+'")
                        refused += 1
                        continue
                    pipeline = consumer.script(out, "run").Pipeline(options=OPTIONS)
                    outputs = pipeline.run(inputs)
                    self.assertEqual(set(outputs), set(expected))
                    for output, values in expected.items():
                        assert_same(outputs[output], values, ROUNDED.get(name, 0))
                    stages += len(pipeline.stages)
                    types |= {value.type for stage in pipeline.stages for value in stage.inputs.values()}
                    accepted += 1
        print(f"{tried} models x {PLANS} plans: {accepted} accepted in {stages} stages, {refused} refused by name; "
              f"{len(types)} types between stages; not run whole by ONNX Runtime: {', '.join(not_run)}")
        self.assertGreaterEqual(tried, 40)
        self.assertLessEqual(refused, PLANS, "the classifier alone may be")
        numbers = ("uint8 int8 uint16 int16 uint32 int32 uint64 int64 float16 float double bfloat16 bool string float8e4m3fn float8e4m3fnuz float8e5m2 "
                   "float8e5m2fnuz int4 uint4").split()
        self.assertLessEqual({f"tensor({kind})" for kind in numbers} | {"seq(tensor(float))", "seq(tensor(uint16))", "optional(tensor(float))"}, types)


class Pipelined(unittest.TestCase):
    """run.py: several samples at a time."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        made, _ = onnx_zoo.MODELS["norms"]()
        cls.model = cls.folder / "norms.onnx"
        onnx.save(made, cls.model)
        table = cls.folder / "plan.csv"
        table.write_text("op,device\nlayernormalization0,gpu0\nadd1,gpu1\nmul2,gpu2\n")
        cls.out = cls.folder / "stages"
        BERTH("export", cls.model, "-m", "k40x4", "--plan", table, "--to", "ort-stages", "-o", cls.out)
        cls.module = consumer.script(cls.out, "run")

    def samples(self, count):
        return [{"x": np.full((3, 4), i, np.float32) + np.arange(4, dtype=np.float32) ** i} for i in range(count)]

    def test_results_come_in_order_and_are_those_of_single_runs(self):
        pipeline = self.module.Pipeline(options=OPTIONS)
        self.assertEqual(len(pipeline.stages), 3)
        samples = self.samples(20)
        wanted = [pipeline.run(sample)["y"] for sample in samples]
        self.assertGreater(len({values.tobytes() for values in wanted}), 10, "samples can be told apart")
        for in_flight in (1, 2, None, 50):
            found = [outputs["y"] for outputs in pipeline.run_many(samples, in_flight)]
            np.testing.assert_array_equal(found, wanted)

    def test_stages_work_at_the_same_time(self):
        """Each stage but the first waits until the one before it has begun the next sample: without overlap that would take for ever."""
        pipeline = self.module.Pipeline(options=OPTIONS)
        samples = self.samples(10)
        begun = [[threading.Event() for _ in samples] for _ in pipeline.stages]
        overlapped = []

        def watched(number, run):
            turn = iter(range(len(samples)))

            def wrapped(values):
                sample = next(turn)
                begun[number][sample].set()
                if number > 0 and sample + 1 < len(samples):
                    overlapped.append(begun[number - 1][sample + 1].wait(timeout=900))
                return run(values)
            return wrapped

        for number, stage in enumerate(pipeline.stages):
            stage.run = watched(number, stage.run)
        self.assertEqual(len(list(pipeline.run_many(samples))), len(samples))
        self.assertEqual(overlapped, [True] * 18)

    def test_errors_reach_the_caller_and_threads_end(self):
        pipeline = self.module.Pipeline(options=OPTIONS)
        before = threading.active_count()
        good, bad = self.samples(1)[0], {"x": np.zeros((3, 5), np.float32)}
        results = pipeline.run_many([good, bad, good])
        next(results)
        with self.assertRaises(Exception):
            next(results)
        self.assertEqual(threading.active_count(), before)
        unfinished = pipeline.run_many([good] * 10)
        next(unfinished)
        unfinished.close()
        self.assertEqual(threading.active_count(), before)
        with self.assertRaisesRegex(ValueError, "no value for the input 'x'"):
            pipeline.run({})

    def test_every_session_is_made_once(self):
        made, real = [], onnxruntime.InferenceSession
        run = consumer.script(self.out, "run")
        run.onnxruntime.InferenceSession = lambda *args, **named: made.append(args[0]) or real(*args, **named)
        self.addCleanup(setattr, onnxruntime, "InferenceSession", real)
        arguments, sys.argv = sys.argv, ["run.py"]
        self.addCleanup(setattr, sys, "argv", arguments)
        run.main()
        self.assertEqual(len(made), 3)

    def test_as_a_program(self):
        def program(*args, code=0):
            done = subprocess.run([sys.executable, self.out / "run.py", *map(str, args)], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)
            return done.stdout + done.stderr

        self.assertIn("--inputs FILE.npz", program("--help"))
        shown = program("--samples", 5, "--check", self.model)
        self.assertIn("stage0.onnx\tgpu0\tCPUExecutionProvider", shown)
        self.assertIn("5 samples in", shown)
        self.assertIn("the outputs are those of", shown)
        np.savez(self.folder / "in.npz", **self.samples(2)[1])
        self.assertIn("\n1 sample in", program("--inputs", self.folder / "in.npz", "--output", self.folder / "out.npz"))
        wanted = whole_outputs(self.model, self.samples(2)[1])
        np.testing.assert_array_equal(np.load(self.folder / "out.npz")["y"], wanted["y"])
        other = self.folder / "other.onnx"
        made = onnx.load(self.model)
        made.graph.node[1].op_type = "Sub"
        onnx.save(made, other)
        self.assertIn("the output 'y' is not that of", program("--check", other, code=1))


if __name__ == "__main__":
    print(f"onnxruntime {onnxruntime.__version__}, onnx {onnx.__version__}")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
