// SPDX-License-Identifier: Apache-2.0
#include "export/pipeline_script.h"

namespace berth {

const std::string_view kOrtPipelineScript =
    R"PY("""Runs the stages of a pipeline in ONNX Runtime: while one sample is in a stage, the next one is in the stage before it.
What goes from stage to stage stays in the memory of the device that made it.

    from run import Pipeline
    pipeline = Pipeline()                                  # in this folder
    outputs = pipeline.run({"input_ids": ...})             # one sample; {name: array}
    for outputs in pipeline.run_many(samples): ...         # many, in their order

`python run.py` says where the stages are and runs them once; `python run.py --help` says what else it does."""
import argparse
import ctypes
import json
import pathlib
import queue
import sys
import threading
import time

import numpy
import onnxruntime
from onnxruntime import OrtValue

HERE = pathlib.Path(__file__).resolve().parent
PROVIDERS = {  # the first that this installation has, by kind of device
    "gpu": ["CUDAExecutionProvider", "MIGraphXExecutionProvider", "ROCMExecutionProvider", "DmlExecutionProvider", "OpenVINOExecutionProvider"],
    "npu": ["QNNExecutionProvider", "VitisAIExecutionProvider", "OpenVINOExecutionProvider"],
}
MEMORY = {"CUDAExecutionProvider": "cuda", "TensorrtExecutionProvider": "cuda", "DmlExecutionProvider": "dml"}  # others work from the CPU's
BITS = {"tensor(bfloat16)": (16, numpy.uint16), "tensor(float8e4m3fn)": (17, numpy.uint8), "tensor(float8e4m3fnuz)": (18, numpy.uint8),
        "tensor(float8e5m2)": (19, numpy.uint8), "tensor(float8e5m2fnuz)": (20, numpy.uint8)}  # numpy has no such types


def provider(kind, index, wanted=()):
    """Name and options; `wanted` names come before the table's: TensorrtExecutionProvider, OpenVINOExecutionProvider."""
    names = [name for name in wanted if kind != "cpu" or name == "OpenVINOExecutionProvider"] + PROVIDERS.get(kind, [])
    for name in names:
        if name in onnxruntime.get_available_providers():
            if name == "OpenVINOExecutionProvider":
                return name, {"device_type": f"GPU.{index}" if kind == "gpu" else kind.upper()}
            return name, {"device_id": str(index)}
    return "CPUExecutionProvider", {}


def to_ort(value, kind):
    """An array as ONNX Runtime holds it; of types that numpy has not, an array of their bits or of ml_dtypes."""
    if not isinstance(value, (numpy.ndarray, numpy.generic)) or kind == "tensor(string)":
        return value  # a sequence is a list, an optional may be None, and strings cannot be bound
    if kind in BITS:
        number, bits = BITS[kind]
        return OrtValue.ortvalue_from_numpy_with_onnx_type(numpy.ascontiguousarray(value).view(bits), number)
    return OrtValue.ortvalue_from_numpy(numpy.ascontiguousarray(value).reshape(numpy.shape(value)))


def to_numpy(value):
    """An array; of types that numpy has not, their bits (two numbers to a byte if they have four)."""
    if not isinstance(value, OrtValue):
        return value
    try:
        return value.numpy()
    except RuntimeError:
        raw, count = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes()), int(numpy.prod(value.shape()))
        bits = numpy.frombuffer(raw, numpy.uint16 if len(raw) == 2 * count else numpy.uint8)
        return bits.reshape(value.shape()) if bits.size == count else bits


class Stage:
    """One session. `returned` are the outputs that the user gets; they are in the CPU's memory."""

    def __init__(self, model, chosen, returned, options=None):
        self.session = onnxruntime.InferenceSession(model, options, providers=[chosen])
        self.inputs = {value.name: value for value in self.session.get_inputs() + self.session.get_overridable_initializers()}
        self.outputs = {value.name: value for value in self.session.get_outputs()}
        device = MEMORY.get(self.session.get_providers()[0], "cpu"), int(chosen[1].get("device_id", 0))
        self.memory = {name: ("cpu", 0) if name in returned or value.type == "tensor(string)" else device for name, value in self.outputs.items()}
        # ONNX Runtime cannot bind optionals, nor take a sequence out of a binding.
        self.binds = not any(value.type.startswith("optional(") or (name in returned and not value.type.startswith("tensor("))
                             for name, value in self.outputs.items())
        self.done = set()  # values that no later stage reads

    def run(self, values):
        """Takes what it reads out of the values and adds what it makes."""
        fed = {name: values.get(name) for name, value in self.inputs.items() if name in values or value.type.startswith("optional(")}
        if self.binds and all(isinstance(value, OrtValue) for value in fed.values()):
            binding = self.session.io_binding()
            for name, value in fed.items():
                binding.bind_ortvalue_input(name, value)
            for name, memory in self.memory.items():
                binding.bind_output(name, *memory)
            self.session.run_with_iobinding(binding)
            binding.synchronize_outputs()
            made = binding.get_outputs()
        else:
            made = [to_ort(value, kind.type) for value, kind in zip(self.session.run(list(self.outputs), fed), self.outputs.values())]
        values.update(zip(self.outputs, made))
        for name in self.done:
            values.pop(name, None)


