"""Datasets and loaders: the same batches from any number of processes, and none left behind."""

import collections
import contextlib
import itertools
import multiprocessing
import os
import signal
import subprocess
import time

import gt
import numpy as np
import pytest
from gt.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    get_worker_info,
    random_split,
)

Point = collections.namedtuple("Point", "x y")


class Numbers(Dataset):
    """Items of every kind; a few of them cannot be fetched."""

    def __init__(self, count=23, wrong=()):
        self.count, self.wrong = count, wrong

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if index in self.wrong:
            raise KeyError(f"item {index} is not there")
        row = np.full((2, 3), index, dtype=np.float32)
        return {"row": row, "rest": (index, float(index), str(index)), "point": Point(index, True)}


class Stream(IterableDataset):
    def __iter__(self):
        worker = get_worker_info()
        begin, step = (worker.id, worker.num_workers) if worker else (0, 1)
        return iter(range(begin, 11, step))

    def __len__(self):
        return 11


def plain(value):
    """Without tensors, so that batches can be compared."""
    if isinstance(value, gt.Tensor):
        return (value.dtype.name, value.tolist())
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(plain, value)]
    return value


def batches(*args, **options):
    gt.manual_seed(5)
    return [plain(batch) for batch in DataLoader(*args, **options)]


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {"batch_size": 4},
        {"batch_size": 4, "drop_last": True},
        {"batch_size": 5, "shuffle": True},
        {"batch_size": None},
        {"batch_sampler": [[1, 2], [3], [4, 5, 6]]},
        {"sampler": [3, 1, 2], "batch_size": 2},
        {"batch_size": 30},
        {"batch_size": 2, "collate_fn": lambda items: [item["rest"][2] for item in items]},
    ],
    ids=lambda options: "-".join(options),
)
def test_the_order_does_not_depend_on_the_workers(workers, options):
    expected = batches(Numbers(), **options)
    assert batches(Numbers(), num_workers=workers, **options) == expected
    assert len(DataLoader(Numbers(), **options)) == len(expected)


def test_batches_are_those_of_pytorch(torch):
    class Theirs(torch.utils.data.Dataset):
        def __len__(self):
            return 7

        def __getitem__(self, index):
            return Numbers()[index]

    def of_torch(value):
        if isinstance(value, torch.Tensor):
            return (str(value.dtype).split(".")[1], value.tolist())
        if isinstance(value, dict):
            return {key: of_torch(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [type(value).__name__, *map(of_torch, value)]
        return value

    theirs = [of_torch(b) for b in torch.utils.data.DataLoader(Theirs(), batch_size=3)]
    assert batches(Numbers(7), batch_size=3) == theirs


def test_random_numbers_of_the_program_do_not_depend_on_the_workers():
    def after(workers):
        batches(Numbers(), batch_size=4, shuffle=True, num_workers=workers)
        return gt.rand(2).tolist()

    assert after(0) == after(2)


def test_a_generator_decides_the_order():
    def order(seed):
        generator = gt.Generator().manual_seed(seed)
        loader = DataLoader(range(9), 3, shuffle=True, generator=generator)
        return [[batch.tolist() for batch in loader] for _ in range(2)]

    assert order(1) == order(1)
    assert order(1)[0] != order(1)[1]
    assert sorted(itertools.chain(*order(1)[0])) == list(range(9))


def test_streams_are_shared_among_workers():
    alone = [batch.tolist() for batch in DataLoader(Stream(), 2)]
    assert alone == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10]]
    shared = [batch.tolist() for batch in DataLoader(Stream(), 2, num_workers=3)]
    assert sorted(itertools.chain(*shared)) == list(range(11))
    assert shared[0] == [0, 3]
    assert len(DataLoader(Stream(), 2)) == 6
    short = DataLoader(Stream(), 2, num_workers=2, drop_last=True)
    assert [batch.tolist() for batch in short] == [[0, 2], [1, 3], [4, 6], [5, 7], [8, 10]][:5]


