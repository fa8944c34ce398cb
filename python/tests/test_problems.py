# SPDX-License-Identifier: Apache-2.0
"""Problems as arrays: their tables are those of the graph and the machine, and plans in arrays are worth what they are one by one."""
import ctypes
import os
import pickle
import signal
import threading
import time

import pytest

import berth

np = pytest.importorskip("numpy")
SMALL = "zoo:rnnlm,batch=4,unroll=3,hidden=16,vocab=100"


@pytest.fixture(scope="module")
def problem():
    return berth.problem(SMALL, "k40x2")


@pytest.fixture(scope="module")
def rows(problem):
    """Plans of units anywhere they may be."""
    return problem.units.spread(random_choice(problem.units, 40))


def random_choice(groups, count, seed=1):
    random = np.random.default_rng(seed)
    return np.stack([random.choice(np.flatnonzero(allowed), count) for allowed in groups.allowed], axis=1)


def test_tables_say_what_the_graph_says(problem):
    ops, graph = problem.ops, problem.graph.ops()
    assert problem.op_names == [op["name"] for op in graph]
    assert [ops.types[i] for i in ops.type_of] == [op["type"] for op in graph]
    assert [ops.roles[i] for i in ops.role_of] == [op["role"] for op in graph]
    assert [ops.modules[i] for i in ops.module_of] == [op["module"] for op in graph]
    for name in ("flops", "output_bytes", "resident_bytes"):
        assert getattr(ops, name).tolist() == [op[name] for op in graph], name
    assert len(problem.edges.bytes) == problem.graph.num_edges
    assert (problem.edges.bytes == problem.tensors.bytes[problem.edges.tensor]).all()
    assert (problem.edges.ends[:, 0] == problem.tensors.producer[problem.edges.tensor]).all()
    sums = np.bincount(problem.tensors.producer, problem.tensors.bytes, len(graph))
    assert (sums == ops.output_bytes).all()


def test_the_order_is_topological(problem):
    place = np.empty(len(problem.graph), int)
    place[problem.ops.order] = np.arange(len(place))
    for ends in (problem.edges.ends, problem.edges.control):
        assert len(ends) and (place[ends[:, 0]] < place[ends[:, 1]]).all()


def test_shapes(problem):
    tensors = problem.tensors
    sizes = {"f32": 4, "i32": 4, "i64": 8, "bool": 1}
    for tensor in range(0, len(tensors.bytes), 7):
        shape = tensors.shape(tensor)
        assert np.prod(shape, dtype=int) * sizes[tensors.dtypes[tensors.dtype_of[tensor]]] == tensors.bytes[tensor]
        assert tuple(size for size in tensors.shapes(4)[tensor] if size)[:len(shape)] == shape


def test_times_are_those_of_plans(problem):
    plan = berth.place(SMALL, "k40x2", "expert-layers", evaluations=10)
    seconds = np.array([op["seconds"] for op in plan._native.ops()])
    assert (problem.ops.times[np.arange(len(seconds)), plan.to_numpy()] == seconds).all()
    assert np.isinf(problem.ops.times[~problem.ops.allowed]).sum() <= (~problem.ops.allowed).sum()
    forbidden = berth.problem(SMALL, "k40x2", constraints=[("forbid", "type:matmul=gpu1")])
    kinds = np.array([forbidden.ops.types[i] for i in forbidden.ops.type_of])
    assert (kinds == "matmul").any() and not forbidden.ops.allowed[kinds == "matmul", 2].any()


def test_machines_are_arrays_too(problem):
    devices, links = problem.devices, problem.links
    described = berth.load_machine("k40x2").devices()
    assert devices.names == [device["name"] for device in described] == ["cpu", "gpu0", "gpu1"] == devices.places
    assert devices.memory.tolist() == [device["memory_bytes"] for device in described]
    assert devices.kinds == ["cpu", "gpu", "gpu"] and (devices.pool_of == -1).all()
    assert links.way(1, 2) == ["gpu0>gpu1"] and links.way(1, 1) == []
    link = links.names.index("gpu0>gpu1")
    assert links.link_latency_s[link] == links.latency_s[1, 2] and links.latency_s[1, 1] == 0
    assert links.link_bytes_per_s[link] == pytest.approx(links.bytes_per_s[1, 2]) and np.isinf(links.bytes_per_s[0, 0])
    less = berth.problem(SMALL, "k40x2", constraints=[("reserve", "gpu1=1GiB")])
    assert (less.devices.memory - devices.memory).tolist() == [0, 0, -2**30]


