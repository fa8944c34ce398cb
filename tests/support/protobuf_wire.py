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
