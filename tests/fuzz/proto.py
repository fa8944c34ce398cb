# SPDX-License-Identifier: Apache-2.0
"""Protobuf messages out of lists of (field, value): their bytes, and the text format."""
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import protobuf_wire  # noqa: E402

# Messages by name: field -> (number, kind), where a kind is int, float, bytes, type (of TensorFlow's data) or a message.
SCHEMA = {
    # TensorFlow
    "SavedModel": {"saved_model_schema_version": (1, "int"), "meta_graphs": (2, "MetaGraph")},
    "MetaGraph": {"meta_info_def": (1, "Info"), "graph_def": (2, "Graph"), "signature_def": (5, "SignatureEntry")},
    "Info": {"tags": (4, "bytes")},
    "SignatureEntry": {"key": (1, "bytes"), "value": (2, "Signature")},
    "Signature": {"inputs": (1, "TensorEntry"), "outputs": (2, "TensorEntry")},
    "TensorEntry": {"key": (1, "bytes"), "value": (2, "TensorInfo")},
    "TensorInfo": {"name": (1, "bytes")},
    "Graph": {"node": (1, "Node"), "library": (2, "Library")},
    "Library": {"function": (1, "Function")},
    "Function": {"signature": (1, "OpDef"), "node_def": (3, "Node"), "ret": (4, "TextEntry"), "control_ret": (6, "TextEntry")},
    "OpDef": {"name": (1, "bytes"), "input_arg": (2, "Arg"), "output_arg": (3, "Arg")},
    "Arg": {"name": (1, "bytes"), "type": (3, "type")},
    "TextEntry": {"key": (1, "bytes"), "value": (2, "bytes")},
    "Node": {"name": (1, "bytes"), "op": (2, "bytes"), "input": (3, "bytes"), "device": (4, "bytes"), "attr": (5, "AttrEntry")},
    "AttrEntry": {"key": (1, "bytes"), "value": (2, "Attr")},
    "Attr": {"list": (1, "List"), "s": (2, "bytes"), "i": (3, "int"), "f": (4, "float"), "b": (5, "bool"), "type": (6, "type"),
             "shape": (7, "Shape"), "tensor": (8, "Tensor"), "placeholder": (9, "bytes"), "func": (10, "Callee")},
    "List": {"s": (2, "bytes"), "i": (3, "int"), "type": (6, "type"), "shape": (7, "Shape")},
    "Callee": {"name": (1, "bytes")},
    "Shape": {"dim": (2, "Dim"), "unknown_rank": (3, "bool")},
    "Dim": {"size": (1, "int")},
    "Tensor": {"dtype": (1, "type"), "tensor_shape": (2, "Shape"), "int_val": (7, "int")},
    # ONNX
    "OnnxModel": {"ir_version": (1, "int"), "graph": (7, "OnnxGraph"), "functions": (25, "OnnxFunction")},
    "OnnxFunction": {"name": (1, "bytes"), "input": (4, "bytes"), "output": (5, "bytes"), "attribute": (6, "bytes"),
                     "node": (7, "OnnxNode"), "domain": (10, "bytes"), "attribute_proto": (11, "OnnxAttribute")},
    "OnnxGraph": {"node": (1, "OnnxNode"), "initializer": (5, "OnnxTensor"), "input": (11, "OnnxValue"),
                  "output": (12, "OnnxValue"), "value_info": (13, "OnnxValue")},
    "OnnxNode": {"input": (1, "bytes"), "output": (2, "bytes"), "name": (3, "bytes"), "op_type": (4, "bytes"),
                 "attribute": (5, "OnnxAttribute"), "domain": (7, "bytes"), "metadata": (9, "TextEntry")},
    "OnnxAttribute": {"name": (1, "bytes"), "f": (2, "float"), "i": (3, "int"), "s": (4, "bytes"), "t": (5, "OnnxTensor"),
                      "g": (6, "OnnxGraph"), "floats": (7, "float"), "ints": (8, "int"), "ref_attr_name": (21, "bytes")},
    "OnnxTensor": {"dims": (1, "int"), "data_type": (2, "int"), "int64_data": (7, "int"), "name": (8, "bytes"),
                   "raw_data": (9, "bytes")},
    "OnnxValue": {"name": (1, "bytes"), "type": (2, "OnnxType")},
    "OnnxType": {"tensor_type": (1, "OnnxTensorType")},
    "OnnxTensorType": {"elem_type": (1, "int"), "shape": (2, "OnnxShape")},
    "OnnxShape": {"dim": (1, "OnnxDim")},
    "OnnxDim": {"dim_value": (1, "int"), "dim_param": (2, "bytes")},
}
TYPES = {"DT_FLOAT": 1, "DT_INT32": 3, "DT_INT64": 9, "DT_BOOL": 10, "DT_RESOURCE": 20}


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def wire(kind, fields):
    """Bytes of a message that is a list of (field, value)."""
    out = b""
    for name, value in fields:
        number, field_kind = SCHEMA[kind][name]
        if field_kind in ("int", "bool", "type"):
            out += protobuf_wire.number(number, TYPES[value] if field_kind == "type" else int(value))
        elif field_kind == "float":
            out += protobuf_wire.varint(number << 3 | 5) + struct.pack("<f", value)
        else:
            out += protobuf_wire.text(number, as_bytes(value) if field_kind == "bytes" else wire(field_kind, value))
    return out


def text(kind, fields, indent=""):
    """The same in protobuf's text format."""
    out = ""
    for name, value in fields:
        field_kind = SCHEMA[kind][name][1]
        if field_kind in SCHEMA:
            out += f"{indent}{name} {{\n{text(field_kind, value, indent + '  ')}{indent}}}\n"
        else:
            shown = {"bytes": f'"{value}"', "bool": str(value).lower()}.get(field_kind, str(value))
            out += f"{indent}{name}: {shown}\n"
    return out
