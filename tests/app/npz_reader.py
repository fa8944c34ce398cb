# SPDX-License-Identifier: Apache-2.0
"""Reads .npz files without NumPy, and refuses what NumPy's description of the format does not allow."""
import ast
import math
import struct
import zipfile

LETTERS = {"f8": "d", "i8": "q", "b1": "?"}


def read_array(npy):
    """(shape, flat list) of a .npy file; texts as str."""
    assert npy[:8] == b"\x93NUMPY\x01\x00", npy[:8]
    (size,) = struct.unpack_from("<H", npy, 8)
    assert (10 + size) % 64 == 0 and npy[9 + size] == ord("\n")
    header = ast.literal_eval(npy[10:10 + size].decode("latin1"))
    assert set(header) == {"descr", "fortran_order", "shape"} and header["fortran_order"] is False
    order, kind, shape, data = header["descr"][0], header["descr"][1:], header["shape"], npy[10 + size:]
    count = math.prod(shape)
    if kind.startswith("U"):
        width = 4 * int(kind[1:])
        assert order == "<" and len(data) == count * width
        return shape, [data[i:i + width].decode("utf-32-le").rstrip("\0") for i in range(0, len(data), width)]
    assert order == ("|" if kind.endswith("1") else "<")
    return shape, list(struct.unpack(f"<{count}{LETTERS[kind]}", data))


class Arrays:
    """arrays["ops.times"] is a flat list or, of two dimensions, a list of rows; a single number or text is itself."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as file:
            assert file.testzip() is None
            names = file.namelist()
            assert len(set(names)) == len(names) and all(name.endswith(".npy") for name in names)
            self.arrays = {name[:-4]: read_array(file.read(name)) for name in names}

    def shape(self, name):
        return self.arrays[name][0]

    def __getitem__(self, name):
        shape, flat = self.arrays[name]
        if not shape:
            return flat[0]
        if len(shape) == 1:
            return flat
        return [flat[i * shape[1]:(i + 1) * shape[1]] for i in range(shape[0])]
