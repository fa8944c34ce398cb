# SPDX-License-Identifier: Apache-2.0
"""Plans in tensors on a GPU: scored where they are, as on the processor, to the last bit. For a build with CUDA (BERTH_CUDA), beside a
PyTorch that has a card; skipped elsewhere."""
import pytest

import berth

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")


@pytest.fixture(scope="module", params=[("zoo:rnnlm,unroll=3", "k40x2"), ("zoo:inception-v3", "k40x4")], ids=lambda param: param[0])
def problem(request):
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")
    problem = berth.problem(*request.param)
    try:
        problem.evaluate(np.zeros((0, len(problem.graph)), np.uint8), simulate_on="cuda")
    except berth.BerthError as error:
        pytest.skip(str(error))
    return problem


@pytest.fixture(scope="module")
def rows(problem):
    """One GPU's plan with some groups elsewhere."""
    groups, random = problem.grouped(256), np.random.default_rng(1)
    rows = np.repeat(problem.devices_of({}, rest="gpu0")[None], 2000, axis=0)
    for row in rows:
        for group in random.integers(len(groups), size=random.integers(1, 30)):
            row[groups.of_op == group] = random.choice(np.flatnonzero(groups.allowed[group]))
    return rows


def same(one, other):
    return all((getattr(one, name) == getattr(other, name)).all() for name in ("picoseconds", "over", "peaks"))


def test_tensors_are_scored_as_arrays_are(problem, rows):
    here = problem.evaluate(rows, simulate_on="cpu")
    tensor = torch.tensor(rows, device="cuda")
    for there in (problem.evaluate(tensor), problem.evaluate(tensor, simulate_on="cuda"), problem.evaluate(rows, simulate_on="cuda")):
        assert same(here, there) and there.on_gpu > 0.9 * len(rows) and there.card
    assert (tensor.cpu().numpy() == rows).all() and len(problem.evaluate(tensor[:0])) == 0


def test_priorities_for_all_and_for_each(problem, rows):
    random, few = np.random.default_rng(2), rows[:200]
    tensor = torch.tensor(few, device="cuda")
    shared, own = random.permutation(rows.shape[1]).astype(float), random.random(few.shape)
    assert same(problem.evaluate(few, shared, simulate_on="cpu"), problem.evaluate(tensor, torch.tensor(shared)))
    assert same(problem.evaluate(few, own, simulate_on="cpu"), problem.evaluate(tensor, torch.tensor(own, device="cuda")))


def test_what_a_kernel_has_yet_to_write_is_waited_for(problem, rows):
    tensor = torch.zeros(rows.shape, dtype=torch.uint8, device="cuda")
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(100_000_000)
        tensor.copy_(torch.tensor(rows).pin_memory(), non_blocking=True)
        assert same(problem.evaluate(tensor), problem.evaluate(rows, simulate_on="cpu"))


def test_the_first_plan_that_is_not_legal_is_named_as_here(problem, rows):
    bound = int(np.flatnonzero(~problem.ops.allowed.all(axis=1))[0])
    strange, forbidden, endless = rows[:500].copy(), rows[:500].copy(), np.zeros((500, rows.shape[1]))
    strange[[77, 300], 9] = 200
    forbidden[[77, 300], bound] = np.flatnonzero(~problem.ops.allowed[bound])[0]
    endless[77, 3] = np.nan
    for devices, order in ((strange, None), (forbidden, None), (rows[:500], endless)):
        with pytest.raises(berth.BerthError, match="^plan 77: ") as here:
            problem.evaluate(devices, order, simulate_on="cpu")
        with pytest.raises(berth.BerthError, match="^plan 77: ") as there:
            problem.evaluate(torch.tensor(devices, device="cuda"), None if order is None else torch.tensor(order, device="cuda"))
        assert str(there.value).split(";")[0] == str(here.value).split(";")[0]


def test_other_tensors_are_refused(problem, rows):
    tensor = torch.tensor(rows, device="cuda")
    for given, words in ((tensor.long(), "uint8"), (tensor.T.contiguous().T, "contiguous"), (tensor[:, 1:], r"\[plans, ")):
        with pytest.raises(berth.BerthError, match=words):
            problem.evaluate(given)
    limited = berth.problem("zoo:rnnlm,unroll=3", "k40x2", constraints=[("max-devices", "2")])
    with pytest.raises(berth.BerthError, match="limits"):
        limited.evaluate(torch.zeros((2, len(limited.graph)), dtype=torch.uint8, device="cuda"))
