# SPDX-License-Identifier: Apache-2.0
"""Placement as a game, for libraries of reinforcement learning: gymnasium.Env and gymnasium.vector.VectorEnv.

An episode places the groups of a problem one by one, in topological order; groups that may be on one device alone stand there from
the beginning. An action is the device of the group at hand; one that the mask forbids counts as the first device that it allows. The
last step of an episode has the reward: log(reference / step time), where the reference is the best single device, so 0 is as good as
that and 0.69 twice as fast; a plan that does not fit in memory has at most -5. All other rewards are 0.

An observation is a dict:
    group      [features]          of the group at hand: Groups.features()
    devices    [devices, 4]        for each device, all between 0 and 1: how quick it is with this group, its work so far, its memory
                                   so far, and how much of what the group exchanges with groups that are placed is there
    placement  [groups]            the device of every group so far, -1 for those to come
    mask       [devices]           1: the group may be there; also in the info, as "action_mask"
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _berth
from ._groups import Groups
from ._problems import Problem
from ._scores import Scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_FEATURE = 3.0  # a logarithm of 10^26
NO_MEMORY = -5.0


class _Board:
    """Some episodes side by side, all at the same step."""

    def __init__(self, problem: Problem, groups: int | Groups, episodes: int, threads: int):
        if problem._native.has_limits:
            raise _berth.BerthError("limits of devices or crossings (max-devices, max-crossings) have no place in an environment: no mask can say them")
        self.problem, self.threads = problem, threads
        self.groups = groups if isinstance(groups, Groups) else problem.grouped(groups)
        self.decided = self.groups.order[self.groups.allowed[self.groups.order].sum(axis=1) > 1]
        if not len(self.decided):
            raise _berth.BerthError("there is nothing to decide: every group may be on one device alone")
        self.features = np.minimum(self.groups.features(), MOST_FEATURE)
        self.first_allowed = self.groups.allowed.argmax(axis=1)
        self.times = np.where(self.groups.allowed, self.groups.times, 0.0)
        least = np.min(self.groups.times, axis=1)
        self.all_work = max(float(least.sum()), 1e-12)
        self.quickness = np.where(self.groups.allowed, (least[:, None] + 1e-12) / (self.groups.times + 1e-12), 0.0)
        self.memory = np.maximum(problem.devices.memory, 1)
        self.neighbours = _neighbours(self.groups)
        self.reference = self._reference()
        self.placement = np.empty((episodes, len(self.groups)), np.int8)
        self.begin()

    def begin(self) -> None:
        episodes, devices = len(self.placement), self.times.shape[1]
        self.at = 0
        fixed = np.ones(len(self.groups), bool)
        fixed[self.decided] = False
        self.placement[:] = np.where(fixed, self.first_allowed, -1)
        self.busy = np.zeros((episodes, devices))
        self.resident = np.zeros((episodes, devices))
        for group in np.flatnonzero(fixed):
            self._count(group)

    @property
    def is_over(self) -> bool:
        return self.at == len(self.decided)

    def step(self, actions: Any) -> None:
        """Every episode places its group; -1 and the like are refused."""
        group, episodes = self.decided[self.at], np.arange(len(self.placement))
        if actions.shape != episodes.shape or actions.dtype.kind not in "iu" or actions.min() < 0 or actions.max() >= self.times.shape[1]:
            raise _berth.BerthError(f"an action is a device, 0 to {self.times.shape[1] - 1}, one for each episode; here they are {actions!r}")
        self.placement[:, group] = np.where(self.groups.allowed[group, actions], actions, self.first_allowed[group])
        self._count(group)
        self.at += 1

    def _count(self, group: int) -> None:
        episodes, where = np.arange(len(self.placement)), self.placement[:, group]
        self.busy[episodes, where] += self.times[group, where]
        self.resident[episodes, where] += self.groups.resident_bytes[group]

    def observe(self) -> dict[str, NDArray[Any]]:
        """After the last step: the last group once more."""
        group, episodes = self.decided[min(self.at, len(self.decided) - 1)], len(self.placement)
        devices = np.stack([np.broadcast_to(self.quickness[group], self.busy.shape), self.busy / (self.busy + self.all_work),
                            np.minimum(self.resident / self.memory, 1.0), self._near(group)], axis=-1)
        return {"group": np.repeat(self.features[group][None], episodes, axis=0), "devices": devices.astype(np.float32),
                "placement": self.placement.copy(), "mask": np.repeat(self.mask(group)[None], episodes, axis=0)}

    def mask(self, group: int) -> NDArray[np.int8]:
        return self.groups.allowed[group].astype(np.int8)

    def _near(self, group: int) -> NDArray[Any]:
        """[episodes, devices]: shares of the bytes that the group exchanges with groups that are placed."""
        others, sizes = self.neighbours[group]
        there = self.placement[:, others]
        near = np.stack([np.where(there == device, sizes, 0.0).sum(axis=1) for device in range(self.times.shape[1])], axis=1)
        total = near.sum(axis=1, keepdims=True)
        return near / np.where(total > 0, total, 1.0)

    def scores(self) -> Scores:
        return self.problem.evaluate(self.placement, of=self.groups, threads=self.threads)

    def rewards(self, scores: Scores) -> NDArray[np.float64]:
        gains = np.log(self.reference / np.maximum(scores.step_time, 1e-12))
        lacking = NO_MEMORY - scores.over / self.memory.sum()
        rewards: NDArray[np.float64] = np.where(scores.feasible, gains, np.minimum(gains, 0.0) + lacking)
        return rewards

    def _reference(self) -> float:
        """Of everything on one device, as far as it may be there, the best."""
        devices = range(self.times.shape[1])
        alone = np.stack([np.where(self.groups.allowed[:, device], device, self.first_allowed) for device in devices])
        scores = self.problem.evaluate(alone, of=self.groups, threads=self.threads)
        return max(float(scores.step_time[scores.order()[0]]), 1e-12)

    def observation_space(self) -> spaces.Dict:
        groups, devices = self.times.shape
        return spaces.Dict({"group": spaces.Box(0.0, MOST_FEATURE, self.features.shape[1:], np.float32),
                            "devices": spaces.Box(0.0, 1.0, (devices, 4), np.float32),
                            "placement": spaces.Box(-1, devices - 1, (groups,), np.int8),
                            "mask": spaces.Box(0, 1, (devices,), np.int8)})

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.times.shape[1])


def _neighbours(groups: Groups) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Of every group the others that it exchanges something with, and how many bytes."""
    both = np.concatenate([groups.ends, groups.ends[:, ::-1]])
    sizes = np.concatenate([groups.bytes, groups.bytes]).astype(np.float64)
    order = np.argsort(both[:, 0], kind="stable")
    begin = np.searchsorted(both[order, 0], np.arange(len(groups) + 1))
    return [(both[order[begin[i]:begin[i + 1]], 1], sizes[order[begin[i]:begin[i + 1]]]) for i in range(len(groups))]


