"""Aliasing is PyTorch's: a write through a view, `data` or `detach()` is seen by all the others."""

import random
from dataclasses import dataclass
from typing import Any

import gt
import pytest


def test_writes_through_views_reach_the_tensor():
    x = gt.zeros(2, 3)
    x[0] += 1
    x[:, 1] = 5
    x.T[2] = 7
    x.view(6)[0] = 9
    x.reshape(3, 2)[1] *= 2
    x.unsqueeze(0).squeeze(0)[1, 0] -= 1
    assert x.tolist() == [[9, 5, 14], [-1, 5, 7]]


def test_views_follow_writes_to_the_tensor():
    x = gt.zeros(2, 3)
    row, column, turned, wide = x[1], x[:, 0], x.T, x[0].expand(2, 3)
    x += 1
    x[1, 0] = 4
    assert row.tolist() == [4, 1, 1]
    assert column.tolist() == [1, 4]
    assert turned.tolist() == [[1, 4], [1, 1], [1, 1]]
    assert wide.tolist() == [[1, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize(
    "same", [lambda x: x.data, lambda x: x.detach(), lambda x: x.detach().data]
)
def test_data_and_detach_are_the_same_tensor(same):
    x = gt.zeros(2)
    y = same(x)
    y += 1
    x[0] = 5
    assert x.tolist() == y.tolist() == [5, 1]


def test_a_view_outlives_its_tensor():
    row = gt.tensor([[1, 2], [3, 4]])[1]
    row += 1
    assert row.tolist() == [4, 5]


def test_results_and_clones_do_not_follow():
    x = gt.ones(2)
    for copy in (x.clone(), x + 0, x.double(), gt.cat([x])):
        copy += 1
        assert x.tolist() == [1, 1]


def test_a_conversion_to_its_own_dtype_is_the_same_tensor():
    x = gt.ones(2)
    y = x.to(gt.float32)
    y += 1
    assert x.tolist() == [2, 2]


def test_a_tensor_is_written_with_parts_of_itself():
    x = gt.arange(6).reshape(2, 3)
    x[0] = x[1]
    x[:, 0] = x[:, 2] * x[:, 0]
    x += x
    x *= x[0]
    assert x.tolist() == [[900, 64, 100], [900, 64, 100]]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(1),
        lambda x: x.fill_(1),
        lambda x: x.zero_(),
        lambda x: x.copy_(gt.ones(2, 3)),
    ],
)
def test_an_expanded_view_cannot_be_written(write):
    x = gt.ones(3)
    with pytest.raises(RuntimeError, match="clone"):
        write(x.expand(2, 3))
    assert x.tolist() == [1, 1, 1]


def test_what_an_expanded_view_has_once_can_be_written():
    x = gt.ones(3)
    x.expand(3).add_(1)
    x.expand(2, 3)[0].add_(1)
    x.expand(2, 3)[1, :2] *= 2
    assert x.tolist() == [6, 6, 3]


def test_a_value_may_have_more_axes_of_size_one_than_its_place():
    x = gt.zeros(1)
    x[...] = gt.ones(1, 1)
    assert x.tolist() == [1]


def test_writes_are_cast_and_broadcast():
    x = gt.zeros(2, 3, dtype=gt.int64)
    x[0] = 2.7
    x[1] = gt.tensor([-1.9])
    x[:, 2].copy_(gt.tensor(True))
    assert x.tolist() == [[2, 2, 1], [-1, -1, 1]]


def test_a_failed_write_changes_nothing():
    x = gt.zeros(3)
    with pytest.raises(RuntimeError):
        x[:2] = gt.ones(3)
    with pytest.raises(RuntimeError):
        x += gt.ones(2, 3)
    assert x.tolist() == [0, 0, 0]


def test_a_reshape_that_has_to_copy_is_a_copy(torch):
    found = []
    for m in (gt, torch):
        x = m.zeros(2, 3)
        x.transpose(0, 1).reshape(6).add_(1)
        found.append(x.tolist())
    assert found[0] == found[1]


def test_a_view_that_would_have_to_copy_is_refused():
    with pytest.raises(RuntimeError):
        gt.zeros(2, 3).transpose(0, 1).view(6)