def test_nobody_writes_to_tables(problem):
    for array in (problem.ops.times, problem.units.allowed, problem.evaluate(problem.devices_of({}, rest="cpu")[None]).over):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_units_and_groups_add_up(problem):
    for groups in (problem.units, problem.grouped(12), problem.grouped(problem.ops.unit_of)):
        assert groups.num_ops.sum() == len(problem.graph) and sorted(groups.order) == list(range(len(groups)))
        assert groups.resident_bytes.sum() == problem.ops.resident_bytes.sum()
        assert groups.allowed.any(axis=1).all() and np.isinf(groups.times[~groups.allowed]).all()
        heaviest = int(groups.flops.argmax())
        own = groups.of_op == heaviest
        assert groups.flops[heaviest] == pytest.approx(problem.ops.flops[own].sum())
        assert groups.times[heaviest, 1] == pytest.approx(problem.ops.times[own, 1].sum())
        features = groups.features()
        assert features.shape == (len(groups), 10) and np.isfinite(features).all()
    assert len(problem.grouped(12)) == 12


def test_tensors_between_groups_count_once_for_each_that_reads_them(problem):
    groups, edges = problem.grouped(12), problem.edges
    sent = {(int(tensor), int(groups.of_op[source]), int(groups.of_op[target]))
            for tensor, (source, target) in zip(edges.tensor, edges.ends)}
    expected = {}
    for tensor, source, target in sent:
        if source != target:
            expected[source, target] = expected.get((source, target), 0) + int(problem.tensors.bytes[tensor])
    assert {tuple(map(int, ends)): int(size) for ends, size in zip(groups.ends, groups.bytes)} == expected


def test_plans_in_arrays_are_worth_what_they_are_one_by_one(problem, rows, tmp_path):
    scores = problem.evaluate(rows)
    assert len(scores) == len(rows) and scores.feasible.all() and scores.on_cpu + scores.on_gpu == len(rows)
    for i in (0, 17, 39):
        plan = problem.plan(rows[i])
        assert plan.step_time == scores.step_time[i]
        assert [device["peak_bytes"] for device in plan.devices()] == scores.peaks[i].tolist()
        plan.save(tmp_path / "plan.json")
        assert berth.score(SMALL, "k40x2", tmp_path / "plan.json").step_time == scores.step_time[i]
    assert scores.step_time[scores.order()[0]] == scores.step_time.min()


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", ">i4"])
def test_any_whole_numbers_anywhere_in_memory(problem, rows, kind):
    expected = problem.evaluate(rows).picoseconds.tolist()
    turned = np.asfortranarray(rows.astype(kind))
    wide = np.zeros((len(rows) * 2, rows.shape[1] * 3), kind)
    wide[::2, ::3] = rows
    for given in (rows.astype(kind), turned, wide[::2, ::3], rows.astype(kind)[::-1][::-1]):
        assert problem.evaluate(given).picoseconds.tolist() == expected
    assert problem.evaluate(rows[::-1].astype(kind)).picoseconds.tolist() == expected[::-1]


def test_numbers_of_threads_change_nothing(problem, rows):
    expected = problem.evaluate(rows, threads=1)
    for threads in (0, 2, 5):
        scores = problem.evaluate(rows, threads=threads)
        assert (scores.picoseconds == expected.picoseconds).all() and (scores.peaks == expected.peaks).all()


