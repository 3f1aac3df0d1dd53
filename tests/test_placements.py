"""Every row of the op table with its inputs cut, copied, whole and summed, against PyTorch.

The inputs are cut by the test, and what comes of them may not depend on it. Where PyTorch itself
gives the parts of the result for the parts of the inputs, no byte may travel.
"""

import contextlib
import itertools
import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gt
import pytest
from conftest import seed_of
from op_cases import DTYPES, Both, Case, Maker
from placements import Lying, lay, parts, register, tensors, ways, with_tensors
from test_ops import RANDOM, ROWS, UNDEFINED, cases, difference, forms, is_in_place, outcome

# Groups of one to four workers, and one that has only a part of another.
GROUPS = [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3], [1, 2]]
# Of each row and dtype so many calls are tried in CI, each so often.
CALLS, WAYS = 4, 5
COMMON_DTYPES = ["float32", "int64"]
# What stands between two products of a sum is rounded to halves, elsewhere in GT than in PyTorch.
UNCOMPARED = {"einsum": ("float16", "bfloat16")}
# Without `dims` the elements are shifted row by row, across any cut; by nothing, they stay.
MOVED_AS_A_RULE = {"roll"}


@pytest.fixture
def groups(arrangement) -> Iterator[list[list[int]]]:
    """A session with signals for every group of workers that it has."""
    workers = 4 if arrangement == "embedded" else 3
    found = [group for group in GROUPS if max(group) < workers]
    with gt.connect(workers=workers, new=True):
        register(found)
        yield found


def moved() -> int:
    """How many bytes went from worker to worker."""
    return sum(gt.debug.moved_bytes().values())


def is_tried(case: Case) -> bool:
    """Large tensors meet no rule that small ones do not."""
    found = tensors(case)
    return bool(found) and all(x.gt.numel() < 6000 for x in found)


def calls(torch: ModuleType, name: str, dtype: str, seed: str) -> list[Case]:
    """The calls of a row. Another seed gives the same ones with other numbers."""
    made = cases(ROWS[name])(Maker(torch, f"{name} {dtype}{seed}"), dtype)
    return [case for case in made if is_tried(case)]


def choices(case: Case, groups: list[list[int]], dice: random.Random) -> Iterator[list[Lying]]:
    """Ways in which the inputs of a call can lie, without an end."""
    found = tensors(case)
    while True:
        # Mostly one group: what is on several is brought together.
        own = [dice.choice(groups)] if dice.random() < 0.85 else groups
        lying = [dice.choice(ways(x, own)) for x in found]
        if any(how.how != "whole" for how in lying):
            yield lying


def can_fit(case: Case, lying: list[Lying]) -> bool:
    """Whether it is worth asking if parts of the inputs give parts of the result."""
    if len({how.group for how in lying}) != 1 or any(how.how == "sum" for how in lying):
        return False
    if all(how.axis is None for how in lying):
        return False
    # A source that is larger than its index may happen to be cut where the index is.
    shapes = {tuple(x.torch.shape) for x in tensors(case)[1:]}
    if len(tensors(case)) == 3 and len(shapes) > 1 and not tensors(case)[1].gt.is_floating_point():
        return False
    # Of an axis with one position a worker has all, which proves nothing.
    return all(
        x.torch.numel() > 0 and (how.axis is None or x.torch.shape[how.axis] > 1)
        for x, how in zip(tensors(case), lying, strict=True)
    )


def fits(torch: ModuleType, function: Callable, case: Case, lying: list[Lying], form: str) -> bool:
    """Whether the parts of the inputs give the parts of the result, by PyTorch's own word."""
    shares = zip(
        *(parts(torch, x, how) for x, how in zip(tensors(case), lying, strict=True)), strict=True
    )
    results = [outcome(function, with_tensors(case, [*own]), "torch", form) for own in shares]
    whole = outcome(function, case, "torch", form)
    if any(isinstance(result, Exception) for result in results):
        return False
    if not isinstance(whole, tuple):
        results, whole = [(result,) for result in results], (whole,)
    return all(
        joins(torch, [result[index] for result in results], expected)
        for index, expected in enumerate(whole)
    )


def joins(torch: ModuleType, results: list[Any], whole: Any) -> bool:
    """Whether results are parts of the whole one, side by side along an axis.

    Results that are mostly alike prove nothing.
    """
    if not isinstance(whole, torch.Tensor) or len(whole.unique()) < max(3, 0.7 * whole.numel()):
        return False
    for axis in range(whole.dim()):
        shapes = [[*result.shape] for result in results]
        others = [shape[:axis] + shape[axis + 1 :] for shape in shapes if len(shape) > axis]
        expected = [*whole.shape[:axis], *whole.shape[axis + 1 :]]
        if any(other != expected for other in others) or len(others) < len(results):
            continue
        joined = torch.cat(results, axis)
        if joined.shape == whole.shape and torch.equal(joined, whole):
            return True
    return False


