# SPDX-License-Identifier: Apache-2.0
"""The rows of the suite, and machines with some of their figures scaled."""
import dataclasses
import re
import sys
import tomllib

from lib import files, paths

SUITE = paths.ROOT / "bench" / "planners_suite.toml"
NUMBER = re.compile(r'(?<=")[0-9.]+(?:e[+-]?[0-9]+)?(?= )')


@dataclasses.dataclass(frozen=True)
class Row:
    graph: str
    machine: str
    why: str
    memory: float = 1.0
    long: bool = False
    sensitivity: bool = False
    ablation: bool = False

    @property
    def name(self):
        """As tables show it, without the folder of the data."""
        tight = "" if self.memory == 1 else f", memory x {self.memory:g}"
        return f"{self.model} on {self.machine}{tight}"

    @property
    def model(self):
        return self.graph.removeprefix("zoo:").replace("captured:", "captured ")

    def graph_argument(self):
        if not self.graph.startswith("captured:"):
            return self.graph
        path = paths.captured(self.graph.removeprefix("captured:"))
        if not path.exists():
            sys.exit(f"{self.name}: no {path.name} in the folder captured/ of BERTH_DATA; set it, or choose other rows by --rows")
        return str(path)


def load_rows(path, wanted):
    """All rows, or those whose name contains one of the wanted words."""
    rows = [Row(**fields) for fields in tomllib.loads(path.read_text())["rows"]]
    if not wanted:
        return rows
    for word in wanted:
        if not any(word in row.name for row in rows):
            sys.exit(f"--rows: no row has '{word}' in its name; they are: {'; '.join(row.name for row in rows)}")
    return [row for row in rows if any(word in row.name for word in wanted)]


@dataclasses.dataclass(frozen=True)
class Scale:
    """Factors on the figures of a machine."""
    memory: float = 1.0      # of accelerators
    efficiency: float = 1.0  # peak flop/s and memory bandwidth of all devices
    bandwidth: float = 1.0   # of all links

    def __bool__(self):
        return self != Scale()


def scaled_machine(toml, scale):
    """A machine as `berth machines NAME` prints it, with its figures scaled."""
    blocks = re.split(r"^(?=\[\[)", toml, flags=re.MULTILINE)
    return "".join(scaled_block(block, scale) for block in blocks)


def scaled_block(block, scale):
    factors = {}
    if block.startswith("[[devices]]"):
        factors = {"flops": scale.efficiency, "bandwidth": scale.efficiency}
        if not re.search(r'^kind = "cpu"', block, re.MULTILINE):
            factors["memory"] = scale.memory
    elif block.startswith("[[links]]"):
        factors = {"bandwidth": scale.bandwidth}
    return re.sub(r"^(\w+) = .*$", lambda line: scaled_line(line, factors), block, flags=re.MULTILINE)


def scaled_line(line, factors):
    factor = factors.get(line.group(1), 1.0)
    if factor == 1:
        return line.group(0)
    text, _, comment = line.group(0).partition("#")
    scaled = NUMBER.sub(lambda number: f"{float(number.group(0)) * factor:.12g}", text)
    return scaled + (f"#{comment}" if comment else "")


def machine_argument(berth, row, scale, folder):
    """The name of a built-in machine, or the file of a scaled one, which this writes."""
    scale = dataclasses.replace(scale, memory=row.memory)
    if not scale:
        return row.machine
    factors = "-".join(f"{key}{value:g}" for key, value in dataclasses.asdict(scale).items() if value != 1)
    path = folder / "machines" / f"{row.machine}-{factors}.toml"
    files.write(path, scaled_machine(berth.run("machines", row.machine, codes=(0,)).out, scale))
    return str(path.resolve())
