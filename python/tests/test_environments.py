# SPDX-License-Identifier: Apache-2.0
"""Placement as a game: what gymnasium demands, and rewards that are those of the plans played."""
import sys

import pytest

import berth

np = pytest.importorskip("numpy")
SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"


@pytest.fixture(scope="module")
def problem():
    pytest.importorskip("gymnasium")
    return berth.problem(SMALL, "k40x2")


def play(env, choose):
    """Every step's observation and action, and the last reward and info."""
    observation, info = env.reset(seed=1)
    steps = []
    while True:
        action = choose(observation, info)
        steps.append((observation, info, action))
        observation, reward, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space and not truncated
        if terminated:
            return steps, reward, info
        assert reward == 0.0


def test_gymnasium_finds_nothing_wrong(problem):
    from gymnasium.utils.env_checker import check_env
    check_env(berth.PlacementEnv(problem, groups=16), skip_render_check=True)


def test_an_episode_is_a_plan(problem):
    env = berth.PlacementEnv(problem, groups=16)
    random = np.random.default_rng(4)
    steps, reward, info = play(env, lambda seen, info: random.choice(np.flatnonzero(info["action_mask"])))
    decided = [group for group in env.groups.order if env.groups.allowed[group].sum() > 1]
    assert [action for _, _, action in steps] == info["devices"][decided].tolist()
    for step, (seen, before, action) in enumerate(steps):
        assert (seen["mask"] == env.groups.allowed[decided[step]]).all() and (before["action_mask"] == seen["mask"]).all()
        assert seen["placement"].tolist() == [device if group not in decided[step:] else -1 for group, device in enumerate(info["devices"])]
        assert (seen["group"] == env.groups.features()[decided[step]]).all()
    plan = problem.plan(info["devices"], of=env.groups)
    assert plan.step_time == info["step_time"] and info["feasible"]
    assert reward == pytest.approx(np.log(plan.single.step_time / plan.step_time))


def test_devices_say_what_is_there(problem):
    env = berth.PlacementEnv(problem, groups=16)
    groups = env.groups
    steps, _, info = play(env, lambda seen, info: int(np.flatnonzero(info["action_mask"])[-1]))
    decided = [group for group in groups.order if groups.allowed[group].sum() > 1]
    seen, _, _ = steps[-1]
    last, placed = decided[-1], np.array([group != decided[-1] for group in range(len(groups))])
    quick, work, memory, near = seen["devices"].T
    assert quick.max() == 1.0 and quick.argmax() == groups.times[last].argmin()
    for device in range(3):
        there = placed & (info["devices"] == device)
        busy = groups.times[there, device].sum()
        assert work[device] == pytest.approx(busy / (busy + groups.times.min(axis=1).sum()), rel=1e-5)
        assert memory[device] == pytest.approx(groups.resident_bytes[there].sum() / problem.devices.memory[device], rel=1e-5)
        shared = [size for (source, target), size in zip(groups.ends, groups.bytes)
                  if last in (source, target) and there[source + target - last]]
        everything = groups.bytes[(groups.ends == last).any(axis=1)].sum()
        assert near[device] == pytest.approx(sum(shared) / everything, rel=1e-5)


def test_one_device_has_the_reward_nothing_at_all(problem):
    single = problem.plan({}, rest="cpu").single
    device = int(np.bincount(single.to_numpy(), minlength=3)[1:].argmax()) + 1
    _, reward, info = play(berth.PlacementEnv(problem, groups=16), lambda seen, info: device)
    assert info["step_time"] == single.step_time and reward == pytest.approx(0.0)


def test_actions_that_the_mask_forbids_stand_for_the_first_that_it_allows(problem):
    last = problem.op_names[int(problem.ops.order[-1])]
    pinned = berth.problem(SMALL, "k40x2", constraints=[("forbid", f"{last}=gpu1")])
    env = berth.PlacementEnv(pinned, groups=pinned.units)
    _, _, info = play(env, lambda seen, info: 2)
    device = info["devices"][pinned.ops.unit_of[pinned.op_names.index(last)]]
    assert device == 0 and (info["devices"] == 2).sum() > 100
    for wrong in (3, -1, 1.5):
        env.reset()
        with pytest.raises(berth.BerthError, match="an action is a device, 0 to 2"):
            env.step(wrong)


