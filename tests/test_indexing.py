"""`tensor[…]` against PyTorch: random indices for reading and writing, in every dtype."""

import functools
import random
from typing import Any

import gt
import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64"]
DTYPES += ["float16", "bfloat16", "float32", "float64"]

Sizes = tuple[int, ...]


def pair(torch: Any, array: np.ndarray, dtype: str) -> tuple[gt.Tensor, Any]:
    """The same tensor on both sides."""
    theirs = torch.tensor(array.tolist()).reshape(array.shape).to(getattr(torch, dtype))
    return gt.tensor(array.tolist()).reshape(array.shape).to(dtype), theirs


def attempt(call: Any) -> Any:
    try:
        return call()
    except (RuntimeError, IndexError, TypeError, ValueError) as error:
        return error


class Indexer:
    """Random indices that mean the same on both sides."""

    def __init__(self, torch: Any, seed: int):
        self.torch = torch
        self.random = random.Random(seed)

    def made(self, shape: Sizes, dtype: str) -> tuple[gt.Tensor, Any]:
        count = int(np.prod(shape))
        numbers = [self.random.randint(0, 100) for _ in range(count)]
        return pair(self.torch, np.array(numbers, dtype=np.int64).reshape(shape), dtype)

    def index(self, shape: Sizes) -> tuple[Any, Any]:
        """An index of a tensor of this shape; sometimes one that does not exist."""
        # Index tensors broadcast together, so that most have a shape in common.
        self.common = self.random.choice([(3,), (2, 3), (1,), (0,)])
        items: list[tuple[Any, Any]] = []
        axis = 0
        while axis < len(shape) and self.random.random() < 0.8:
            kind = self.random.choice(["int", "slice", "list", "tensor", "tensor", "mask", "array"])
            taken, item = getattr(self, f"by_{kind}")(shape, axis)
            items.append(item)
            axis += taken
        for extra in (None, ..., True, False):
            if self.random.random() < 0.12:
                items.insert(self.random.randint(0, len(items)), (extra, extra))
        if len(items) == 1 and self.random.random() < 0.5:
            return items[0]
        return tuple(item[0] for item in items), tuple(item[1] for item in items)

    def position(self, size: int) -> int:
        if self.random.random() < 0.01:
            return size + 1
        return self.random.randrange(-size, size) if size else 0

    def by_int(self, shape: Sizes, axis: int) -> tuple[int, tuple[Any, Any]]:
        number = self.position(shape[axis])
        return 1, (number, number)

    def by_slice(self, shape: Sizes, axis: int) -> tuple[int, tuple[Any, Any]]:
        ends = [None, *range(-shape[axis] - 1, shape[axis] + 2)]
        part = slice(self.random.choice(ends), self.random.choice(ends), self.random.choice([1, 2]))
        return 1, (part, part)

    def positions(self, shape: Sizes, axis: int) -> np.ndarray:
        sizes = self.random.choice([self.common, self.common, self.common[-1:], (1,)])
        numbers = [self.position(shape[axis]) for _ in range(int(np.prod(sizes)))]
        return np.array(numbers, dtype=np.int64).reshape(sizes)

    def by_list(self, shape: Sizes, axis: int) -> tuple[int, tuple[Any, Any]]:
        numbers = self.positions(shape, axis).reshape(-1)[:1].tolist()
        return 1, (numbers, numbers)

    def by_array(self, shape: Sizes, axis: int) -> tuple[int, tuple[Any, Any]]:
        numbers = self.positions(shape, axis)
        return 1, (numbers, self.torch.from_numpy(numbers))

    def by_tensor(self, shape: Sizes, axis: int) -> tuple[int, tuple[Any, Any]]:
        dtype = self.random.choice(["int64", "int64", "int32"])
        return 1, pair(self.torch, self.positions(shape, axis), dtype)

    def by_mask(self, shape: Sizes, axis: int) -> tuple[int, tuple[Any, Any]]:
        taken = self.random.randint(1, min(2, len(shape) - axis))
        sizes = shape[axis : axis + taken]
        truths = [self.random.random() < 0.5 for _ in range(int(np.prod(sizes)))]
        return taken, pair(self.torch, np.array(truths, dtype=bool).reshape(sizes), "bool")


def show(index: Any) -> str:
    items = index if isinstance(index, tuple) else (index,)
    return ", ".join(
        repr(item.tolist()) if hasattr(item, "tolist") else repr(item) for item in items
    )


def same(ours: Any, theirs: Any) -> bool:
    """Whether both are equal, or both are errors of one type."""
    if isinstance(theirs, Exception):
        if isinstance(ours, gt.Tensor):
            ours = attempt(ours.tolist)
        return isinstance(ours, type(theirs))
    if isinstance(ours, Exception):
        return False
    if ours.shape != tuple(theirs.shape) or ours.dtype.name != str(theirs.dtype)[6:]:
        return False
    return attempt(ours.tolist) == theirs.tolist()


