#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A placement policy of your own in PyTorch: a small graph network says for every group of ops how likely each device is, draws plans,
has them simulated as one batch, and learns by policy gradient (REINFORCE). Needs berth, numpy and torch.

    python policy.py                # zoo:rnnlm on k40x2: 100 updates of 64 plans each

It ends with what its best plan takes, beside planners of Berth and the best of as many plans that chance makes of the same groups."""
import argparse

import numpy as np
import torch
from torch import nn

import berth


class Policy(nn.Module):
    """Features of groups, two rounds of messages along the edges between them, logits of devices."""

    def __init__(self, groups, hidden=64):
        super().__init__()
        features = torch.tensor(groups.features())
        self.register_buffer("features", (features - features.mean(0)) / (features.std(0) + 1e-6))
        self.register_buffer("allowed", torch.tensor(groups.allowed))
        self.register_buffer("heard", self.messages(groups))
        self.embed = nn.Linear(features.shape[1], hidden)
        self.rounds = nn.ModuleList(nn.Linear(2 * hidden, hidden) for _ in range(2))
        self.decide = nn.Linear(hidden, groups.allowed.shape[1])

    @staticmethod
    def messages(groups):
        """[groups, groups]: how much of what a group exchanges it exchanges with each other group."""
        weights = torch.zeros(len(groups), len(groups))
        source, target = torch.tensor(groups.ends).T
        weights.index_put_((source, target), torch.tensor(groups.bytes, dtype=torch.float32), accumulate=True)
        weights = weights + weights.T
        return weights / weights.sum(1, keepdim=True).clamp(min=1)

    def forward(self):
        state = torch.relu(self.embed(self.features))
        for layer in self.rounds:
            state = state + torch.relu(layer(torch.cat([state, self.heard @ state], dim=1)))
        logits = self.decide(state).masked_fill(~self.allowed, -torch.inf)
        return torch.distributions.Categorical(logits=logits)


def log_times(problem, groups, choice):
    """Logarithms of step times; what does not fit in memory counts as ten times as slow."""
    scores = problem.evaluate(choice, of=groups)
    return torch.tensor(np.log(np.where(scores.feasible, scores.step_time, 10 * scores.step_time)), dtype=torch.float32)


def train(problem, groups, updates, plans=64, rate=0.01, entropy=0.05, seed=1):
    """The best choice of devices [groups] that was seen."""
    torch.manual_seed(seed)
    policy = Policy(groups)
    optimizer = torch.optim.Adam(policy.parameters(), lr=rate)
    best, best_time = None, float("inf")
    for update in range(updates):
        chances = policy()
        choice = chances.sample((plans,))
        times = log_times(problem, groups, choice)  # [plans]; the tensor goes to Berth without a copy
        if times.min() < best_time:
            best, best_time = choice[times.argmin()].numpy(), float(times.min())
        advantage = (times.mean() - times) / (times.std() + 1e-6)
        weight = entropy * (1 - update / updates)  # look around first
        loss = -(advantage * chances.log_prob(choice).sum(1)).mean() / len(groups) - weight * chances.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if update % 20 == 0 or update == updates - 1:
            print(f"update {update:4}: mean {times.mean().exp():.3f} s, best {np.exp(best_time):.3f} s, entropy {chances.entropy().mean():.2f}")
    return best


def best_by_chance(problem, groups, count, seed):
    random = np.random.default_rng(seed)
    choice = np.stack([random.choice(np.flatnonzero(allowed), count) for allowed in groups.allowed], axis=1)
    return choice[problem.evaluate(choice, of=groups).order()[0]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--graph", default="zoo:rnnlm")
    parser.add_argument("--machine", default="k40x2")
    parser.add_argument("--groups", type=int, default=512)
    parser.add_argument("--updates", type=int, default=100)
    parser.add_argument("--plans", type=int, default=64, help="plans in an update")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", help="plan file to write")
    args = parser.parse_args()
    problem = berth.problem(args.graph, args.machine)
    groups = problem.grouped(args.groups)
    best = train(problem, groups, args.updates, args.plans, seed=args.seed)
    plan = problem.plan(best, of=groups, name="policy")
    seen = args.updates * args.plans
    others = berth.compare(args.graph, args.machine, ["single", "random", "metis"], evaluations=seen, seed=args.seed)
    chance = problem.plan(best_by_chance(problem, groups, seen, args.seed), of=groups, name="chance")
    for each in sorted([plan, chance, *others], key=lambda each: each.step_time or float("inf")):
        print(f"{each.planner:>8} {each.step_time:.3f} s")
    if args.output:
        plan.save(args.output)


if __name__ == "__main__":
    main()
