# SPDX-License-Identifier: Apache-2.0
"""One rank of several pipelines, one after the other, started by torchrun: MODEL=FOLDER ... . Every pipeline is run by the classes in
the run.py of its folder and compared with one process that takes the whole batch at once; rank 0 prints a line of JSON for each."""
import json
import pathlib
import sys

import torch
import torch.distributed as dist

import consumer
import pipelined_models


def one_process(name):
    torch.manual_seed(1)
    model, loss, batch = getattr(pipelined_models, name)()
    inputs, target = batch(0)
    value = loss(model(*inputs), target)
    value.backward()
    return value.item(), {name: parameter.grad for name, parameter in model.named_parameters(remove_duplicate=False)}


def pipelined(name, folder):
    torch.manual_seed(1)
    model, loss, batch = getattr(pipelined_models, name)()
    trainer = consumer.script(folder, "run").Trainer(model, loss, *batch(0), folder=folder)
    dumped = pathlib.Path(folder) / f"dumped{dist.get_rank()}.csv"
    trainer.schedule._dump_csv(dumped, format="compute_only")
    lists = dumped.read_text().split() == (pathlib.Path(folder) / trainer.lane["schedule"]).read_text().split()
    trainer.step(*batch(1))  # what an earlier step leaves must not matter
    return trainer.step(*batch(0)), trainer.named_gradients(), lists


def largest_difference(gradients, wanted):
    return max(((gradients[name] - wanted[name]).abs().max() / wanted[name].abs().max()).item() for name in gradients)


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    for word in sys.argv[1:]:
        name, _, folder = word.partition("=")
        value, gradients, lists = pipelined(name, folder)
        wanted_value, wanted = one_process(name)
        mine = {"names": sorted(gradients), "difference": largest_difference(gradients, wanted), "lists": lists}
        everything = [None] * dist.get_world_size()
        dist.all_gather_object(everything, mine)
        if dist.get_rank() == 0:
            print(json.dumps({"folder": folder, "model": name, "loss": value, "wanted_loss": wanted_value,
                              "parameters": sorted(wanted), "ranks": everything}), flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