def check(torch: Any, seed: int, dtype: str) -> None:
    indexer = Indexer(torch, seed)
    shape = tuple(indexer.random.choices([1, 2, 3, 4, 0], [2, 4, 4, 2, 0.5], k=3))
    shape = shape[: indexer.random.randint(1, 3)]
    ours, theirs = indexer.made(shape, dtype)
    if len(shape) > 1 and indexer.random.random() < 0.4:
        ours, theirs = ours.transpose(0, 1), theirs.transpose(0, 1)
    mine, its = indexer.index(tuple(theirs.shape))
    text = f"seed {seed}: {dtype}{tuple(theirs.shape)}[{show(its)}]"
    read = attempt(lambda: theirs[its])
    found = attempt(lambda: ours[mine])
    if isinstance(read, torch.Tensor) and read.numel() == 0:
        # Where nothing is read PyTorch does not look at the index; GT names a wrong one.
        late = attempt(found.tolist) if isinstance(found, gt.Tensor) else found
        if isinstance(late, IndexError):
            return
    assert same(found, read), f"{text} is {found}, not {read}"
    if isinstance(read, Exception):
        return
    write(indexer, (ours, theirs), (mine, its), (text, tuple(read.shape)))


def write(indexer: Indexer, tensors: Any, index: Any, what: Any) -> None:
    """A number, a tensor of the same shape or one that is broadcast, and a sum in place."""
    (ours, theirs), (mine, its), (text, shape) = tensors, index, what
    dtype = ours.dtype.name
    # Where a place is named twice, only what is written alike agrees.
    part = indexer.made(shape[indexer.random.randint(0, len(shape)) :], dtype)
    numbers = indexer.torch.arange(theirs.numel()).reshape(theirs.shape)[its].reshape(-1)
    repeats = len(set(numbers.tolist())) < numbers.numel()
    values = [(7, 7), indexer.made((), dtype)]
    values += [] if repeats else [part, indexer.made((1, *shape), dtype)]
    for new, other in values:
        wrong = attempt(lambda new=new: ours.__setitem__(mine, new))
        refused = attempt(lambda other=other: theirs.__setitem__(its, other))
        assert isinstance(wrong, Exception) == isinstance(refused, Exception), (
            f"{text} = {other}: {wrong}, not {refused}"
        )
        assert same(ours, theirs), f"{text} = {other} gives {ours}, not {theirs}"
    if dtype != "bool":
        ours[mine] += 1
        theirs[its] += 1
        assert same(ours, theirs), f"{text} += 1 gives {ours}, not {theirs}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_indices_agree_with_pytorch(torch, dtype):
    for seed in range(150):
        check(torch, seed, dtype)


def test_fresh_random_indices_agree_with_pytorch(torch):
    for _ in range(150):
        seed = random.SystemRandom().randrange(2**32)
        check(torch, seed, DTYPES[seed % len(DTYPES)])


@pytest.mark.soak
def test_many_random_indices_agree_with_pytorch(torch):
    for seed in range(1_000, 30_000):
        check(torch, seed, DTYPES[seed % len(DTYPES)])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put_agrees_with_pytorch(torch, dtype, accumulate):
    ours, theirs = pair(torch, np.arange(12).reshape(3, 4) % 2, dtype)
    rows, columns = ([0, 2, 0] if accumulate else [0, 2, 1]), [1, 1, 1]
    values = pair(torch, np.array([1, 2, 3]), dtype)
    found = ours.index_put((gt.tensor(rows), gt.tensor(columns)), values[0], accumulate)
    index = (torch.tensor(rows), torch.tensor(columns))
    assert same(found, theirs.index_put(index, values[1], accumulate))
    ours.index_put_((gt.tensor(rows),), values[0][:1], accumulate=False)
    theirs.index_put_((torch.tensor(rows),), values[1][:1], accumulate=False)
    assert same(ours, theirs)


def test_of_several_values_for_one_place_the_last_stays():
    x = gt.zeros(3)
    x[gt.tensor([1, 1, 1])] = gt.tensor([1.0, 2.0, 3.0])
    assert x.tolist() == [0, 3, 0]
    x.index_put_((gt.tensor([1, 1, 0]),), gt.tensor([1.0, 2.0, 3.0]), accumulate=True)
    assert x.tolist() == [3, 6, 0]


def test_views_are_written_through_by_index():
    x = gt.zeros(2, 3, 2)
    x[1].T[gt.tensor([0, 1]), [2, 0]] = gt.tensor([5.0, 6.0])
    x.view(4, 3)[0][gt.tensor([True, False, True])] = 1
    x[:, 1][gt.tensor([0])] += 2
    assert x.tolist() == [[[1, 0], [3, 2], [0, 0]], [[0, 6], [0, 0], [5, 0]]]


