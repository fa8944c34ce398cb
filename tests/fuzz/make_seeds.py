#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_seeds.py: writes the seeds that are not text (ONNX, TensorFlow, .pt2, gzip, GGUF, safetensors, checkpoints) and those of TensorFlow's text format into
tests/fuzz/seeds, the same every time. The others are written by hand. tests/import/crashers_test.cc checks that all are valid."""
import gzip
import io
import pathlib
import zipfile

import llm_seeds as llm
import onnx_seeds as onnx
import run_seeds as runs
import tensorflow_seeds as tensorflow
from proto import as_bytes, text, wire

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"


def zip_of(members, compression):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, contents in members:
            archive.writestr(zipfile.ZipInfo(name), contents, compression)  # ZipInfo: a fixed date
    return out.getvalue()


def write(reader, name, contents):
    folder = SEEDS / reader
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(as_bytes(contents))


TENSORFLOW = {"layers": tensorflow.LAYERS, "arrays": tensorflow.ARRAYS, "calls": tensorflow.CALLS, "loop": tensorflow.LOOP,
              "lists": tensorflow.LISTS, "images": tensorflow.IMAGES}
ONNX = {"layers": onnx.LAYERS, "shapes": onnx.SHAPES, "sequence": onnx.SEQUENCE, "function": onnx.FUNCTION,
        "bodies": onnx.BODIES, "names": onnx.NAMES, "heads": onnx.HEADS}


def main():
    for name, graph in TENSORFLOW.items():
        write("tensorflow", f"{name}.pb", wire("Graph", graph))
        write("tensorflow_text", f"{name}.pbtxt", text("Graph", graph))
    write("tensorflow", "graph.meta", wire("MetaGraph", tensorflow.META))
    write("tensorflow", "saved_model.pb", wire("SavedModel", tensorflow.SAVED))
    write("tensorflow_text", "saved_model.pbtxt", text("SavedModel", tensorflow.SAVED))
    for name, model in ONNX.items():
        write("onnx", f"{name}.onnx", wire("OnnxModel", model))
    program = (SEEDS / "pt2_program" / "linear.json").read_bytes()
    stored = [("net/archive_format", b"pt2"), ("net/models/model.json", program)]
    tied = b'{"config":{"fc.weight":{"path_name":"weight_0"},"head.weight":{"path_name":"weight_0"}}}'
    packed = [("serialized_exported_program.json", program), ("version", b"8.8")]
    write("pt2_archive", "stored.pt2", zip_of(stored, zipfile.ZIP_STORED))
    write("pt2_archive", "tied.pt2", zip_of([*stored, ("net/data/weights/model_weights_config.json", tied)], zipfile.ZIP_STORED))
    write("pt2_archive", "packed.pt2", zip_of(packed, zipfile.ZIP_DEFLATED))
    for name, contents in llm.GGUF.items():
        write("gguf", name, contents)
    for name, contents in llm.HF.items():
        write("hf_model", name, contents)
    write("foreign_plan", "tensorflow.pbtxt", text("Graph", tensorflow.LAYERS))
    for name, contents in runs.CHECKPOINTS.items():
        write("checkpoint", name, contents)
    write("gzip", "text.gz", gzip.compress(b"a text, a text, a text\n" * 9, mtime=0))
    write("gzip", "two_members.gz", gzip.compress(b"one\n", mtime=0) + gzip.compress(b"", mtime=0))


if __name__ == "__main__":
    main()
