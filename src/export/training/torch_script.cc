// SPDX-License-Identifier: Apache-2.0
#include "export/training/torch_script.h"

namespace berth {

const std::string_view kTorchPipelineScript =
    R"PY("""Trains a PyTorch model as the pipeline of this folder says, with torch.distributed.pipelining.

    torchrun --nproc-per-node RANKS run.py --model my_model.py:small --check

small() returns (model, loss, batch): a module, loss(output, target) which is a mean over the samples of a microbatch, and
batch(step), which returns (inputs, target) of a whole step: a tuple of tensors and a tensor, all with the samples in their
first dimension. It must make the same model and batches in every process. The model must be one that torch.export takes.

    from run import Trainer                                # or inside a program of yours, after init_process_group
    trainer = Trainer(model, loss, *batch(0))
    mean_loss = trainer.step(*batch(0))                    # gradients of this rank's stages are in trainer.parameters()"""
import argparse
import copy
import importlib
import importlib.util
import json
import operator
import os
import pathlib
import sys
import time

import torch
import torch.distributed as dist
from torch.distributed.pipelining import SplitPoint, pipeline
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime
from torch.utils.checkpoint import checkpoint

HERE = pathlib.Path(__file__).resolve().parent


class PlanError(Exception):
    """What is wrong with the model or the way it was started, for people."""


def read_plan(folder=HERE):
    return json.loads((pathlib.Path(folder) / "pipeline.json").read_text())


def rows_of(tensors, microbatches, count):
    """The samples of these microbatches, of `count` in all."""
    def pick(tensor):
        if tensor.shape[0] % count:
            raise PlanError(f"a batch of {tensor.shape[0]} samples is not {count} microbatches of one size")
        parts = tensor.chunk(count)
        return torch.cat([parts[i] for i in microbatches])
    return tuple(map(pick, tensors))


def cut(model, example, plan):
    """The model in stages, as torch cuts it before the modules that the plan names."""
    names = plan["split_points"]
    for name in names:
        try:
            model.get_submodule(name)
        except AttributeError:
            raise PlanError(f"the model has no module '{name}', where the plan cuts it; export with --module-prefix if the graph "
                            "has a wrapper's name in front") from None
    pipe = pipeline(model, example, split_spec={name: SplitPoint.BEGINNING for name in names})
    if pipe.num_stages != len(plan["stages"]):
        raise PlanError(f"torch makes {pipe.num_stages} stages of the model and the plan has {len(plan['stages'])}: each of "
                        f"{', '.join(names)} must be called once, in this order, and not as the first of all")
    hand_values_on(pipe)
    return pipe


def inputs_of_first_stage(pipe):
    """Which of the model's inputs it takes, in its order."""
    names = [node for node in pipe.split_gm.graph.nodes if node.op == "placeholder"]
    call = next(node for node in pipe.split_gm.graph.nodes if node.op == "call_module")
    order = [names.index(value) for value in call.args]
    return sorted(order) if len(order) == len(names) else order  # torch gives it the model's signature then


def add_output(module, value):
    """Makes a stage return one more value; `value(graph)` adds the node of it. Says which output it is."""
    graph = module.graph
    output = next(node for node in graph.nodes if node.op == "output")
    before = output.args[0]
    values = tuple(before) if isinstance(before, (tuple, list)) else (before,)
    with graph.inserting_before(output):
        node = value(graph)
    output.args = ((*values, node),)
    return len(values)


def outputs_of(graph, call, module):
    """A stage that returned a value alone returns a tuple from now on."""
    output = next(node for node in module.graph.nodes if node.op == "output")
    if isinstance(output.args[0], (tuple, list)):
        return
    output.args = ((output.args[0],),)
    readers = list(call.users)
    with graph.inserting_after(call):
        first = graph.call_function(operator.getitem, (call, 0))
    for reader in readers:
        reader.replace_input_with(call, first)


def hand_on(graph, call, module, value, example):
    """The stage takes a value, if it does not do so already, and returns it. The node of what it returns."""
    inputs = [node for node in module.graph.nodes if node.op == "placeholder"]
    if value in call.args:
        taken = inputs[call.args.index(value)]
    else:
        with module.graph.inserting_after(inputs[-1]):
            taken = module.graph.placeholder(f"handed_on_{len(inputs)}")
        taken.meta["val"] = example
        call.args = (*call.args, value)

