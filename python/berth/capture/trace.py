# SPDX-License-Identifier: Apache-2.0
"""Tracing with PyTorch: one inference by torch.export, one training step by make_fx. On tensors without contents."""
import torch
from torch.utils import _pytree as pytree

from .errors import CaptureError

OLDEST = (2, 5)


class Traced:
    def __init__(self, graph_module, roles, outputs, updates=(), unused=()):
        self.graph_module = graph_module
        self.nodes = [node for node in graph_module.graph.nodes if node.op != "output"]
        self.roles = roles  # name of a placeholder -> (type, label)
        self.outputs, self.updates, self.unused = outputs, updates, unused
        self.torch = torch.__version__

    def role(self, node):
        if node.op == "get_attr":  # a constant that the tracer found in the code
            node.meta.setdefault("val", attribute(self.graph_module, str(node.target)))
            return "constant", str(node.target)
        return self.roles[node.name]

    def flops(self, node):
        from torch.utils.flop_counter import flop_registry
        packet = getattr(node.target, "overloadpacket", None)
        if packet not in flop_registry:
            return 0

        def value(argument):
            return argument.meta["val"] if isinstance(argument, torch.fx.Node) else argument
        args = pytree.tree_map(value, list(node.args), is_leaf=lambda item: isinstance(item, torch.fx.Node))
        kwargs = pytree.tree_map(value, dict(node.kwargs), is_leaf=lambda item: isinstance(item, torch.fx.Node))
        return int(flop_registry[packet](*args, **kwargs, out_val=node.meta["val"]))


def attribute(module, path):
    """What "layers.0.table" names."""
    for name in path.split("."):
        module = getattr(module, name, None)
    if not isinstance(module, torch.Tensor):
        raise CaptureError(f"the model uses '{path}', which is no tensor")
    return module


def check_version():
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if version < OLDEST:
        raise CaptureError(f"PyTorch {torch.__version__} is too old; capturing needs 2.5 or newer")


def one_line(error):
    return str(error).strip().split("\n")[0][:300]


def plain_attention():
    """Fused attention as the products and the softmax it stands for: older libtorchs lack the fused operators."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    return sdpa_kernel(SDPBackend.MATH)


def composite_operators():
    """How torch.export takes operators apart that are written in terms of others; kernels stay whole."""
    table = getattr(torch.export, "default_decompositions", dict)()

    def is_composite(operator):
        return torch._C._dispatch_has_kernel_for_dispatch_key(operator.name(), "CompositeImplicitAutograd")
    return {operator: way for operator, way in table.items() if is_composite(operator)}


def merge_tied(model, program):
    """torch.export has an input for every name of a parameter; a tied one is one tensor, with its first name."""
    first = {}
    name_of = {name: first.setdefault(id(value), name) for name, value in model.named_parameters(remove_duplicate=False)}
    inputs = {spec.target: spec.arg.name for spec in program.graph_signature.input_specs if spec.kind.name == "PARAMETER"}
    nodes = {node.name: node for node in program.graph.nodes if node.op == "placeholder"}
    for name, placeholder in inputs.items():
        kept = inputs.get(name_of.get(name, name), placeholder)
        if kept != placeholder:
            nodes[placeholder].replace_all_uses_with(nodes[kept])
            program.graph.erase_node(nodes[placeholder])


def inference(model, args, kwargs):
    """By torch.export, which keeps the paths of modules."""
    model = model.eval()
    try:
        with torch.no_grad(), plain_attention():
            program = torch.export.export(model, tuple(args), dict(kwargs), strict=False)
            program = program.run_decompositions(composite_operators())
    except Exception as error:
        raise CaptureError(f"torch.export could not trace the model: {one_line(error)}") from error
    signature = program.graph_signature
    merge_tied(model, program)
    roles = {}
    for spec in signature.input_specs:
        kind = {"PARAMETER": "parameter", "BUFFER": "buffer", "CONSTANT_TENSOR": "constant"}.get(spec.kind.name, "input")
        roles[spec.arg.name] = (kind, spec.target if kind != "input" else "")
    user = set(signature.user_outputs)
    output = next(node for node in program.graph.nodes if node.op == "output")
    outputs = [node for node in output.args[0] if isinstance(node, torch.fx.Node) and node.name in user]
    return Traced(program.graph_module, roles, outputs)


def loss_of(output, loss):
    if loss is not None:
        return loss(output)
    for found in (getattr(output, "loss", None), output.get("loss") if isinstance(output, dict) else None):
        if found is not None:
            return found
    tensors = [item for item in pytree.tree_leaves(output) if isinstance(item, torch.Tensor) and item.is_floating_point()]
    if not tensors:
        raise CaptureError("the model's output holds no tensor to take a loss from; give loss=")
    return tensors[0] if tensors[0].numel() == 1 else tensors[0].mean()


def training_step(model, args, kwargs, loss):
    """Forward, gradients of all parameters that have one, and an update each."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.func import functional_call, functionalize
    model = model.train()
    parameters = {name: value for name, value in model.named_parameters() if value.requires_grad}
    fixed = {name: value for name, value in model.named_parameters() if not value.requires_grad}
    buffers = {**fixed, **dict(model.named_buffers())}
    given, given_spec = pytree.tree_flatten((tuple(args), dict(kwargs)))
    tensors = [i for i, item in enumerate(given) if isinstance(item, torch.Tensor)]
    reached = []

    def step(*values):
        weights = dict(zip(parameters, values))
        rest = dict(zip(buffers, values[len(weights):]))
        filled = list(given)
        for place, value in zip(tensors, values[len(weights) + len(rest):]):
            filled[place] = value
        call_args, call_kwargs = pytree.tree_unflatten(filled, given_spec)
        weights = {name: value.detach().requires_grad_() for name, value in weights.items()}
        value = loss_of(functional_call(model, {**weights, **rest}, call_args, call_kwargs), loss)
        gradients = torch.autograd.grad(value, list(weights.values()), allow_unused=True)
        reached[:] = [gradient is not None for gradient in gradients]
        return [value.detach(), *[gradient for gradient in gradients if gradient is not None]]

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    values = [*parameters.values(), *buffers.values(), *[given[i] for i in tensors]]
    fake = [mode.from_tensor(value.detach()) for value in values]
    try:
        with mode, plain_attention():
            traced = make_fx(step)(*fake)
            # Running statistics are written in place; a graph has values only. No gradients are left to disturb that.
            traced = make_fx(functionalize(traced, remove="mutations"))(*fake)
    except CaptureError:
        raise
    except Exception as error:
        raise CaptureError(f"the training step could not be traced: {one_line(error)}") from error
    traced.graph.eliminate_dead_code()
    return traced_step(traced, parameters, buffers, len(tensors), reached)


def traced_step(graph_module, parameters, buffers, inputs, reached):
    placeholders = [node for node in graph_module.graph.nodes if node.op == "placeholder"]
    words = ([("parameter", name) for name in parameters] + [("buffer", name) for name in buffers] + [("input", "")] * inputs)
    roles = {node.name: word for node, word in zip(placeholders, words)}
    output = next(node for node in graph_module.graph.nodes if node.op == "output")
    outputs = [node for node in pytree.tree_leaves(output.args[0], is_leaf=lambda item: isinstance(item, torch.fx.Node))
               if isinstance(node, torch.fx.Node)]
    trained = [node for node, is_reached in zip(placeholders, reached) if is_reached]
    unused = [name for name, is_reached in zip(parameters, reached) if not is_reached]
    return Traced(graph_module, roles, outputs, list(zip(trained, outputs[1:])), unused)
