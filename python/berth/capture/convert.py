# SPDX-License-Identifier: Apache-2.0
"""Traced nodes as ops of aten-graph/1. Works on anything that looks like the nodes of torch.fx; imports no torch."""
import collections
import operator

from .errors import CaptureError

DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8", "float8_e5m2": "f8",
          "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "bool", "complex64": "c64",
          "complex128": "c128"}


class Report:
    """What was captured, and what Berth or libtorch may not know what to do with."""

    def __init__(self):
        self.ops = 0
        self.foreign = collections.Counter()  # types outside ATen, which berth measure cannot run
        self.no_gradient = []                 # parameters that the loss does not depend on
        self.path = None

    def __str__(self):
        lines = [f"{self.ops} ops" + (f" written to {self.path}" if self.path else "")]
        for type, count in sorted(self.foreign.items()):
            lines.append(f"not an operator of ATen, so it can be planned but not run: {type} ({count} times)")
        if self.no_gradient:
            shown = ", ".join(self.no_gradient[:3]) + (", ..." if len(self.no_gradient) > 3 else "")
            lines.append(f"{len(self.no_gradient)} parameters get no gradient and no update: {shown}")
        return "\n".join(lines)


class Converter:
    """`traced` has: nodes (in topological order), role(node) -> (type, label) of placeholders and constants, outputs (nodes),
    updates ((parameter node, gradient node) pairs), unused (labels), torch (version)."""

    def __init__(self, traced):
        self.traced = traced
        self.number = {}
        self.ops = []
        self.report = Report()

    def document(self, name, mode):
        for node in self.traced.nodes:
            self.add(node)
        for parameter, gradient in self.traced.updates:
            self.ops.append({"name": f"update_{parameter.name}", "type": "sgd_update", "args": [self.value(parameter), self.value(gradient)],
                             "outputs": [], "updates": self.number[parameter]})
        self.report.ops = len(self.ops)
        self.report.no_gradient = list(self.traced.unused)
        return {"format": "aten-graph/1", "name": name, "mode": mode, "torch": self.traced.torch,
                "measured_on": {"cuda": None, "cpu": None}, "outputs": [self.number[node] for node in self.traced.outputs],
                "ops": self.ops}

    def add(self, node):
        role = self.traced.role(node) if node.op in ("placeholder", "get_attr") else None  # first: it knows what a get_attr is
        op = {"name": node.name, "outputs": outputs_of(node)}
        if role:
            op["type"], label = role
            if label:
                op["label"] = label
        elif node.op == "call_function":
            self.add_call(op, node)
        else:
            raise CaptureError(f"node '{node.name}' is a {node.op}; only calls of operators can be captured")
        self.number[node] = len(self.ops)
        self.ops.append(op)

    def add_call(self, op, node):
        if node.target is operator.getitem:
            op["type"] = "getitem"
        else:
            op["type"] = str(node.target)
            if not op["type"].startswith("aten."):
                self.report.foreign[op["type"]] += 1
        op["args"] = [self.value(argument) for argument in node.args]
        if node.kwargs:
            op["kwargs"] = {key: self.value(argument) for key, argument in node.kwargs.items()}
        if is_view(node.target):
            op["view"] = True
        flops = self.traced.flops(node)
        if flops:
            op["flops"] = flops
        module = module_path(node)
        if module:
            op["module"] = module

    def value(self, argument):
        if argument is None:
            return None
        if hasattr(argument, "op") and hasattr(argument, "target"):
            return {"op": self.number[argument]}
        if isinstance(argument, (list, tuple)):
            return {"list": [self.value(item) for item in argument]}
        if isinstance(argument, bool):
            return {"b": argument}
        if isinstance(argument, int):
            return {"i": argument}
        if isinstance(argument, float):
            return {"f": repr(argument)}
        if isinstance(argument, str):
            return {"s": argument}
        kind = type(argument).__name__
        if kind == "dtype":
            return {"dtype": dtype_name(argument)}
        if kind == "device":
            return {"device": "here"}
        if kind in ("layout", "memory_format"):
            return {kind: str(argument)}
        if kind in ("SymInt", "SymFloat", "SymBool"):
            raise CaptureError(f"a size depends on the data ({argument}); capture it with fixed sizes")
        raise CaptureError(f"an argument of type {kind} cannot be written: {argument!r}")


def dtype_name(dtype):
    name = str(dtype).removeprefix("torch.")
    if name not in DTYPES:
        raise CaptureError(f"dtype {name} is not known to Berth")
    return DTYPES[name]


def outputs_of(node):
    """Those that exist: backward ops leave some out."""
    value = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else [value]
    found = []
    for one in values:
        if one is None or not hasattr(one, "dtype"):
            continue
        shape = list(one.shape)
        if not all(isinstance(size, int) for size in shape):
            raise CaptureError(f"the shape of '{node.name}' depends on the data ({shape}); capture it with fixed sizes")
        found.append({"dtype": dtype_name(one.dtype), "shape": shape})
    return found


def is_view(target):
    """Whether what it gives aliases its input without writing to it. _unsafe_view does, though its schema does not say so."""
    if str(target) == "aten._unsafe_view.default":
        return True
    schema = getattr(target, "_schema", None)
    if schema is None:
        return False
    return any(result.alias_info is not None and not result.alias_info.is_write for result in schema.returns)


def module_path(node):
    """The innermost module that the op comes from, "" if the tracer did not keep it."""
    stack = node.meta.get("nn_module_stack")
    if not stack:
        return ""
    path = list(stack.values())[-1][0]
    return path.removeprefix("L['self'].").removeprefix("L['self']")
