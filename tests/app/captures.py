# SPDX-License-Identifier: Apache-2.0
"""Small captures (aten-graph/1), written op by op."""
import json


class Capture:
    def __init__(self, name, mode="train"):
        self.document = {"format": "aten-graph/1", "name": name, "mode": mode, "torch": "by hand",
                         "measured_on": {"cuda": None, "cpu": None}, "outputs": [], "ops": []}

    def add(self, type, shapes=(), args=(), dtype="f32", **fields):
        """Adds an op and gives a reference to it. `shapes` has one per output; arguments are references or values."""
        ops = self.document["ops"]
        op = {"name": f"{type.split('.')[-2] if '.' in type else type}_{len(ops)}", "type": type,
              "outputs": [{"dtype": kind, "shape": list(shape)}
                          for shape, kind in zip(shapes, [dtype] * len(shapes) if isinstance(dtype, str) else dtype)]}
        if args:
            op["args"] = [value(argument) for argument in args]
        op.update(fields)
        ops.append(op)
        return {"op": len(ops) - 1}

    def parameter(self, shape, label):
        return self.add("parameter", [shape], label=label)

    def view(self, type, shape, args):
        return self.add(type, [shape], args, view=True)

    def update(self, parameter, gradient):
        self.add("sgd_update", [], [parameter, gradient], updates=parameter["op"])

    def save(self, path, *outputs):
        self.document["outputs"] = [output["op"] for output in outputs]
        with open(path, "w", encoding="utf-8") as file:
            head = {key: part for key, part in self.document.items() if key != "ops"}
            ops = ",\n  ".join(json.dumps(op) for op in self.document["ops"])
            file.write(json.dumps(head)[:-1] + ',\n "ops": [\n  ' + ops + "\n ]}\n")


def value(argument):
    """An argument as the format writes it."""
    if argument is None or isinstance(argument, dict):
        return argument
    if isinstance(argument, (list, tuple)):
        return {"list": [value(item) for item in argument]}
    if isinstance(argument, bool):
        return {"b": argument}
    if isinstance(argument, int):
        return {"i": argument}
    if isinstance(argument, float):
        return {"f": repr(argument)}
    return {"s": argument}


def mlp(path, batch=4, inputs=16, hidden=32, classes=8):
    """One training step of two layers with dropout and a loss: backward pass and updates, as a tracer writes them."""
    net = Capture("mlp")
    w1, b1 = net.parameter([hidden, inputs], "first.weight"), net.parameter([hidden], "first.bias")
    w2 = net.parameter([classes, hidden], "second.weight")
    x = net.add("input", [[batch, inputs]])
    labels = net.add("input", [[batch]], dtype="i64")
    wide = [batch, hidden]
    w1_t = net.view("aten.t.default", [inputs, hidden], [w1])
    relu = net.add("aten.relu.default", [wide], [net.add("aten.addmm.default", [wide], [b1, x, w1_t])])
    dropout = net.add("aten.native_dropout.default", [wide, wide], [relu, 0.5, True], dtype=["f32", "bool"])
    kept = net.add("getitem", [wide], [dropout, 0])
    mask = net.add("getitem", [wide], [dropout, 1], dtype="bool")
    scores = net.add("aten.mm.default", [[batch, classes]],
                     [kept, net.view("aten.t.default", [hidden, classes], [w2])])
    log = net.add("aten._log_softmax.default", [[batch, classes]], [scores, 1, False])
    losses = net.add("aten.nll_loss_forward.default", [[], []], [log, labels, None, 1, -100])
    loss, weight = net.add("getitem", [[]], [losses, 0]), net.add("getitem", [[]], [losses, 1])
    one = net.add("aten.ones_like.default", [[]], [loss], kwargs={
        "pin_memory": {"b": False}, "memory_format": {"memory_format": "torch.preserve_format"}})
    d_log = net.add("aten.nll_loss_backward.default", [[batch, classes]], [one, log, labels, None, 1, -100, weight])
    d_scores = net.add("aten._log_softmax_backward_data.default", [[batch, classes]], [d_log, log, 1, {"dtype": "f32"}])
    d_scores_t = net.view("aten.t.default", [classes, batch], [d_scores])
    d_w2 = net.add("aten.mm.default", [[classes, hidden]], [d_scores_t, kept])
    d_kept = net.add("aten.mm.default", [wide], [d_scores, w2])
    d_relu = net.add("aten.native_dropout_backward.default", [wide], [d_kept, mask, 2.0])
    d_wide = net.add("aten.threshold_backward.default", [wide], [d_relu, relu, 0])
    d_w1 = net.add("aten.mm.default", [[hidden, inputs]], [net.view("aten.t.default", [hidden, batch], [d_wide]), x])
    d_b1 = net.view("aten.view.default", [hidden],
                    [net.add("aten.sum.dim_IntList", [[1, hidden]], [d_wide, [0], True]), [hidden]])
    net.update(w1, d_w1)
    net.update(b1, d_b1)
    net.update(w2, d_w2)
    net.save(path, loss, d_w1, d_b1, d_w2)


def branches(path, count=2, depth=3, side=384):
    """Chains of products that do not need each other until their sum: two devices can share them."""
    net = Capture("branches", "infer")
    x = net.add("input", [[side, side]])
    shape, ends = [side, side], []
    for branch in range(count):
        end = x
        for layer in range(depth):
            weight = net.parameter(shape, f"branch{branch}.{layer}.weight")
            end = net.add("aten.mm.default", [shape], [end, weight], flops=2 * side**3)
        ends.append(end)
    total = ends[0]
    for end in ends[1:]:
        total = net.add("aten.add.Tensor", [shape], [total, end])
    net.save(path, total)


HURTFUL = {"crash": "aten.square.default", "endless": "aten.negative.default"}  # in berth-hurtful, on the second core


def hurt(path, kind):
    """A chain of four ops, one of which has a kernel that hurts."""
    net = Capture(kind, "infer")
    x = net.add("input", [[64, 64]])
    first = net.add("aten.relu.default", [[64, 64]], [x])
    bad = net.add(HURTFUL[kind], [[64, 64]], [first])
    last = net.add("aten.mm.default", [[64, 64]], [bad, net.parameter([64, 64], "weight")])
    net.save(path, net.add("aten.tanh.default", [[64, 64]], [last]))


if __name__ == "__main__":
    import sys
    mlp(sys.argv[1])