def test_groups_are_spread_over_their_ops(problem):
    for groups in (problem.units, problem.grouped(12)):
        choice = random_choice(groups, 20)
        assert (problem.evaluate(choice, of=groups).picoseconds == problem.evaluate(groups.spread(choice)).picoseconds).all()
        assert problem.plan(choice[3], of=groups).step_time == problem.evaluate(choice, of=groups).step_time[3]


def test_moves_of_a_base_are_the_plans_they_make(problem, rows):
    random = np.random.default_rng(6)
    for groups in (problem.units, problem.grouped(12)):
        base = random_choice(groups, 1)[0]
        choice = np.tile(base, (30, 1))
        moves = []
        for _ in range(60):  # in no order; the last three plans move nothing
            plan, group = int(random.integers(27)), int(random.integers(len(groups)))
            choice[plan, group] = random.choice(np.flatnonzero(groups.allowed[group]))
            moves.append([plan, group, choice[plan, group]])
        expected = problem.evaluate(choice, of=groups)
        assert (problem.evaluate_moves(base, moves, plans=30, of=groups).picoseconds == expected.picoseconds).all()
        ops = groups.moves_of_ops(np.array(moves))
        scores = problem.evaluate_moves(groups.spread(base), ops.astype(np.int16), plans=30, threads=2)
        assert (scores.picoseconds == expected.picoseconds).all() and (scores.peaks == expected.peaks).all()
        ranks = random.random((30, len(problem.graph)))
        assert (problem.evaluate_moves(base, moves, ranks, plans=30, of=groups).picoseconds
                == problem.evaluate(choice, ranks, of=groups).picoseconds).all()
    assert len(problem.evaluate_moves(rows[0], np.zeros((0, 3), int))) == 0
    assert problem.evaluate_moves(rows[0], np.zeros((0, 3), int), plans=2).picoseconds.tolist() == [problem.evaluate(rows).picoseconds[0]] * 2


def test_moves_that_are_none_are_refused(problem, rows):
    together = np.flatnonzero(problem.ops.unit_of == np.bincount(problem.ops.unit_of).argmax())
    other = (int(rows[0, together[0]]) + 1) % 3
    for moves, words in (([[0, 1]], r"\[moves, 3\]"), ([[0, 1, 0.5]], "whole numbers"), ([[0, 1, 3]], r"^move 0: \[0, 1, 3\]"), ([[0, -1, 1]], "^move 0"),
                         ([[0, 0, 0], [0, 10**9, 1]], "^move 1"), ([[-1, 0, 0]], "^move 0"), ([[2, together[0], other]], "^plan 2: op")):
        with pytest.raises(berth.BerthError, match=words):
            problem.evaluate_moves(rows[0], moves)
    with pytest.raises(berth.BerthError, match="^move 1"):
        problem.evaluate_moves(rows[0], [[0, 0, 0], [5, 0, 0]], plans=5)


def test_whatever_has_dlpack_is_read(problem, rows):
    class Tensor:  # as one of PyTorch: no array by itself
        def __dlpack__(self, **more):
            return rows.__dlpack__(**more)

        def __dlpack_device__(self):
            return rows.__dlpack_device__()

    class OnAGpu(Tensor):
        def __dlpack_device__(self):
            return (2, 0)
    assert (problem.evaluate(Tensor()).picoseconds == problem.evaluate(rows).picoseconds).all()
    with pytest.raises(berth.BerthError, match=r"^devices: they are on a GPU; .*devices.cpu\(\)$"):
        problem.evaluate(OnAGpu(), simulate_on="cpu")
    with pytest.raises(berth.BerthError, match=r"^devices: on a GPU they are those of ops"):
        problem.evaluate(OnAGpu(), of=problem.units)


def said_to_be_on_a_gpu(array, number=0):
    """As a tensor there: NumPy's capsule, with another device written into it."""
    class Tensor:
        def __dlpack__(self, **more):
            capsule = array.__dlpack__()
            pointer = ctypes.pythonapi.PyCapsule_GetPointer
            pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
            (ctypes.c_int32 * 2).from_address(pointer(capsule, b"dltensor") + 8)[:] = (2, number)
            return capsule

        def __dlpack_device__(self):
            return (2, number)
    return Tensor()