def test_tensors_are_indexed_at_once():
    x, y = gt.arange(10).reshape(5, 2), gt.ones(5, requires_grad=True)
    subset = Subset(TensorDataset(x, y), [4, 0, -1])
    for workers in (0, 2):
        (batch,) = DataLoader(subset, 3, num_workers=workers)
        assert batch[0].tolist() == [[8, 9], [0, 1], [8, 9]]
        assert batch[1].requires_grad
    messages = gt.counters()["waits"]
    list(DataLoader(TensorDataset(x), 2))
    # The order and the seed are all that is read.
    assert gt.counters()["waits"] - messages <= 2
    with pytest.raises(IndexError):
        next(iter(DataLoader(TensorDataset(x), sampler=[7])))
    joined = ConcatDataset([TensorDataset(x), TensorDataset(x)])
    assert len(list(DataLoader(joined, 4, num_workers=2))) == 3


def test_an_exception_arrives_with_its_traceback():
    loader = DataLoader(Numbers(wrong={5}), 2, num_workers=2)
    with pytest.raises(KeyError, match=r"(?s)worker process 0.*__getitem__.*item 5 is not there"):
        list(loader)
    assert multiprocessing.active_children() == []


def test_an_exception_that_cannot_be_made_again_is_a_runtime_error():
    class StrangeError(Exception):
        def __init__(self, one, two):
            super().__init__(one, two)

    class Failing(Numbers):
        def __getitem__(self, index):
            raise StrangeError(1, 2)

    with pytest.raises(RuntimeError, match="StrangeError"):
        list(DataLoader(Failing(), num_workers=1))


def test_what_cannot_be_sent_is_named():
    loader = DataLoader(Numbers(), num_workers=1, collate_fn=lambda items: lambda: items)
    with pytest.raises(RuntimeError, match="worker process 0"):
        list(loader)


def test_a_worker_that_dies_is_noticed():
    class Dying(Numbers):
        def __getitem__(self, index):
            os._exit(3)

    with pytest.raises(RuntimeError, match="exited unexpectedly with code 3"):
        list(DataLoader(Dying(), num_workers=2))
    assert multiprocessing.active_children() == []


def test_a_worker_that_takes_too_long_is_noticed():
    class Slow(Numbers):
        def __getitem__(self, index):
            time.sleep(1000)

    with pytest.raises(RuntimeError, match="timed out"):
        list(DataLoader(Slow(), num_workers=1, timeout=0.2))
    assert multiprocessing.active_children() == []


def test_leaving_early_leaves_no_process():
    for _ in DataLoader(Numbers(), 2, num_workers=3):
        break
    assert multiprocessing.active_children() == []


def test_workers_that_persist_are_the_same_ones():
    loader = DataLoader(Numbers(), 4, num_workers=2, persistent_workers=True)
    expected = batches(Numbers(), batch_size=4)
    first = None
    for _ in range(3):
        # An epoch that is left early does not disturb the next.
        next(iter(loader))
        assert [plain(batch) for batch in loader] == expected
        found = sorted(process.pid for process in multiprocessing.active_children())
        first = first or found
        assert found == first
    del loader
    assert multiprocessing.active_children() == []