    def copied(inside):
        node = inside.call_function(torch.ops.aten.clone.default, (taken,))
        node.meta["val"] = example
        return node
    outputs_of(graph, call, module)
    place = add_output(module, copied)
    with graph.inserting_after(list(call.users)[-1]):
        return graph.call_function(operator.getitem, (call, place))


def take_in_order(call, module):
    """As the stage before returns them: they are sent and received one after the other."""
    places = [node for node in module.graph.nodes if node.op == "placeholder"]
    pairs = sorted(zip(call.args, places), key=lambda pair: pair[0].args[1] if pair[0].target is operator.getitem else 0)
    call.args = tuple(value for value, _ in pairs)
    for _, place in reversed(pairs):
        first = next(iter(module.graph.nodes))
        if place is not first:
            first.prepend(place)


def whole(tensor):
    """What torch can send, and detach behind a backward pass in two parts: one piece of memory, no view of another."""
    tensor = tensor.contiguous()
    return tensor.clone() if tensor._is_view() else tensor


def give_whole(module, reader):
    output = next(node for node in module.graph.nodes if node.op == "output")
    taken = [node for node in reader.graph.nodes if node.op == "placeholder"]
    values = output.args[0] if isinstance(output.args[0], (tuple, list)) else [output.args[0]]
    given = []
    for value, place in zip(values, taken):
        with module.graph.inserting_before(output):
            given.append(module.graph.call_function(whole, (value,)))
        given[-1].meta["val"] = place.meta["val"] = value.meta["val"].contiguous()
    output.args = (tuple(given) if isinstance(output.args[0], (tuple, list)) else given[0],)


def hand_values_on(pipe):
    """torch sends what a stage makes to the next one alone: what later ones read goes through those between, inputs of the
    model too."""
    graph = pipe.split_gm.graph
    calls = [node for node in graph.nodes if node.op == "call_module"]
    output = next(node for node in graph.nodes if node.op == "output")
    if any(calls[-1] not in (value, *value.args) for value in output.all_input_nodes):
        raise PlanError("the model returns something that its last stage does not make; torch returns what that makes alone")
    modules = [pipe.split_gm.get_submodule(call.target) for call in calls]
    made_by = {node: -1 for node in graph.nodes if node.op == "placeholder"}
    for stage, call in enumerate(calls[:-1]):
        later = [(value, reader) for reader in range(stage + 1, len(calls)) for value in calls[reader].args if made_by.get(value, stage) < stage]
        for value in dict.fromkeys(value for value, _ in later):
            reader = next(reader for one, reader in later if one is value)
            inputs = [node for node in modules[reader].graph.nodes if node.op == "placeholder"]
            example = inputs[calls[reader].args.index(value)].meta["val"]
            returned = hand_on(graph, call, modules[stage], value, example)
            made_by[returned] = stage
            for call_later in calls[stage + 1:]:
                call_later.replace_input_with(value, returned)
        made_by.update({node: stage for node in (call, *call.users) if node is call or node.target is operator.getitem})
    for call, module, before in zip(calls[1:], modules[1:], modules):
        take_in_order(call, module)
        give_whole(before, module)
    for module in modules:
        module.recompile()
    pipe.split_gm.recompile()


def used_names(module, prefix=""):
    """Of parameters and buffers that a stage reads."""
    names = set()
    for node in module.graph.nodes:
        if node.op == "get_attr":
            names.add(prefix + node.target)
        elif node.op == "call_module" and hasattr(module.get_submodule(node.target), "graph"):
            names |= used_names(module.get_submodule(node.target), f"{prefix}{node.target}.")
    return names


def drop_unused(module):
    """Of a tied parameter torch leaves its other names in a stage too."""
    used = used_names(module)
    for name, _ in list(module.named_parameters(remove_duplicate=False)):
        if name not in used:
            owner, _, leaf = name.rpartition(".")
            delattr(module.get_submodule(owner), leaf)


def tied_names(model):
    """Names of one parameter, where it has several."""
    names = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        names.setdefault(id(parameter), set()).add(name)
    return [some for some in names.values() if len(some) > 1]


def run_again_in_backward(stage):
    """Keeps the stage's inputs alone."""
    forward = stage.submod.forward
    stage.submod.forward = lambda *inputs, **named: checkpoint(forward, *inputs, use_reentrant=False, **named)


def sum_over(group, gradients):
    if group is not None:
        for gradient in gradients:
            dist.all_reduce(gradient, group=group)


class Trainer:
    def __init__(self, model, loss, inputs, target=None, folder=HERE, device=None):
        """`inputs`: of a whole step, or of any that has microbatches of the same shape."""
        self.plan = plan = read_plan(folder)
        self.count = plan["microbatches"]
        if dist.get_world_size() != len(plan["ranks"]):
            raise PlanError(f"the plan has {len(plan['ranks'])} ranks and {dist.get_world_size()} were started: torchrun "
                            f"--nproc-per-node {len(plan['ranks'])}")
        me = plan["ranks"][dist.get_rank()]
        self.lane = plan["lanes"][me["lane"]]
        self.device = torch.device(device or device_of(me))
        lane_groups = [self.group_of(lane["ranks"]) for lane in plan["lanes"]]  # every rank must make every group
        group = lane_groups[me["lane"]]
        tied = tied_names(model)
        pipe = cut(model, rows_of(inputs, [0], self.count), plan)
        self.stages = [pipe.build_stage(stage, self.device, group) for stage in me["stages"]]
        for stage in self.stages:
            drop_unused(stage.submod)
            if plan["stages"][stage.stage_index]["recompute"]:
                run_again_in_backward(stage)
        self.make_sums(pipe, tied)
        self.taken = inputs_of_first_stage(pipe)
        self.schedule = _PipelineScheduleRuntime(self.stages, len(self.lane["microbatches"]), loss_fn=loss, scale_grads=False)
        self.schedule._load_csv(str(pathlib.Path(folder) / self.lane["schedule"]))