def test_tensors_on_a_gpu_are_run_there_or_refused(problem, rows):
    byte = np.ascontiguousarray(rows, np.uint8)
    for given, words in ((said_to_be_on_a_gpu(rows.astype(np.int64)), r"devices on a GPU are uint8: give devices.to\(torch.uint8\)"),
                         (said_to_be_on_a_gpu(np.asfortranarray(byte)), r"row by row: give devices.contiguous\(\)"),
                         (said_to_be_on_a_gpu(byte[:, 1:]), r"are \[plans, \d+\]"), (said_to_be_on_a_gpu(byte[0]), r"are \[plans, \d+\]"),
                         (said_to_be_on_a_gpu(byte, 1), "cuda:0")):
        with pytest.raises(berth.BerthError, match=words):
            problem.evaluate(given)
    with pytest.raises(berth.BerthError, match=r"priorities on a GPU are float64"):
        problem.evaluate(said_to_be_on_a_gpu(byte), said_to_be_on_a_gpu(byte))
    try:
        problem.evaluate(byte, simulate_on="cuda")
    except berth.BerthError as error:
        if "without CUDA" in str(error):
            with pytest.raises(berth.BerthError, match=r"without CUDA.*or give devices.cpu\(\)$"):
                problem.evaluate(said_to_be_on_a_gpu(byte))


def test_priorities_for_all_and_for_each(problem, rows):
    random = np.random.default_rng(3)
    ranks = random.permutation(len(problem.graph))
    shared = problem.evaluate(rows, ranks)
    each = problem.evaluate(rows, np.tile(ranks.astype(np.float32), (len(rows), 1)))
    assert (shared.picoseconds == each.picoseconds).all() and (shared.picoseconds != problem.evaluate(rows).picoseconds).any()
    plan = problem.plan(rows[5], ranks)
    assert plan.step_time == shared.step_time[5] and (plan.priorities() == ranks).all() and problem.plan(rows[5]).priorities() is None
    own = random.random((len(rows), len(ranks)))
    scores = problem.evaluate(rows, own)
    assert problem.plan(rows[7], own[7]).step_time == scores.step_time[7]


def test_plans_that_do_not_fit_are_judged():
    tight = berth.problem(SMALL, "k40x2", changes=["gpu.memory=50kB"])
    scores = tight.evaluate(tight.units.spread(np.where(tight.units.allowed[:, 1], 1, 0))[None])
    assert not scores.feasible[0] and scores.over[0] == scores.peaks[0, 1] - 50_000 > 0 and scores.step_time[0] > 0
    assert tight.plan(tight.devices_of({}, rest="gpu0")).step_time is None


def test_other_objectives():
    steady = berth.problem(SMALL, "k40x2", objective="pipeline")
    row = steady.devices_of({}, rest="gpu0")
    assert steady.evaluate(row[None]).step_time[0] == steady.plan(row).step_time and steady.objective == "pipeline"


@pytest.mark.parametrize("spoil, words", [
    (lambda rows: rows[0], r"^devices are \[plans, ops\], here \[any, \d+\], not \[\d+\]$"),
    (lambda rows: rows[:, :-1], r"not \[40, \d+\]$"),
    (lambda rows: rows[None], r"not \[1, 40, \d+\]$"),
    (lambda rows: rows.astype(float), "whole numbers, not float64"),
    (lambda rows: rows.astype(str), "whole numbers, not <U"),
    (lambda rows: rows.astype(bool), "whole numbers, not bool"),
    (lambda rows: [[None]], "not object|not \\[1, 1\\]"),
])
def test_other_arrays_are_refused(problem, rows, spoil, words):
    with pytest.raises(berth.BerthError, match=words):
        problem.evaluate(spoil(rows))