def test_workers_know_themselves_and_have_random_numbers_of_their_own():
    class Knowing(Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            worker = get_worker_info()
            noise = float(np.random.random())
            return (worker.id, worker.num_workers, os.environ.get("BEGUN"), noise)

    def begin(worker):
        os.environ["BEGUN"] = str(worker)

    def rows():
        gt.manual_seed(2)
        return list(DataLoader(Knowing(), None, num_workers=2, worker_init_fn=begin))

    one, two = rows(), rows()
    assert [row[:3] for row in one] == [(0, 2, "0"), (1, 2, "1")] * 2
    assert [row[3] for row in one] == [row[3] for row in two]
    assert len({row[3] for row in one}) == 4
    assert get_worker_info() is None
    assert "BEGUN" not in os.environ


def test_large_batches_and_large_tasks_do_not_wait_for_each_other():
    class Wide(Dataset):
        def __len__(self):
            return 200_000

        def __getitem__(self, index):
            return np.float64(index)

    loader = DataLoader(Wide(), 50_000, num_workers=1, prefetch_factor=3)
    assert sum(float(batch.sum()) for batch in loader) == sum(range(200_000))


INTERRUPTED = """
    import os, signal, sys, multiprocessing
    import numpy as np
    from gt.utils.data import DataLoader, Dataset

    # A shell lets what it starts in the background ignore the signal.
    signal.signal(signal.SIGINT, signal.default_int_handler)

    class Slow(Dataset):
        def __len__(self):
            return 1000

        def __getitem__(self, index):
            if index == 5:
                os.kill(os.getppid(), signal.{signal})
                import time
                time.sleep(1000)
            return np.zeros(3)

    loader = DataLoader(Slow(), 1, num_workers=2)
    batches = iter(loader)
    pids = [process.pid for process in multiprocessing.active_children()]
    print(*pids, flush=True)
    {body}
"""


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
        return file.read().split()[2] == "Z"


def all_gone(pids):
    deadline = time.monotonic() + 20
    while not all(map(gone, pids)):
        if time.monotonic() > deadline:
            return False
        os.sched_yield()
    return True


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        ("SIGINT", "list(batches)"),
        ("SIGKILL", "list(batches)"),
        ("SIGCONT", "next(batches); sys.exit(0)"),
        ("SIGCONT", "next(batches); raise ValueError"),
    ],
)
def test_no_process_is_left_however_the_program_ends(script, sent, body):
    code = INTERRUPTED.replace("{signal}", sent).replace("{body}", body)
    program = subprocess.Popen(
        script.command(code),
        env=script.environment({}),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # A group of its own, so that what it leaves behind can be ended in any case.
        start_new_session=True,
    )
    try:
        out, _ = program.communicate(timeout=60)
        pids = [int(word) for word in out.split()]
        assert len(pids) == 2
        assert all_gone(pids)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)


def test_samplers():
    assert list(SequentialSampler(range(3))) == [0, 1, 2]
    assert sorted(RandomSampler(range(50))) == list(range(50))
    assert len(list(RandomSampler(range(3), num_samples=8))) == 8
    assert set(RandomSampler(range(3), replacement=True, num_samples=100)) == {0, 1, 2}
    assert sorted(SubsetRandomSampler([5, 7, 9])) == [5, 7, 9]
    assert set(WeightedRandomSampler([0.0, 1.0, 3.0], 50)) == {1, 2}
    assert sorted(WeightedRandomSampler([0.2, 1.0, 3.0], 3, replacement=False)) == [0, 1, 2]
    assert list(BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert (len(BatchSampler(range(5), 2, True)), len(BatchSampler(range(5), 2, False))) == (2, 3)


def test_splits_are_repeated_by_their_generator():
    one = random_split(range(10), [3, 7], generator=gt.Generator().manual_seed(1))
    two = random_split(range(10), [3, 7], generator=gt.Generator().manual_seed(1))
    assert list(one[0]) == list(two[0])
    assert sorted([*one[0], *one[1]]) == list(range(10))
    assert [len(part) for part in random_split(range(10), [0.33, 0.33, 0.34])] == [4, 3, 3]
    with pytest.raises(ValueError, match="does not equal"):
        random_split(range(10), [3, 6])


def test_joined_datasets():
    joined = Numbers(3) + Numbers(4)
    assert len(joined) == 7
    assert (joined[3]["rest"][0], joined[-1]["rest"][0]) == (0, 3)
    with pytest.raises(IndexError):
        joined[7]


def test_collating_tells_what_it_cannot_do():
    assert default_collate([gt.ones(2), gt.zeros(2)]).tolist() == [[1.0, 1.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="equal size"):
        default_collate([[1, 2], [3]])
    with pytest.raises(TypeError, match="object"):
        default_collate([object()])
    with pytest.raises(TypeError, match="cannot become a tensor"):
        default_collate([np.array(["a"])])


@pytest.mark.parametrize(
    "options",
    [
        {"num_workers": -1},
        {"prefetch_factor": 2},
        {"persistent_workers": True},
        {"sampler": [1], "shuffle": True},
        {"batch_sampler": [[1]], "batch_size": 2},
        {"batch_size": 0},
        {"batch_size": None, "drop_last": True},
    ],
    ids=str,
)
def test_wrong_options_are_refused(options):
    with pytest.raises(ValueError, match=r"."):
        DataLoader(range(3), **options)