    def group_of(self, ranks):
        if ranks == list(range(dist.get_world_size())):
            return dist.group.WORLD
        return dist.new_group(ranks)

    def make_sums(self, pipe, tied):
        """What gradients are summed over, besides microbatches: copies of a tied parameter, and replicas of a stage."""
        of_stage = {stage.stage_index: stage.submod for stage in self.stages}
        used = [used_names(pipe.get_stage_module(stage)) for stage in range(pipe.num_stages)]
        holders = [[rank for rank, at in enumerate(self.plan["ranks"]) if stage in at["stages"]] for stage in range(pipe.num_stages)]
        self.sums, shared = [], set()
        for names in tied:
            stages = [stage for stage in range(pipe.num_stages) if names & used[stage]]
            if len(stages) < 2:
                continue
            found = [of_stage[stage].get_parameter(name) for stage in stages if stage in of_stage for name in sorted(names & used[stage])]
            mine = list({id(parameter): parameter for parameter in found}.values())
            shared |= {id(parameter) for parameter in mine}
            ranks = sorted({rank for stage in stages for rank in holders[stage]})
            self.sums.append(([mine] if mine else [], self.group_of(ranks) if len(ranks) > 1 else None))
        for stage, ranks in enumerate(holders):
            group = self.group_of(ranks) if len(ranks) > 1 else None
            own = [[parameter] for parameter in of_stage[stage].parameters() if id(parameter) not in shared] if stage in of_stage else []
            self.sums.append((own, group))

    def parameters(self):
        return [parameter for stage in self.stages for parameter in stage.submod.parameters()]

    def named_gradients(self):
        return {name: parameter.grad for stage in self.stages for name, parameter in stage.submod.named_parameters()}

    def step(self, inputs, target):
        """Forward and backward of all microbatches; the mean loss, on every rank. Gradients are those of that mean."""
        for parameter in self.parameters():
            parameter.grad = None
        places = {stage.stage_index for stage in self.stages}
        mine = rows_of((*inputs, target), self.lane["microbatches"], self.count)
        *inputs, target = (tensor.to(self.device) for tensor in mine)
        losses = []
        is_last = len(self.plan["stages"]) - 1 in places
        self.schedule.step(*([inputs[i] for i in self.taken] if 0 in places else ()), target=target if is_last else None, losses=losses if is_last else None)
        for copies, group in self.sums:
            self.sum_gradients(copies, group)
        total = sum((loss.detach().double() for loss in losses), torch.zeros((), dtype=torch.float64, device=self.device))
        dist.all_reduce(total)
        return total.item() / self.count