@pytest.mark.parametrize("number", [-1, 3, 255, 2**40, -2**63])
def test_numbers_that_are_no_devices_are_named(problem, rows, number):
    wrong = rows.astype(np.int64)
    wrong[31, 9] = number
    with pytest.raises(berth.BerthError, match=f"^plan 31: op '{problem.op_names[9]}' is on device {number}; the machine has 3, from 0$"):
        problem.evaluate(wrong)
    with pytest.raises(berth.BerthError, match=f"^op '{problem.op_names[9]}' is on device {number}; "):
        problem.plan(wrong[31])


def test_the_first_plan_that_is_not_legal_is_named(problem, rows):
    units = np.bincount(problem.ops.unit_of)
    together = np.flatnonzero(problem.ops.unit_of == np.argmax(units))
    assert len(together) > 1
    wrong = rows.copy()
    wrong[[12, 33], together[0]] = (wrong[[12, 33], together[1]] + 1) % 3
    with pytest.raises(berth.BerthError, match="^plan 12: op.*(must share a device|may not be on)"):
        problem.evaluate(wrong)
    with pytest.raises(berth.BerthError, match="must share a device|may not be on"):
        problem.plan(wrong[12])
    wrong[20] = 99
    with pytest.raises(berth.BerthError, match="^plan 12: "):
        problem.evaluate(wrong)
    assert problem.evaluate(rows).feasible.all()


def test_other_words_are_refused(problem, rows):
    ranks = np.zeros(len(problem.graph))
    ranks[4] = np.nan
    for wrong, words in ((ranks, "plan 0: .*not finite"), (ranks[:-1], r"priorities are \[ops\]"), (ranks.astype(str), "numbers, not <U")):
        with pytest.raises(berth.BerthError, match=words):
            problem.evaluate(rows, wrong)
        with pytest.raises(berth.BerthError):
            problem.plan(rows[0], wrong)
    for words, more in (("threads", {"threads": -1}), ("threads", {"threads": 10**6}), ("not on 'tpu'", {"simulate_on": "tpu"})):
        with pytest.raises(berth.BerthError, match=words):
            problem.evaluate(rows, **more)
    with pytest.raises(berth.BerthError, match=r"\[plans, groups\]"):
        problem.evaluate(rows, of=problem.grouped(12))


def test_groups_that_are_none_are_refused(problem):
    unit_of = problem.ops.unit_of
    apart = np.arange(len(unit_of))
    for wrong, words in ((unit_of[:-1], "groups are whole numbers"), (unit_of * 2, "numbered from 0"), (unit_of - 1, "numbered from 0"),
                         (unit_of / 2, "whole numbers"), (apart, "must share a device")):
        with pytest.raises(berth.BerthError, match=words):
            problem.grouped(wrong)
    with pytest.raises(berth.BerthError, match="at least 1"):
        problem.grouped(0)
    pinned = berth.problem(SMALL, "k40x2", constraints=[("pin", f"{problem.op_names[60]}=gpu0"), ("pin", f"{problem.op_names[-1]}=gpu1")])
    if pinned.ops.unit_of[60] != pinned.ops.unit_of[-1]:
        with pytest.raises(berth.BerthError, match="no device is allowed to all ops of group 0"):
            pinned.grouped(np.zeros(len(unit_of), int))


def test_no_plans_and_memory_that_nobody_has(problem, rows):
    none = problem.evaluate(rows[:0])
    assert len(none) == 0 and none.peaks.shape == (0, 3) and len(none.order()) == 0
    with pytest.raises((MemoryError, ValueError, berth.BerthError)):
        problem.evaluate(np.broadcast_to(rows[0], (2**55, rows.shape[1])))


def test_limits_hold(rows):
    limited = berth.problem(SMALL, "k40x2", constraints=[("max-devices", "1")])
    with pytest.raises(berth.BerthError, match="^plan 0: the plan computes on"):
        limited.evaluate(rows)
    assert limited.evaluate(limited.devices_of({}, rest="gpu1")[None]).feasible.all()


