# SPDX-License-Identifier: Apache-2.0
"""python -m berth.capture MODULE:FUNCTION -o FILE"""
import argparse
import importlib
import os
import sys
import warnings

from . import capture
from .errors import CaptureError

EPILOG = """FUNCTION takes nothing and gives (model, args) or (model, args, kwargs), for example in my_models.py:

  def small():
      return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU()), (torch.randn(8, 64),)

  python -m berth.capture my_models:small --train -o small.train.json.gz
  berth place small.train.json.gz --machine h200
"""


def made(word):
    module, _, function = word.partition(":")
    if not function:
        raise CaptureError(f"'{word}' is not MODULE:FUNCTION")
    sys.path.insert(0, os.getcwd())
    try:
        found = getattr(importlib.import_module(module), function)
    except ModuleNotFoundError as error:
        raise CaptureError(f"no module '{error.name}'") from error
    except AttributeError as error:
        raise CaptureError(f"module '{module}' has no '{function}'") from error
    try:
        made_by_user = found()
    except Exception as error:  # it is the user's code: anything may happen
        raise CaptureError(f"{word} failed: {type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}") from error
    if not isinstance(made_by_user, tuple) or len(made_by_user) not in (2, 3):
        raise CaptureError(f"{word} gives {type(made_by_user).__name__}; it must give (model, args) or (model, args, kwargs)")
    model, args, *kwargs = made_by_user
    return model, args, kwargs[0] if kwargs else {}


def fail(why):
    print(f"berth.capture: {why}", file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(prog="python -m berth.capture", epilog=EPILOG,
                                     description="Captures a PyTorch model as a graph for Berth (aten-graph/1).",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", metavar="MODULE:FUNCTION")
    parser.add_argument("-o", "--output", required=True, help=".json or .json.gz")
    parser.add_argument("--train", action="store_true", help="forward, backward and update; default: inference")
    parser.add_argument("--name", help="name of the graph; default: the model's class")
    parser.add_argument("--time", default="", help="also time every op on cpu, cuda or cpu,cuda")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=FutureWarning)  # PyTorch's own, about itself
    try:
        model, args, kwargs = made(options.model)
        print(capture(model, args, kwargs, train=options.train, name=options.name, path=options.output,
                      time_on=[word for word in options.time.split(",") if word]))
    except ImportError as error:
        fail(f"{error}; capturing needs PyTorch 2.5 or newer")
    except (CaptureError, OSError) as error:
        fail(error)


if __name__ == "__main__":
    main()