    def sum_gradients(self, parameters, group):
        """Each entry: the copies that this rank has of one parameter."""
        for copies in parameters:
            found = [one.grad for one in copies if one.grad is not None]
            if not found and group is None:
                continue
            gradient = sum(found[1:], found[0]) if found else torch.zeros_like(copies[0])
            sum_over(group, [gradient])
            gradient = gradient / self.count
            for one in copies:
                one.grad = gradient.clone()


def device_of(rank):
    """The plan's device where CUDA has it; on several hosts, the one of this rank on its host."""
    if not torch.cuda.is_available() or not rank["torch"].startswith("cuda"):
        return "cpu"
    is_one_host = os.environ.get("LOCAL_WORLD_SIZE") == os.environ.get("WORLD_SIZE")
    return rank["torch"] if is_one_host else f"cuda:{os.environ['LOCAL_RANK']}"


OPTIMIZERS = {
    "sgd": lambda parameters, rate: torch.optim.SGD(parameters, rate),
    "momentum": lambda parameters, rate: torch.optim.SGD(parameters, rate, momentum=0.9),
    "adam": lambda parameters, rate: torch.optim.Adam(parameters, rate),
}


def load_function(word):
    """FILE.py:NAME or MODULE:NAME."""
    where, _, name = word.rpartition(":")
    try:
        if where.endswith(".py"):
            spec = importlib.util.spec_from_file_location(pathlib.Path(where).stem, where)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(where)
        return getattr(module, name)
    except (AttributeError, ImportError, OSError, ValueError) as error:
        raise PlanError(f"--model {word} is not FILE.py:FUNCTION or MODULE:FUNCTION: {error}") from error


def alone(model, loss, inputs, target, count):
    """Mean loss and gradients by one process, microbatch by microbatch."""
    total = 0.0
    for i in range(count):
        *some, wanted = rows_of((*inputs, target), [i], count)
        value = loss(model(*some), wanted) / count
        value.backward()
        total += value.item()
    return total, {name: parameter.grad for name, parameter in model.named_parameters(remove_duplicate=False)}


def differ(found, wanted):
    """Beyond what the order of additions explains."""
    close = torch.finfo(wanted.dtype).eps ** 0.5
    return (found - wanted).norm().item() > close * max(wanted.norm().item(), 1e-6)


def check(trainer, loss_found, reference):
    """Compares the loss and the gradients of all ranks with those of one process: what differs, and how many were compared."""
    loss_wanted, gradients = reference
    wrong = [] if abs(loss_found - loss_wanted) <= 1e-5 * max(abs(loss_wanted), 1e-6) else [f"loss {loss_found!r} and not {loss_wanted!r}"]
    found = trainer.named_gradients()
    for name, gradient in found.items():
        wanted = gradients[name]
        if gradient is None or wanted is None:
            wrong += [name] * any(one is not None and one.norm() > 0 for one in (gradient, wanted))
        elif differ(gradient.cpu(), wanted.cpu()):
            wrong.append(name)
    everything = [None] * dist.get_world_size()
    dist.all_gather_object(everything, (wrong, sorted(found)))
    seen = {name for _, names in everything for name in names}
    there = {id(gradients[name]) for name in seen}  # by any of the names of a tied parameter
    missing = [name for name, wanted in gradients.items() if wanted is not None and id(wanted) not in there]
    return sorted({name for some, _ in everything for name in some}) + missing, len(seen)


def train(flags):
    torch.manual_seed(flags.seed)
    model, loss, batch = load_function(flags.model)()
    inputs, target = batch(0)
    whole = copy.deepcopy(model) if flags.check else None
    trainer = Trainer(model, loss, inputs, target)
    optimizer = OPTIMIZERS[trainer.plan["optimizer"]](trainer.parameters(), flags.rate)
    for step in range(flags.steps):
        inputs, target = batch(step)
        begin = time.perf_counter()
        value = trainer.step(inputs, target)
        if dist.get_rank() == 0:
            print(f"step {step}: loss {value:.6g}, {time.perf_counter() - begin:.3f} s", flush=True)
        if step == 0 and flags.check:
            wrong, count = check(trainer, value, alone(whole, loss, inputs, target, trainer.count))
            if wrong:
                raise PlanError(f"not as in one process: {', '.join(wrong[:5])}{' ...' * (len(wrong) > 5)}")
            if dist.get_rank() == 0:
                print(f"loss and the gradients of {count} parameters are those of one process", flush=True)
        optimizer.step()


def main():
    parser = argparse.ArgumentParser(description="Trains a model as the pipeline of this folder says; start it with torchrun.")
    parser.add_argument("--model", required=True, metavar="FILE.py:FUNCTION", help="returns (model, loss, batch); or MODULE:FUNCTION")
    parser.add_argument("--steps", type=int, default=1, metavar="N", help="steps to train (default 1)")
    parser.add_argument("--rate", type=float, default=1e-3, metavar="R", help="learning rate (default 0.001)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the model's first weights (default 1)")
    parser.add_argument("--check", action="store_true", help="the first step by one process too; status 1 if loss or gradients differ")
    flags = parser.parse_args()
    if "RANK" not in os.environ:
        sys.exit(f"start it with torchrun --nproc-per-node {len(read_plan()['ranks'])} {sys.argv[0]} ...")
    plan = read_plan()
    me = plan["ranks"][int(os.environ["RANK"]) % len(plan["ranks"])]
    device = device_of(me)
    if device != "cpu":
        torch.cuda.set_device(device)
    dist.init_process_group("gloo" if device == "cpu" else "nccl")
    try:
        train(flags)
    except PlanError as error:
        if dist.get_rank() == 0:
            print(f"{sys.argv[0]}: {error}", file=sys.stderr)
        sys.stderr.flush()
        sys.exit(1)
    finally:
        dist.destroy_process_group()


if __name__ == "__main__":
    main()
)PY";

}  // namespace berth