class PlacementEnv(gymnasium.Env[Any, Any]):
    """One episode at a time. The info after the last step has step_time, feasible and devices, which problem.plan(devices, of=env.groups)
    makes a plan of."""
    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, problem: Problem, groups: int | Groups = 64, threads: int = 1):
        """groups: about how many, or those of problem.grouped() or problem.units."""
        self.problem = problem
        self._board = _Board(problem, groups, 1, threads)
        self.groups = self._board.groups
        self.observation_space = self._board.observation_space()
        self.action_space = self._board.action_space()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._board.begin()
        return self._seen()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._board.is_over:
            raise gymnasium.error.ResetNeeded("the episode is over; call reset()")
        self._board.step(np.asarray(action).reshape(1))
        observation, info = self._seen()
        if not self._board.is_over:
            return observation, 0.0, False, False, info
        scores = self._board.scores()
        info.update(step_time=float(scores.step_time[0]), feasible=bool(scores.feasible[0]), devices=self._board.placement[0].copy())
        return observation, float(self._board.rewards(scores)[0]), True, False, info

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        observation = {name: values[0] for name, values in self._board.observe().items()}
        return observation, {"action_mask": observation["mask"].copy()}


class PlacementVectorEnv(VectorEnv[Any, Any, Any]):
    """Many episodes side by side, whose plans are simulated as one batch. After the last step all begin anew (AutoresetMode.SAME_STEP):
    the infos then have final_obs and final_info with step_time, feasible and devices of every episode."""
    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(self, problem: Problem, num_envs: int, groups: int | Groups = 64, threads: int = 0):
        if num_envs < 1:
            raise _berth.BerthError(f"num_envs: {num_envs} is no number of episodes")
        self.problem, self.num_envs = problem, num_envs
        self._board = _Board(problem, groups, num_envs, threads)
        self.groups = self._board.groups
        self.single_observation_space = self._board.observation_space()
        self.single_action_space = self._board.action_space()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        self._board.begin()
        return self._seen()

    def step(self, actions: Any) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        self._board.step(np.asarray(actions))
        rewards, is_over = np.zeros(self.num_envs), np.full(self.num_envs, self._board.is_over)
        final: dict[str, Any] = {}
        if self._board.is_over:
            scores = self._board.scores()
            rewards = self._board.rewards(scores)
            final = self._final(scores, is_over)
            self._board.begin()
        observation, infos = self._seen()
        return observation, rewards, is_over, np.zeros(self.num_envs, bool), {**infos, **final}

    def _final(self, scores: Scores, is_over: NDArray[Any]) -> dict[str, Any]:
        seen = self._board.observe()
        observations = np.empty(self.num_envs, object)
        for i in range(self.num_envs):
            observations[i] = {name: values[i] for name, values in seen.items()}
        info = {"step_time": scores.step_time, "feasible": scores.feasible, "devices": self._board.placement.copy()}
        return {"final_obs": observations, "_final_obs": is_over, "final_info": info, "_final_info": is_over}

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        observation = self._board.observe()
        return observation, {"action_mask": observation["mask"].copy()}