def test_other_threads_run_and_batches_take_turns(problem, rows):
    many = np.tile(rows, (50, 1))
    expected = problem.evaluate(rows).picoseconds
    seen, results = [], []

    def work():
        results.append(problem.evaluate(many, threads=2).picoseconds)
    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    while any(worker.is_alive() for worker in workers):
        seen.append(time.monotonic())
        time.sleep(0.001)
    assert len(seen) > 3
    assert all((result == np.tile(expected, 50)).all() for result in results) and len(results) == 3


def test_ctrl_c_ends_a_long_batch(problem, rows):
    many = np.broadcast_to(rows[0], (10**8, rows.shape[1]))
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        problem.evaluate(many)
    assert problem.evaluate(rows).feasible.all()


def test_plans_of_words(problem):
    kinds = {op["name"]: op["type"] for op in problem.graph.ops()}
    first = next(op for op, kind in kinds.items() if kind == "matmul")
    plan = problem.plan({"*": "cpu", "type:matmul": "gpu0", first: 2})
    where = plan.to_dict()
    assert where[first] == "gpu1" and {where[op] for op, kind in kinds.items() if kind == "matmul"} == {"gpu0", "gpu1"}
    again = problem.plan(where)
    assert again.to_dict() == where and again.step_time == plan.step_time
    assert (problem.devices_of(plan) == plan.to_numpy()).all()
    assert plan.planner == "python" and plan.single.planner == "single" and plan.explain()["limits"]
    assert problem.plan({}, rest="gpu0").step_time == plan.single.step_time
    for words, error in (({"nobody": "cpu"}, "nobody"), ({"*": "gpu7"}, "gpu7"), ({"*": 3}, "no device 3"), ({"*": "gpu"}, "no single device"),
                         ({problem.op_names[-1]: "cpu"}, r"ops are not placed.*rest=")):
        with pytest.raises(berth.BerthError, match=error):
            problem.plan(words)
    with pytest.raises(berth.BerthError, match="the problem is"):
        problem.plan(berth.place(SMALL, "k40x4", "single", evaluations=1))


def test_a_plan_of_arrays_can_all_that_plans_can(problem, rows, tmp_path):
    plan = problem.plan(rows[0], name="mine")
    assert plan.planner == "mine" and plan.graph.hash == problem.graph.hash and plan.step_time >= plan.lower_bound
    plan.export("csv", tmp_path / "plan.csv")
    assert berth.score(SMALL, "k40x2", tmp_path / "plan.csv").to_dict() == plan.to_dict()
    assert max(event["end_s"] for event in plan.timeline()) == pytest.approx(plan.step_time)
    op = next(op["op"] for op in plan._native.ops() if op["seconds"] > 0)
    pinned = berth.problem(SMALL, "k40x2", constraints=[("pin", f"{op}=gpu0")])
    with pytest.raises(berth.BerthError, match="^'pin .*' does not hold"):
        pinned.plan({"*": "gpu0", op: "gpu1"})


def test_other_processes_have_the_same_problem(problem, rows, tmp_path):
    less = berth.problem(berth.load(SMALL), "k40x2", constraints=[("reserve", "gpu1=1GiB")], changes=["link.*.latency=2x"])
    again = pickle.loads(pickle.dumps(less))
    assert (again.evaluate(rows).picoseconds == less.evaluate(rows).picoseconds).all() and (again.devices.memory == less.devices.memory).all()
    assert (again.evaluate(rows).picoseconds != problem.evaluate(rows).picoseconds).any()


def test_a_problem_is_refused_as_everywhere():
    with pytest.raises(berth.BerthError, match="did you mean 'nmt-4'"):
        berth.problem("zoo:nmt4", "k40x2")
    with pytest.raises(berth.BerthError, match="needs a machine"):
        berth.problem(SMALL)
    with pytest.raises(TypeError, match="machines"):
        berth.problem(SMALL, "k40x2", machines=[])
    if not berth.problem(SMALL, "k40x2").evaluate(np.zeros((0, len(berth.load(SMALL))), int)).card:
        with pytest.raises(berth.BerthError, match="CUDA"):
            berth.problem(SMALL, "k40x2").evaluate(np.zeros((1, len(berth.load(SMALL))), int), simulate_on="cuda")
