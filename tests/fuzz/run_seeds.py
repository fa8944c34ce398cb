# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of training runs, as src/runs/checkpoint.cc reads them: of the policy and the problem that tests/fuzz/use.cc has."""
import struct

SECOND = 10**12  # in picoseconds


def text(contents):
    contents = contents if isinstance(contents, bytes) else contents.encode()
    return struct.pack("<Q", len(contents)) + contents


def numbers(kind, *values):
    return struct.pack(f"<Q{len(values)}{kind}", len(values), *values)


def run_section(updates, evaluations):
    return text("of this run") + struct.pack("<dQQ4Qd?", 2.5, updates, evaluations, 1, 2, 3, 4, 0.5, True)


def policy_section(steps, has_layout):
    layout = struct.pack("<Q", 2) + text("bias") + numbers("q", 1) + text("weight") + numbers("q", 2, 1)
    return (layout if has_layout else b"") + numbers("f", 1.5, -0.25, 3) + struct.pack("<Q", steps) + \
        numbers("f", 0, 0.5, 1) + numbers("f", 0, 0.25, 1)


def score(step_time, devices, queues):
    pairs = [struct.pack(f"<Q{2 * len(uses)}q", len(uses), *[number for use in uses for number in use]) for uses in (devices, queues)]
    no_overflow = struct.pack("<?HiIqq", False, 0xffff, -1, 0xffffffff, 0, 0)
    return struct.pack("<q?", step_time, True) + pairs[0] + numbers("q") + pairs[1] + no_overflow


def plan(*devices, priority=(), fusions=()):
    groups = b"".join(numbers("I", *group) for group in fusions)
    return numbers("H", *devices) + numbers("d", *priority) + struct.pack("<Q", len(fusions)) + groups


NOTHING = b"\0" + score(0, [], [])
# a (2 s) on the first device, 4 bytes in 3 s to the second, b (1 s) there; or all on the first, where b takes 3 s.
APART = b"\1" + plan(0, 1, priority=(0.5, -1)) + score(6 * SECOND, [(2 * SECOND, 4), (SECOND, 12)], [(3 * SECOND, 4), (0, 0)])
TOGETHER = b"\1" + plan(0, 0) + score(5 * SECOND, [(5 * SECOND, 12), (0, 0)], [(0, 0), (0, 0)])


def lessons_section(*found):
    averages = struct.pack("<?d?d", True, -1.5, True, 0.5)
    return struct.pack("<Q", 1) + averages + b"".join(found)


def checkpoint(version, *sections):
    contents = b"".join(text(section) for section in sections)
    file = f"berth-checkpoint/{version}\n".encode() + text(contents)
    checksum = 0xcbf29ce484222325
    for byte in file:
        checksum = (checksum ^ byte) * 0x100000001b3 % 2**64
    return file + struct.pack("<Q", checksum)


CHECKPOINTS = {
    "begun": checkpoint(3, run_section(0, 0), policy_section(0, True), lessons_section(NOTHING, NOTHING)),
    "trained": checkpoint(3, run_section(7, 56), policy_section(7, True), lessons_section(APART, NOTHING)),
    "stopped": checkpoint(3, run_section(7, 56), policy_section(7, True), lessons_section(APART, TOGETHER)),
    "version_2": checkpoint(2, run_section(7, 56), policy_section(7, False), lessons_section(TOGETHER)),
}
