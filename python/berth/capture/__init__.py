# SPDX-License-Identifier: Apache-2.0
"""Captures a PyTorch model as a graph that Berth can plan and run (aten-graph/1).

    import berth
    report = berth.capture(model, (images,), train=True, path="model.train.json.gz")
    print(report)

or from a shell: python -m berth.capture my_models:small_bert --train -o bert.train.json.gz

Nothing is computed: the model is traced on tensors without contents, so it may be larger than this computer's memory. Needs
PyTorch 2.5 or newer.
"""
import gzip
import json
import os
import sys
import tempfile
import types

from .convert import Converter, Report
from .errors import CaptureError

__all__ = ["CaptureError", "Report", "capture", "document_of"]


def document_of(model, args=(), kwargs=None, *, train=False, loss=None, name=None, time_on=()):
    """(document, report): the capture as plain values."""
    from . import trace  # needs torch; the rest of this package does not
    trace.check_version()
    traced = trace.training_step(model, args, kwargs or {}, loss) if train else trace.inference(model, args, kwargs or {})
    converter = Converter(traced)
    document = converter.document(name or type(model).__name__, "train" if train else "infer")
    if time_on:
        from . import timing
        timing.add_times(document, traced, converter, time_on)
    return document, converter.report


def capture(model, args=(), kwargs=None, *, train=False, loss=None, name=None, path=None, time_on=()):
    """Captures one inference, or with `train` forward, backward and update, and writes it to `path` (.json or .json.gz).

    `loss` makes a number of the model's output; by default its attribute or entry `loss`, else the output itself if it is one
    number, else the mean of its first tensor. `time_on` ("cpu", "cuda") also times every op there, which needs the memory.
    """
    if path is not None:
        check_writable(path)
    document, report = document_of(model, args, kwargs, train=train, loss=loss, name=name, time_on=time_on)
    if path is not None:
        write(document, path)
    report.path = path
    return report


def check_writable(path):
    """Before the work: that a file can be written there."""
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise CaptureError(f"{path} is no file that could be replaced; give another -o")
    if not os.path.isdir(os.path.dirname(target)):
        raise CaptureError(f"there is no folder {os.path.dirname(target)} to write {os.path.basename(target)} to")


def write(document, path):
    """Atomically: a reader never sees half a file. Equal captures give equal bytes."""
    check_writable(path)
    text = json.dumps(document, separators=(",", ":")).encode()
    if str(path).endswith(".gz"):
        text = gzip.compress(text, mtime=0)
    target = os.path.realpath(path)  # a link stays one
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(target))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


class _CallableModule(types.ModuleType):
    """berth.capture is a module and, for short, the function in it."""

    def __call__(self, *args, **kwargs):
        return capture(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
