#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Arrows point one way and are used: which module may include which, who may include torch, and what every source file must
have.

layering_test.py [ROOT]: prints one line per mistake and exits with 1 if there is any.
"""
import pathlib
import re
import subprocess
import sys

# Each module and those directly below it; app may use all. CMakeLists.txt links by the same table.
MAY = {
    "base": [],
    "graph": ["base"],
    "machine": ["base"],
    "ops": ["graph"],
    "zoo": ["ops"],
    "problem": ["ops", "machine"],
    "sim": ["problem"],
    "files": ["base"],
    "format": ["problem", "files"],
    "model": ["ops"],
    "import": ["model", "format"],
    "export": ["import"],
    "plan": ["sim"],
    "pipeline": ["plan", "format"],
    "serving": ["zoo", "sim", "files"],
    "runs": ["sim", "import"],
    "learn": ["runs", "services"],
    "measure": ["sim", "files"],
    "exec": ["measure", "import"],
    "report": ["sim", "export"],
    "manual": ["files"],
    "services": ["pipeline", "serving", "report", "measure", "runs"],
}
# Arrows that start in one folder of a module alone: training as a service loads, judges and saves as all services do; what learns knows
# nothing of that.
ONLY_FROM = {("learn", "services"): "run"}
MAY_USE_TORCH = {"learn", "exec"}
SOURCES = {".h", ".cc", ".py", ".cmake", ".sh"}
SPDX = "SPDX-License-Identifier: Apache-2.0"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)
# Folders of one machine have no place in a project; written in parts so that this file passes its own test.
MACHINE_PATH = re.compile(r"""(?:^|[\s"'`(=:,])/(?:""" + "wo" "rk|tm" "p|ho" "me|ro" "ot|Us" r"""ers)(?=[/\s"'`),;:]|$)""")


def below(module):
    return {module}.union(*(below(other) for other in MAY[module]))


def includes(text):
    """(is quoted, path) of every include."""
    return [(match[1] == '"', match[2]) for match in INCLUDE.finditer(text)]


def layering_mistakes(path, text):
    """Mistakes of one file of src/; `path` is relative to the root."""
    here = path.parts[1]
    if here != "app" and here not in MAY:
        return [f"{path}: '{here}' is no module; add it to the table in tests/layering_test.py"]
    mistakes = []
    allowed = set(MAY) | {"app"} if here == "app" else below(here)
    for quoted, target in includes(text):
        module = target.split("/")[0]
        if re.match(r"(torch|ATen|c10)(/|$)", target) and here not in MAY_USE_TORCH:
            mistakes.append(f"{path}: only {' and '.join(sorted(MAY_USE_TORCH))} may include torch ('{target}')")
        if quoted and "/" not in target:
            mistakes.append(f"{path}: include '{target}' by its module, as \"{here}/{target}\"")
        elif quoted and path.parts[2] != ONLY_FROM.get((here, module), path.parts[2]):
            mistakes.append(f"{path}: only {here}/{ONLY_FROM[here, module]} may include '{module}'")
        elif quoted and module not in allowed:
            known = module in MAY or module == "app"
            mistakes.append(f"{path}: '{here}' may not include '{module}'" if known
                            else f"{path}: '{module}' of \"{target}\" is no module")
    return mistakes


def nameless_mistakes(path, text, has_header):
    """A source outside of app whose header is not beside it: it begins with the header of its name, or with words on what it is."""
    if path.suffix != ".cc" or path.parts[1] == "app" or has_header:
        return []
    first = next((target for quoted, target in includes(text) if quoted), "")
    if pathlib.Path(first).stem == path.stem or "\n".join(text.splitlines()[1:2]).startswith("//"):
        return []
    return [f"{path}: there is no header of its name; its second line says what it implements"]


def linking_mistakes(text):
    """Mistakes of CMakeLists.txt: a module must link those of the table, and no others."""
    mistakes = []
    for module, rest in re.findall(r"^\s*berth_module\((\w+)([^)]*)\)", text, re.MULTILINE):
        used = re.search(r"USES((?:\s+[a-z]+)*)", rest)
        linked = used[1].split() if used else []
        if module not in MAY:
            mistakes.append(f"CMakeLists.txt: '{module}' is no module of the table")
        elif sorted(linked) != sorted(MAY[module]):
            mistakes.append(f"CMakeLists.txt: '{module}' links {linked}, the table says {MAY[module]}")
    return mistakes


def unused_arrows(used):
    """Arrows of the table that no include follows; `used` has the modules that each module includes."""
    return [f"tests/layering_test.py: '{module}' includes nothing of '{below}'; remove the arrow here and in CMakeLists.txt"
            for module, all_below in MAY.items() for below in all_below if below not in used.get(module, set())]


def licence_mistakes(path, text):
    if SPDX in "\n".join(text.splitlines()[:3]):
        return []
    return [f"{path}: the line '{SPDX}' is missing at its top"]


def path_mistakes(path, text):
    return [f"{path}:{number}: names a folder of one machine"
            for number, line in enumerate(text.splitlines(), 1) if MACHINE_PATH.search(line)]


def is_source(path, text):
    return path.suffix in SOURCES or path.name == "CMakeLists.txt" or (path.suffix == "" and text.startswith("#!"))


def text_of(path):
    """The file's text, or None for what is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def project_files(root):
    """What git knows or would take; outside a repository everything but builds."""
    listing = subprocess.run(["git", "-C", root, "ls-files", "-z", "-co", "--exclude-standard"], capture_output=True)
    if listing.returncode == 0:
        names = listing.stdout.decode().split("\0")
    else:
        names = [str(path.relative_to(root)) for path in root.rglob("*")]
    paths = sorted(pathlib.Path(name) for name in names if name)
    return [path for path in paths if path.parts[0] not in ("build", ".git") and (root / path).is_file()]


def all_mistakes(root):
    mistakes = linking_mistakes((root / "CMakeLists.txt").read_text())
    checked, used = 0, {}
    for path in project_files(root):
        text = text_of(root / path)
        if text is None:
            continue
        mistakes += path_mistakes(path, text)
        if is_source(path, text):
            checked += 1
            mistakes += licence_mistakes(path, text)
        if path.parts[0] == "src" and path.suffix in (".h", ".cc"):
            mistakes += layering_mistakes(path, text)
            mistakes += nameless_mistakes(path, text, (root / path).with_suffix(".h").exists())
            used.setdefault(path.parts[1], set()).update(target.split("/")[0] for quoted, target in includes(text) if quoted)
    mistakes += unused_arrows(used)
    if checked < 20:
        mistakes.append(f"only {checked} source files under {root}: is this the root of the project?")
    return mistakes


def check_the_checks():
    """Each rule must fire: a test that cannot fail is none."""
    def layering(name, text):
        return layering_mistakes(pathlib.Path(name), text)
    assert layering("src/graph/a.cc", '#include "base/ids.h"\n#include <vector>\n#include "graph/b.h"') == []
    assert layering("src/app/a.cc", '#include "plan/planner.h"\n#include "app/output/output.h"') == []
    assert layering("src/base/a.cc", '#include "graph/graph.h"') == ["src/base/a.cc: 'base' may not include 'graph'"]
    assert layering("src/zoo/a.h", '  #  include "machine/machine.h"')
    assert layering("src/plan/a.h", '#include "app/output/output.h"')
    assert layering("src/format/a.h", '#include "sim/simulator.h"')
    assert layering("src/sim/a.h", "#include <torch/torch.h>") and layering("src/app/a.h", "#include <ATen/ATen.h>")
    assert layering("src/learn/a.cc", "#include <torch/torch.h>") == []
    assert layering("src/learn/run/a.cc", '#include "services/caller.h"') == [] and layering("src/learn/go/a.cc", '#include "services/caller.h"')
    assert layering("src/graph/a.cc", '#include "b.h"') and layering("src/graph/a.cc", '#include "colour/b.h"')
    assert layering("src/colour/a.cc", "")
    nameless = pathlib.Path("src/zoo/a.cc")
    assert nameless_mistakes(nameless, f"// {SPDX}\n#include \"zoo/b.h\"\n", False) and not nameless_mistakes(nameless, "", True)
    assert not nameless_mistakes(nameless, f"// {SPDX}\n// Rules of b.h.\n", False) and not nameless_mistakes(nameless, '#include "runs/a.h"', False)
    assert linking_mistakes("berth_module(zoo USES ops)\nberth_module(base LINK fmt::fmt)") == []
    assert linking_mistakes("berth_module(zoo USES graph problem)") and linking_mistakes("berth_module(colour USES base)")
    assert not unused_arrows(MAY) and len(unused_arrows({**MAY, "exec": ["import"]})) == 1
    assert licence_mistakes("a.cc", "int a;\n") and not licence_mistakes("run", f"#!/bin/sh\n# {SPDX}\n")
    for line in ("/ho" "me/me/a.txt", "see `/wo" "rk`", 'open("/tm' 'p/a")', "DATA=/ro" "ot/x"):
        assert path_mistakes("a.md", "first\n" + line) == ["a.md:2: names a folder of one machine"], line
    assert path_mistakes("a.md", "at home/work, /usr/include, a/tmp/b, https://example.org/home/x") == []


def main():
    check_the_checks()
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    mistakes = all_mistakes(root)
    for mistake in mistakes:
        print(mistake)
    sys.exit(1 if mistakes else 0)


if __name__ == "__main__":
    main()
