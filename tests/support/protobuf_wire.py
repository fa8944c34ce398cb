# SPDX-License-Identifier: Apache-2.0
"""Protobuf's wire format: fields as bytes, to be put together into messages."""


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def prefix(field, length):
    """What stands in front of so many bytes."""
    return varint(field << 3 | 2) + varint(length)


def text(field, value):
    """A string, bytes, or a message that is made already."""
    value = value if isinstance(value, bytes) else value.encode()
    return prefix(field, len(value)) + value


def fields(message):
    """(field, value) of a message in order: numbers for varints and fixed ones, bytes for the rest. Strict: whatever is
    not whole raises."""
    at = 0

    def take_varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        key = take_varint()
        field, kind = key >> 3, key & 7
        if kind == 0:
            yield field, take_varint()
            continue
        size = {1: 8, 5: 4}.get(kind) or (take_varint() if kind == 2 else None)
        if size is None and kind != 2 or at + (size or 0) > len(message) or field == 0:
            raise ValueError(f"damaged field {field} of kind {kind} at {at}")
        value = message[at:at + (size or 0)]
        at += size or 0
        yield field, value if kind == 2 else int.from_bytes(value, "little")