def test_an_episode_that_is_over_does_not_go_on(problem):
    import gymnasium
    env = berth.PlacementEnv(problem, groups=8)
    play(env, lambda seen, info: 1)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(1)


def test_what_lacks_memory_has_less_than_anything_that_fits():
    pytest.importorskip("gymnasium")
    tight = berth.problem(SMALL, "k40x2", changes=["gpu.memory=50kB"])
    env = berth.PlacementEnv(tight, groups=8)
    _, full, info = play(env, lambda seen, info: 1)
    _, fits, good = play(env, lambda seen, info: 0)
    assert not info["feasible"] and full < -5.0 and good["feasible"] and fits == pytest.approx(0.0)


def test_many_episodes_are_each_what_they_are_alone(problem):
    env = berth.PlacementEnv(problem, groups=12)
    many = berth.PlacementVectorEnv(problem, 5, groups=env.groups)
    random = np.random.default_rng(5)
    actions = random.integers(3, size=(40, 5))
    alone = []
    for episode in range(5):
        choices = iter(actions[:, episode])
        alone.append(play(env, lambda seen, info: next(choices)))
    observation, infos = many.reset(seed=1)
    for step in range(len(alone[0][0])):
        assert observation in many.observation_space
        for episode, (steps, _, _) in enumerate(alone):
            for name, seen in steps[step][0].items():
                assert (observation[name][episode] == seen).all(), name
        observation, rewards, terminated, truncated, infos = many.step(actions[step])
    assert terminated.all() and not truncated.any() and rewards.tolist() == [reward for _, reward, _ in alone]
    assert infos["final_info"]["step_time"].tolist() == [info["step_time"] for _, _, info in alone]
    assert (infos["final_info"]["devices"] == np.stack([info["devices"] for _, _, info in alone])).all()
    assert len(infos["final_obs"]) == 5 and infos["final_obs"][0] in many.single_observation_space
    first, _ = many.reset()
    assert all((observation[name] == first[name]).all() for name in first), "it has begun anew"
    with pytest.raises(berth.BerthError, match="an action is a device"):
        many.step(np.zeros(4, int))


def test_wrappers_of_gymnasium_take_them(problem):
    from gymnasium.wrappers import FlattenObservation
    from gymnasium.wrappers.vector import RecordEpisodeStatistics
    flat = FlattenObservation(berth.PlacementEnv(problem, groups=8))
    assert flat.reset()[0].shape == flat.observation_space.shape
    many = RecordEpisodeStatistics(berth.PlacementVectorEnv(problem, 3, groups=8))
    many.reset()
    while True:
        _, rewards, terminated, _, infos = many.step(many.action_space.sample())
        if terminated.all():
            break
    assert infos["episode"]["r"].tolist() == rewards.tolist()


def test_environments_run_in_processes_of_their_own(problem):
    from gymnasium.vector import AsyncVectorEnv
    groups = problem.grouped(8)
    many = AsyncVectorEnv([lambda: berth.PlacementEnv(problem, groups=groups)] * 2, context="spawn")
    try:
        observations, _ = many.reset()
        assert observations["devices"].shape == (2, 3, 4)
        many.step(np.array([0, 1]))
    finally:
        many.close()


def test_what_no_mask_can_say_is_refused(problem):
    limited = berth.problem(SMALL, "k40x2", constraints=[("max-devices", "1")])
    with pytest.raises(berth.BerthError, match="limits"):
        berth.PlacementEnv(limited)
    bound = berth.problem(SMALL, "k40x2", constraints=[("pin", "*=cpu")])
    with pytest.raises(berth.BerthError, match="nothing to decide"):
        berth.PlacementEnv(bound)
    with pytest.raises(berth.BerthError, match="num_envs"):
        berth.PlacementVectorEnv(problem, 0)


def test_without_gymnasium_one_line_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "berth._environments", raising=False)
    with pytest.raises(berth.BerthError, match="^berth.PlacementEnv needs gymnasium: pip install gymnasium$"):
        berth.PlacementEnv
    with pytest.raises(AttributeError, match="no attribute 'PlacementEnvy'"):
        berth.PlacementEnvy