def attempt(text: str, **names: Any) -> Any:
    """The value of an expression, or the error it ends in."""
    try:
        return eval(text, names)
    except (RuntimeError, IndexError) as error:
        return error


@dataclass
class Pair:
    """The same tensor on both sides."""

    name: str
    ours: gt.Tensor
    theirs: Any

    @property
    def writable(self) -> bool:
        """Whether no two elements are one: PyTorch fills such views, with warnings; GT does not."""
        axes = zip(self.theirs.shape, self.theirs.stride(), strict=True)
        return all(stride or size < 2 for size, stride in axes)

    def is_equal(self) -> bool:
        same = self.ours.shape == tuple(self.theirs.shape)
        return same and self.ours.tolist() == self.theirs.tolist()


class Program:
    """A random program of views and writes that runs on both sides."""

    def __init__(self, torch: Any, seed: int):
        self.torch = torch
        self.random = random.Random(seed)
        self.lines = [f"seed {seed}"]
        self.tensors: list[Pair] = []
        for _ in range(2):
            self.base()

    def step(self) -> None:
        steps = [self.view] * 4 + [self.write] * 4 + [self.turn, self.give]
        steps += [self.base, self.forget, self.compare]
        self.random.choice(steps)()

    def keep(self, text: str, pair: Pair) -> None:
        pair.name = f"t{len(self.lines)}"
        self.lines.append(f"{pair.name} = {text}")
        self.tensors.append(pair)

    def base(self) -> None:
        shape = tuple(self.random.choices([1, 2, 3, 4], k=self.random.randint(0, 3)))
        count = 1
        for size in shape:
            count *= size
        text = f"arange({count}).reshape({shape})"
        # A clone, because a reshape is a view in both.
        ours = gt.arange(count).reshape(shape).clone()
        self.keep(text, Pair("", ours, self.torch.arange(count).reshape(shape).clone()))

    def forget(self) -> None:
        if sum(pair.writable for pair in self.tensors) > 3:
            gone = self.tensors.pop(self.random.randrange(len(self.tensors)))
            self.lines.append(f"del {gone.name}")

    def view(self) -> None:
        pair = self.random.choice(self.tensors)
        text = self.random.choice([self.index, self.axes, self.sizes])(pair)
        line = text.replace("t", pair.name, 1)
        ours, theirs = (attempt(text, t=t) for t in (pair.ours, pair.theirs))
        if isinstance(theirs, Exception):
            self.lines.append(line)
            assert isinstance(ours, type(theirs)), self.text(pair)
            return
        assert not isinstance(ours, Exception), "\n".join([*self.lines, line, str(ours)])
        self.keep(line, Pair("", ours, theirs))

    def turn(self) -> None:
        """Another shape for a tensor, which the others that share its elements do not see."""
        pair = self.random.choice(self.tensors)
        rank = pair.ours.ndim
        one, other = self.random.choices(range(-max(rank, 1), max(rank, 1)), k=2)
        words = [f"unsqueeze_({one})", "squeeze_()", f"squeeze_({one})", "t_()"]
        text = self.random.choice([*words, f"transpose_({one}, {other})"])
        self.lines.append(f"{pair.name}.{text}")
        ours, theirs = (attempt(f"t.{text}", t=t) for t in (pair.ours, pair.theirs))
        assert isinstance(ours, Exception) == isinstance(theirs, Exception), self.text(pair)

    def give(self) -> None:
        """The elements of another tensor, which both share from there on."""
        pair, source = self.random.choices(self.tensors, k=2)
        self.lines.append(f"{pair.name}.data = {source.name}")
        pair.ours.data, pair.theirs.data = source.ours, source.theirs

    def index(self, pair: Pair) -> str:
        items = []
        for size in pair.ours.shape:
            low, high = sorted(self.random.choices(range(size + 1), k=2))
            part = f"{low}:{high}:{self.random.randint(1, 2)}"
            whole = self.random.choice([":", "-1:", "::2"])
            items.append(
                self.random.choice(
                    [part, whole, str(self.random.randrange(-size, size)) if size else ":"]
                )
            )
        items = items[: self.random.randint(0, len(items))]
        if self.random.random() < 0.3:
            items.append(self.random.choice(["...", "None"]))
        return f"t[{', '.join(items) or '...'}]"

    def axes(self, pair: Pair) -> str:
        rank = pair.ours.ndim
        order = self.random.sample(range(rank), rank)
        choices = [f"t.permute({order})", f"t.unsqueeze({self.random.randint(0, rank)})"]
        choices += ["t.squeeze()", "t.detach()", "t.data"]
        if rank > 1:
            offset, (first, second) = self.random.randint(-2, 2), order[:2]
            choices.append(f"t.diagonal({offset}, {first}, {second})")
        if rank:
            one, other = self.random.choices(range(rank), k=2)
            choices += [f"t.transpose({one}, {other})", f"t.squeeze({one})"]
        return self.random.choice(choices)

    def sizes(self, pair: Pair) -> str:
        shape = [*pair.ours.shape]
        choices = [f"t.expand({[2 if size == 1 else size for size in shape]})"]
        # Which it is, a view, a copy or an error, depends on how the elements lie.
        for word in ("view", "reshape"):
            choices += [f"t.{word}({shape[::-1]})", f"t.{word}(1, -1)", f"t.{word}(-1)"]
        return self.random.choice(choices)

    def write(self) -> None:
        target = self.random.choice([pair for pair in self.tensors if pair.writable])
        # PyTorch lets a source have more axes than its place, if they are of size one.
        small = [pair for pair in self.tensors if pair.ours.ndim <= target.ours.ndim]
        source = self.random.choice(small)
        number = self.random.randint(-3, 3)
        # `+ 0` makes a value of its own: PyTorch refuses to read what it is writing.
        text = self.random.choice(
            [
                f"t.add_({number})",
                f"t.mul_({number})",
                f"t.fill_({number})",
                "t.zero_()",
                "t.copy_(s + 0)",
                "t.add_(s + 0)",
                f"t.__setitem__(..., {number})",
                "t.__setitem__(..., s + 0)",
                f"t.__iadd__({number})",
                f"t.__setitem__(0, {number})",
                *self.indexed(target),
            ]
        )
        line = text.replace("s ", f"{source.name} ").replace("t.", f"{target.name}.", 1)
        self.lines.append(line)
        ours = attempt(text, t=target.ours, s=source.ours)
        theirs = attempt(text, t=target.theirs, s=source.theirs)
        # What is written nowhere may be refused or not.
        if target.ours.numel() > 0:
            agree = isinstance(ours, Exception) == isinstance(theirs, Exception)
            assert agree, self.text(target)

    def indexed(self, target: Pair) -> list[str]:
        """Writes to the elements that lists and masks name."""
        if target.ours.ndim == 0 or 0 in target.ours.shape:
            return []
        size, number = target.ours.shape[0], self.random.randint(-3, 3)
        rows = self.random.sample(range(size), self.random.randint(1, size))
        mask = [self.random.random() < 0.5 for _ in range(size)]
        return [
            f"t.__setitem__({rows}, {number})",
            f"t.__setitem__({mask}, {number})",
            f"t.__setitem__({rows}, t[{rows[::-1]}] + {number})",
            f"t.__setitem__(({rows}, ..., 0), {number})",
            f"t.__setitem__(t > {number}, {number})",
            f"t.masked_fill_(t < {number}, {number})",
        ]

    def compare(self) -> None:
        for pair in self.tensors:
            assert pair.is_equal(), self.text(pair)

    def text(self, pair: Pair) -> str:
        ours, theirs = pair.ours.tolist(), pair.theirs.tolist()
        return "\n".join([*self.lines, f"{pair.name} is {ours}, not {theirs}"])


def run(torch: Any, seed: int, steps: int) -> None:
    program = Program(torch, seed)
    for _ in range(steps):
        program.step()
    program.compare()


@pytest.mark.parametrize("seed", range(10))
def test_programs_of_views_and_writes_agree_with_pytorch(torch, seed):
    run(torch, seed, steps=120)


def test_programs_of_views_and_writes_agree_with_pytorch_from_a_fresh_seed(torch):
    for _ in range(10):
        run(torch, random.SystemRandom().randrange(2**32), steps=80)


@pytest.mark.soak
def test_many_programs_of_views_and_writes_agree_with_pytorch(torch):
    for seed in range(3_000):
        run(torch, seed, steps=100)
