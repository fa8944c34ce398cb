# SPDX-License-Identifier: Apache-2.0
"""What common loaders do with a model that does not fit: fill the accelerator in order, the rest on the host."""
import re

from real import plans

BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "u8": 1, "bool": 1}
LAYER = re.compile(r"^(.*?\.\d+)(?:\.|$)")


def size_of(op):
    total = 0
    for output in op["outputs"]:
        count = BYTES[output["dtype"]]
        for size in output["shape"]:
            count *= size
        total += count
    return total


def layer_of(path):
    """"model.layers.3.mlp.up.weight" -> "model.layers.3"; what is no layer stands by its first two words."""
    found = LAYER.match(path)
    return found.group(1) if found else ".".join(path.split(".")[:2])


def user_of(ops):
    """The first op that uses what is stored."""
    users = {}
    for number, op in enumerate(ops):
        for source in plans.inputs_of(op):
            users.setdefault(source, number)
    return users


def gradients_of(ops):
    """Whether an op is of the backward pass: whatever comes from its first op. Of an inference, none is."""
    is_training = any("updates" in op for op in ops)
    found = []
    for op in ops:
        begins = is_training and op["type"] == "aten.ones_like.default"
        found.append(begins or any(found[source] for source in plans.inputs_of(op)))
    return found


def layers_of(ops):
    """The layer of every op: what its label says; else that of the latest layer it reads from. Gradients belong to the layer whose forward
    pass they read; those that read none to the earliest layer among their sources, since the backward pass goes that way."""
    layer = [layer_of(op.get("label") or op.get("module") or "") for op in ops]
    place, is_gradient = {}, gradients_of(ops)
    for number, op in enumerate(ops):
        if plans.is_stored(op):
            continue
        sources = plans.inputs_of(op)
        for source in sources:
            place.setdefault(layer[source], len(place))  # layers in the order of their first use
        read = [layer[source] for source in sources if layer[source] and not is_gradient[source]]
        others = [layer[source] for source in sources if layer[source]]
        if not layer[number]:
            layer[number] = max(read, key=place.get) if read else min(others, key=place.get, default="")
    return layer


def layer_filling(ops, host, accelerator, room):
    """Layers, in order of their first op, go to the accelerator until one does not fit into `room` bytes; all later ones stay on
    the host."""
    layer, users, order, sizes = layers_of(ops), user_of(ops), {}, {}
    for number, op in enumerate(ops):
        if plans.is_stored(op):
            first = users.get(number, len(ops))
            order[layer[number]] = min(order.get(layer[number], first), first)
            sizes[layer[number]] = sizes.get(layer[number], 0) + size_of(op)
    on_accelerator, full = set(), False
    for name in sorted(order, key=order.get):
        full = full or sizes[name] > room
        if not full:
            room -= sizes[name]
            on_accelerator.add(name)
    devices = [None if plans.is_stored(op) else accelerator if layer[number] in on_accelerator else host
               for number, op in enumerate(ops)]
    return plans.follow(ops, devices, host)


def most_that_fits(rule, room, fits, steps=7):
    """The plan of a rule with the largest room, up to `room`, that fits(plan): parameters are not all that takes memory. None if none does."""
    plan = rule(room)
    if fits(plan):
        return plan
    least, found = 0, None
    for _ in range(steps):
        middle = (least + room) / 2
        plan = rule(middle)
        if fits(plan):
            least, found = middle, plan
        else:
            room = middle
    return found


def shown_parameter(ops, number):
    """The parameter that this op shows in another shape, such as its transpose; None if it does anything else."""
    sources = plans.inputs_of(ops[number])
    if len(sources) != 1 or ops[sources[0]]["type"] not in ("parameter", "buffer"):
        return None
    return sources[0] if size_of(ops[number]) == size_of(ops[sources[0]]) else None


def greedy(ops, host, accelerator, room):
    """Op by op in order: to the accelerator if the parameters it is the first to use still fit, else to the host. What only shows a
    parameter is where the parameter is."""
    devices, placed, shown = [None] * len(ops), {}, {}
    for number, op in enumerate(ops):
        if plans.is_stored(op):
            continue
        parameter = shown_parameter(ops, number)
        if parameter is not None:
            shown[number] = parameter
            continue
        stored = {shown.get(source, source) for source in plans.inputs_of(op)}
        stored = [source for source in stored if ops[source]["type"] in ("parameter", "buffer")]
        new = sum(size_of(ops[source]) for source in stored if source not in placed)
        elsewhere = any(placed.get(source) == host for source in stored)
        devices[number] = host if elsewhere or new > room else accelerator
        for source in stored:
            if source not in placed and devices[number] == accelerator:
                room -= size_of(ops[source])
            placed.setdefault(source, devices[number])
    for number, parameter in shown.items():
        devices[number] = placed.get(parameter, host)
    return plans.follow(ops, devices, host)
