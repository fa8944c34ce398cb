# SPDX-License-Identifier: Apache-2.0
"""Graphs: from files, from the zoo, or from objects of PyTorch and ONNX."""
from __future__ import annotations

import json
import os
import pathlib
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Sequence, Union

from . import _berth

if TYPE_CHECKING:
    import pandas

GraphSource = Union["Graph", str, "os.PathLike[str]", Any]


class Graph:
    """A computation graph. Made by load()."""

    def __init__(self, native: _berth.Graph, written: Written):
        self._native = native
        self._written = written

    @property
    def title(self) -> str:
        return self._native.title

    @property
    def source(self) -> str:
        return self._native.source

    @property
    def hash(self) -> str:
        """Covers names, types, edges, dtypes and shapes: graphs with the same hash take the same plans."""
        return self._native.hash

    @property
    def flops(self) -> float:
        return self._native.flops

    @property
    def parameter_bytes(self) -> int:
        return self._native.parameter_bytes

    @property
    def num_edges(self) -> int:
        return self._native.num_edges

    def __len__(self) -> int:
        """Number of ops."""
        return len(self._native)

    def ops(self) -> list[dict[str, Any]]:
        return self._native.ops()

    def info(self) -> dict[str, Any]:
        """All that `berth graph info --json` says: parallelism, memory, times on devices, what the file leaves open."""
        return json.loads(_berth.info(self._written.source, self._written.options()))

    def to_pandas(self) -> pandas.DataFrame:
        import pandas
        return pandas.DataFrame(self.ops())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the native format, .json or .json.gz."""
        self._native.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<berth.Graph '{self.title}': {len(self):,} ops, {self.num_edges:,} edges, {self.flops:.3g} flops>"


class Written:
    """Where a graph can be read, and how: what is open in the file of a model."""

    def __init__(self, source: GraphSource, dims: Mapping[str, int] | None, outputs: Sequence[str], signature: str, tag: str):
        before = source._written if isinstance(source, Graph) else None
        self.folder: tempfile.TemporaryDirectory[str] | None = before.folder if before else None  # of an object that was written down; exports read it again
        if before:
            source = before.source
        elif not isinstance(source, (str, os.PathLike)):
            self.folder = tempfile.TemporaryDirectory(prefix="berth-")
            source = _write(source, pathlib.Path(self.folder.name))
        self.source: str = os.fspath(source)
        self.dims: dict[str, int] = dict(dims or (before.dims if before else {}))
        self.outputs: list[str] = list(outputs or (before.outputs if before else ()))
        self.signature: str = signature or (before.signature if before else "")
        self.tag: str = tag or (before.tag if before else "")

    def options(self) -> _berth.ImportOptions:
        return _berth.ImportOptions(self.dims, self.outputs, self.signature, self.tag)


def load(source: GraphSource, *, dims: Mapping[str, int] | None = None, outputs: Sequence[str] = (), signature: str = "",
         tag: str = "") -> Graph:
    """A graph from a file (.onnx .pt2 .xml .pb .gguf .json ...), a model of the zoo ("zoo:nmt-4,batch=64"), a
    torch.export.ExportedProgram or an onnx.ModelProto.

    dims: sizes that a model's file leaves open, {"batch": 8}. outputs, signature, tag: which step of a TensorFlow graph."""
    if isinstance(source, Graph):
        return source
    written = Written(source, dims, outputs, signature, tag)
    native = _berth.load(written.source, written.options())
    for warning in native.warnings:
        warnings.warn(warning, stacklevel=2)
    return Graph(native, written)


def _write(model: Any, folder: pathlib.Path) -> str:
    """Objects are read by way of the files that their own libraries write."""
    if hasattr(model, "graph_module") and hasattr(model, "module_call_graph"):  # torch.export.ExportedProgram
        import torch
        path = folder / "model.pt2"
        torch.export.save(model, path)
    elif hasattr(model, "SerializeToString") and hasattr(model, "opset_import"):  # onnx.ModelProto
        path = folder / "model.onnx"
        path.write_bytes(model.SerializeToString())
    else:
        raise TypeError(f"a graph is a path, 'zoo:...', a torch.export.ExportedProgram or an onnx.ModelProto, not {type(model).__name__}")
    return str(path)