class Pipeline:
    def __init__(self, folder=HERE, options=None, wanted=()):
        """`wanted`: names of execution providers to try first."""
        self.manifest = json.loads((pathlib.Path(folder) / "pipeline.json").read_text())
        self.stages = [Stage(pathlib.Path(folder) / stage["file"], provider(stage["kind"], stage["index"], wanted), self.manifest["outputs"], options)
                       for stage in self.manifest["stages"]]
        needed = set(self.manifest["outputs"])
        for stage in reversed(self.stages):
            stage.done = set(stage.inputs) - needed
            needed |= set(stage.inputs)
        self.inputs = {name: value for stage in self.stages for name, value in stage.inputs.items() if name in self.manifest["inputs"]}

    def start(self, inputs):
        missing = [name for name, value in self.inputs.items() if name not in inputs and not value.type.startswith("optional(")]
        if missing:
            raise ValueError(f"no value for the input '{missing[0]}'; the inputs are: {', '.join(self.inputs)}")
        return {name: to_ort(value, self.inputs[name].type if name in self.inputs else "") for name, value in inputs.items()}

    def finish(self, values):
        return {name: to_numpy(values[name]) for name in self.manifest["outputs"]}

    def run(self, inputs):
        values = self.start(inputs)
        for stage in self.stages:
            stage.run(values)
        return self.finish(values)

    def run_many(self, samples, in_flight=None):
        """The outputs of every sample, in their order. A thread for every stage; at most `in_flight` samples are under way."""
        in_flight = in_flight or len(self.stages) + 1
        queues = [queue.SimpleQueue() for _ in range(len(self.stages) + 1)]
        threads = [threading.Thread(target=work, args=(stage, *queues[i:i + 2]), daemon=True) for i, stage in enumerate(self.stages)]
        for thread in threads:
            thread.start()
        under_way = 0
        try:
            for sample in samples:
                queues[0].put(self.start(sample))
                under_way += 1
                if under_way == in_flight:
                    yield self.finish(result(queues[-1]))
                    under_way -= 1
            for _ in range(under_way):
                yield self.finish(result(queues[-1]))
        finally:
            queues[0].put(None)
            for thread in threads:
                thread.join()


def work(stage, before, behind):
    """Until None comes; an error goes the way of the sample that it belongs to."""
    while (values := before.get()) is not None:
        try:
            if not isinstance(values, Exception):
                stage.run(values)
        except Exception as error:
            values = error
        behind.put(values)
    behind.put(None)


def result(queued):
    values = queued.get()
    if isinstance(values, Exception):
        raise values
    return values


def random_array(value, sizes, random):
    """For an input; open sizes are 1 unless they are given."""
    shape = [size if isinstance(size, int) else sizes.get(size, 1) for size in value.shape or []]
    kind = value.type[len("tensor("):-1]
    if not value.type.startswith("tensor(") or kind.startswith(("float8", "float4", "int4", "uint4", "complex")):
        sys.exit(f"no random values for the input '{value.name}', {value.type}; give --inputs")
    if kind == "string":
        return numpy.full(shape, "text", object)
    if kind == "bfloat16":
        return (random.standard_normal(shape, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    if kind in ("float", "double", "float16"):
        return random.standard_normal(shape).astype({"float": numpy.float32}.get(kind, kind))
    return random.integers(0, 2, shape).astype(kind)


def is_close(found, wanted):
    if isinstance(wanted, list):
        return len(found) == len(wanted) and all(map(is_close, found, wanted))
    if wanted is None or wanted.dtype.kind not in "fc":
        return numpy.array_equal(found, wanted)
    return found.shape == wanted.shape and numpy.allclose(found, wanted, rtol=1e-3, atol=1e-4, equal_nan=True)


def main():
    parser = argparse.ArgumentParser(description="Runs the stages of this folder in ONNX Runtime, several samples at a time.")
    parser.add_argument("--inputs", metavar="FILE.npz", help="an array for every input; without it, random numbers")
    parser.add_argument("--samples", type=int, default=1, metavar="N", help="how often to run (default 1)")
    parser.add_argument("--dim", action="append", default=[], metavar="NAME=SIZE", help="size of an open dimension of random inputs (default 1)")
    parser.add_argument("--provider", action="append", default=[], metavar="NAME", help="execution provider to try first")
    parser.add_argument("--check", metavar="MODEL.onnx", help="also run the whole model on the CPU; status 1 if an output differs")
    parser.add_argument("--output", metavar="FILE.npz", help="file for the outputs of the first sample")
    flags = parser.parse_args()

    pipeline = Pipeline(wanted=flags.provider)
    for entry, stage in zip(pipeline.manifest["stages"], pipeline.stages):
        print(entry["file"], entry["device"], stage.session.get_providers()[0], sep="\t")
    random = numpy.random.default_rng(0)
    sizes = {name: int(size) for name, size in (word.split("=") for word in flags.dim)}
    if flags.inputs:
        samples = [dict(numpy.load(flags.inputs))] * flags.samples
    else:
        samples = [{name: random_array(value, sizes, random) for name, value in pipeline.inputs.items()} for _ in range(flags.samples)]
    begin = time.perf_counter()
    results = list(pipeline.run_many(samples))
    print(f"{len(results)} sample{'' if len(results) == 1 else 's'} in {time.perf_counter() - begin:.3f} s")
    if flags.output:
        numpy.savez(flags.output, **results[0])
    if flags.check:
        whole = Stage(flags.check, ("CPUExecutionProvider", {}), pipeline.manifest["outputs"])
        for sample, outputs in zip(samples, results):
            values = pipeline.start(sample)
            whole.run(values)
            wrong = [name for name, found in outputs.items() if not is_close(found, to_numpy(values[name]))]
            if wrong:
                sys.exit(f"the output '{wrong[0]}' is not that of {flags.check}")
        print(f"the outputs are those of {flags.check}")


if __name__ == "__main__":
    main()
)PY";

}  // namespace berth