def test_an_index_that_is_not_there_is_named_at_the_line_or_with_it():
    x = gt.zeros(3)
    with pytest.raises(IndexError, match="index 5 is out of bounds for dimension 0 with size 3"):
        x[[0, 5]]
    with pytest.raises(IndexError, match="index -4 is out of bounds"):
        x[np.array([-4])]
    late = x[gt.tensor([0, 5])]
    with pytest.raises(IndexError, match=r"index 5 is out of bounds.*test_indexing\.py"):
        late.tolist()
    x[gt.tensor([7])] = 1
    with pytest.raises(IndexError, match=r"index 7 is out of bounds.*test_indexing\.py"):
        x.tolist()
    assert x.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    "index", [slice(None, None, -1), "a", 1.5, {}, 2**70, (0, 0), ([0, 1], [0, 1, 2])]
)
def test_a_wrong_index_raises_what_pytorch_raises(torch, index):
    theirs = attempt(lambda: torch.zeros(3)[index])
    ours = attempt(lambda: gt.zeros(3)[index])
    wrong = (TypeError, IndexError) if isinstance(theirs, TypeError) else type(theirs)
    assert isinstance(ours, wrong)


def test_only_masks_wait():
    x, index, mask = gt.arange(10), gt.tensor([1, 2]), gt.arange(10) > 4
    x.tolist()
    before = gt.counters()["waits"]
    x[index] = 5
    x[mask] = 1
    part = x[index, None] + x[[0]]
    x[index] += 1
    assert gt.counters()["waits"] == before
    assert x[mask].tolist() == [1] * 5
    assert part.shape == (2, 1)


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes_in_all_their_forms_agree_with_pytorch(torch, name, dtype):
    calls = [
        lambda m, x: getattr(m, name)(x),
        lambda m, x: getattr(x, name)(),
        lambda m, x: getattr(x, name)(0),
        lambda m, x: getattr(m, name)(x, -1, True),
        lambda m, x: getattr(x, name)(dim=1, keepdim=True),
        lambda m, x: getattr(m, name)(x, x.clone()),
        lambda m, x: getattr(x, name)(other=x.clone()),
        lambda m, x: getattr(x, name)("a"),
        lambda m, x: getattr(x, name)(5),
        lambda m, x: getattr(x[:, :0], name)(),
        lambda m, x: getattr(x[:, :0], name)(1),
        lambda m, x: getattr(x[:, :0], name)(0),
        lambda m, x: getattr(x[0, 0], name)(0),
    ]
    distinct = np.random.default_rng(1).permutation(12).reshape(3, 4)
    for array in (distinct, distinct % 3):
        ours, theirs = pair(torch, array, dtype)
        for number, call in enumerate(calls):
            found = attempt(functools.partial(call, gt, ours))
            expected = attempt(functools.partial(call, torch, theirs))
            if isinstance(expected, tuple):
                assert found._fields == ("values", "indices")
                assert same(found.values, expected.values), f"form {number}"
                # Of equals PyTorch gives any, GT the first.
                if array is distinct and dtype != "bool":
                    assert same(found.indices, expected.indices), f"form {number}"
            else:
                assert same(found, expected), f"form {number}: {found}, not {expected}"


def test_extremes_with_axis_give_values_alone():
    x = gt.tensor([[1, 5], [7, 3]])
    assert x.max(axis=0).tolist() == [7, 5]
    assert gt.min(x, axis=(0, 1)).tolist() == 1
    assert x.max(axis=1, keepdims=True).tolist() == [[5], [7]]


def test_nan_is_the_extreme(torch):
    array = np.array([[1.0, np.nan, 3.0], [np.inf, 2.0, -np.inf]])
    ours, theirs = gt.tensor(array), torch.tensor(array)
    for name in ("max", "min"):
        found, expected = getattr(ours, name)(1), getattr(theirs, name)(1)
        assert found.indices.tolist() == expected.indices.tolist()
        assert str(found.values.tolist()) == str(expected.values.tolist())


@pytest.mark.parametrize("dtype", DTYPES)
def test_positions_and_masks_agree_with_pytorch(torch, dtype):
    for shape in [(), (4,), (3, 4), (2, 0)]:
        array = np.random.default_rng(2).integers(0, 2, shape)
        ours, theirs = pair(torch, np.asarray(array), dtype)
        assert same(ours.nonzero(), theirs.nonzero())
        assert same(gt.argwhere(ours), torch.argwhere(theirs))
        split = zip(ours.nonzero(as_tuple=True), theirs.nonzero(as_tuple=True), strict=True)
        assert all(same(a, b) for a, b in split)
        mask, other = pair(torch, np.asarray(array), "bool")
        assert same(ours.masked_select(mask), theirs.masked_select(other))