@dataclass
class Trial:
    """One call of a row: which one, in which form, and how its inputs lie."""

    torch: ModuleType
    name: str
    dtype: str
    number: int
    way: tuple[str, Callable, Callable]
    lying: list[Lying]
    wish: str | None

    def wrong(self, case: Case, dice: random.Random) -> str | None:
        """What is wrong with it, if anything is."""
        (form, _, theirs), torch = self.way, self.torch
        pairs = zip(tensors(case), self.lying, strict=True)
        placed = with_tensors(case, [lay(torch, x, how, dice) for x, how in pairs])
        if isinstance(expected := outcome(theirs, placed, "torch", form), Exception):
            return None
        if self.name in RANDOM:
            expected = self.whole(placed)
        found, travelled = self.run(placed)
        if self.name in RANDOM:
            return None if same(found, expected) else "has other numbers than without a cut"
        if wrong := difference(torch, found, expected, ROWS[self.name], self.scale(placed)):
            return wrong
        if self.wish or self.name in MOVED_AS_A_RULE or not travelled:
            return None
        if can_fit(case, self.lying) and self.is_local():
            return f"moved {travelled} bytes, where each worker has what it needs"
        return None

    def run(self, placed: Case) -> tuple[Any, int]:
        """The result, and how many bytes travelled for it."""
        form, ours, _ = self.way
        before = moved()
        gt.manual_seed(7)
        with gt.signal.context(self.wish) if self.wish else contextlib.nullcontext():
            found = outcome(ours, placed, "gt", form)
        return found, moved() - before

    def whole(self, placed: Case) -> Any:
        """What the same call gives where nothing is cut."""
        copies = [Both(gt.tensor(x.gt.tolist(), dtype=x.gt.dtype), None) for x in tensors(placed)]
        gt.manual_seed(7)
        return outcome(self.way[1], with_tensors(placed, copies), "gt", self.way[0])

    def scale(self, placed: Case) -> float:
        """How large numbers are on the way to a result; halves are rounded there."""
        largest = [float(x.torch.double().abs().max()) for x in tensors(placed) if x.torch.numel()]
        return min(32.0, math.prod(max(1.0, x) for x in largest if math.isfinite(x)))

    def is_local(self) -> bool:
        """Whether every worker has what it needs: so it is for any numbers."""
        again = (calls(self.torch, self.name, self.dtype, f" {seed}") for seed in range(4))
        return all(
            fits(self.torch, self.way[2], found[self.number], self.lying, self.way[0])
            for found in again
        )

    def __str__(self) -> str:
        where = ", ".join(map(str, self.lying))
        return f"with {where}, in {self.wish}"


def same(found: Any, expected: Any) -> bool:
    """Whether two tensors of GT are alike to the bit."""
    if isinstance(expected, Exception):
        return isinstance(found, Exception)
    return isinstance(found, gt.Tensor) and found.tolist() == expected.tolist()


NAMES = [name for name, row in ROWS.items() if cases(row) is not None and name not in UNDEFINED]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore")
def test_where_inputs_lie_changes_no_result(torch, request, groups, name, full):
    Case.torch_module = torch
    dice = random.Random(f"{seed_of(request.config)} {name}")
    usual, *others = forms(ROWS[name], torch)
    others = [way for way in others if is_in_place(way[0])]
    wrong = []
    dtypes = DTYPES if full else [*COMMON_DTYPES, dice.choice(DTYPES)]
    for dtype in dtypes:
        if dtype in UNCOMPARED.get(name, ()):
            continue
        made = calls(torch, name, dtype, "")
        count = min(len(made), 40 if full else CALLS)
        for number in dice.sample(range(len(made)), count):
            case = made[number]
            for lying in itertools.islice(choices(case, groups, dice), (3 if full else 1) * WAYS):
                way = dice.choice(others) if others and dice.random() < 0.3 else usual
                names = {str(how) for how in lying if how.how not in ("whole", "sum")}
                wish = dice.choice([None, None, *sorted(names)])
                trial = Trial(torch, name, dtype, number, way, lying, wish)
                if found := trial.wrong(case, dice):
                    wrong.append(f"{way[0]}({case}) {trial}: {found}")
    assert not wrong, f"{len(wrong)} calls differ:\n" + "\n".join(wrong[:12])
