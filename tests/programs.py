"""Random programs that PyTorch and GT run side by side, and what they may not differ in.

A program is a list of lines of Python in which `m` is the framework. Lines are chosen one after
another by what PyTorch has made of those before, so that most of them work and some do not.
"""

from __future__ import annotations

import random
import re
from types import ModuleType
from typing import Any

import gt
import numpy as np

FLOATS = ("float32", "float64")
TOLERANCE = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 2e-4, "float64": 1e-8}
# What PyTorch refuses and GT does not, or not in the same way, and why. A program ends there.
KNOWN = [
    # GT keeps the values of the forward pass, whatever is written afterwards.
    "modified by an inplace operation",
    # GT lets go of what a walk has passed; PyTorch also of what a write through a view has joined.
    "Trying to backward through the graph a second time",
    # PyTorch forbids writes where several views were made at once; GT's are views like others.
    "is a view and its base or another view of its base has been modified inplace",
    "This view is the output of a function that returns multiple views",
    "A view was created in no_grad mode and is being modified inplace",
    # Where there are no elements, PyTorch looks at memory before it looks at the index.
    "setStorage: ",
    # An index out of range is always an IndexError; PyTorch's index_select has other words.
    "INDICES element is out of DATA bounds",
    "self indexing axis dim should be positive",
    # Results of GT are never transposed in memory, so that `view` finds nothing in its way.
    "view size is not compatible with input tensor's size and stride",
    # PyTorch reads and writes the same memory there, of a gradient too; GT's operations are pure.
    "to a single memory location",
    # PyTorch loses a gradient that is to be kept where a shape was changed in place.
    "INTERNAL ASSERT FAILED",
    # PyTorch writes elements of an expanded tensor several times, if the write does not mind.
    "has elements in common with itself and cannot be written to",
]
# Lines whose results have no roundings, as long as the numbers are few and small.
EXACT = re.compile(
    r"m\.tensor\(|m\.zeros|m\.(cat|stack|maximum|minimum)|^t\d+ = t\d+\[|[<>&|^]|[=!]= | [-+] "
    r"|\.(reshape|view|flatten|unsqueeze|squeeze|select|narrow|chunk|unbind|expand|detach|T\b"
    r"|permute|transpose|movedim|clone|contiguous|neg|abs|relu|clamp|floor|sign|long|bool|int"
    r"|round|ceil|argmax|sort|logical_not|zero_|fill_|copy_|index_select|gather|t_\(|data = )"
)
# Values beyond this are not used further: their errors would grow with them.
LARGE = 1e4


# PyTorch itself cannot say what has become of some views.
TOLD = "[t.is_leaf for name, t in list(globals().items()) if name[:1] == 't']"


class Difference(AssertionError):  # noqa: N818
    """Where the two frameworks part."""


def kind_of(error: BaseException | None) -> str | None:
    """The kind of error that a program would catch."""
    if error is None:
        return None
    # PyTorch's NotImplementedError and OutOfMemoryError are RuntimeErrors too.
    for kind in (IndexError, TypeError, ValueError, AttributeError, RuntimeError):
        if isinstance(error, kind):
            return kind.__name__
    return type(error).__name__


def attempt(line: str, names: dict[str, Any]) -> BaseException | None:
    """Runs a line, and gives what it raised."""
    try:
        exec(line, names)
    except Exception as error:
        return error
    return None


def facts(tensor: Any) -> tuple[Any, ...]:
    """What is known of a tensor without reading it."""
    dtype = str(tensor.dtype).split(".")[-1]
    return dtype, tuple(tensor.shape), tensor.requires_grad, tensor.is_leaf


def array(tensor: Any) -> np.ndarray:
    """The elements in double precision."""
    return np.array(tensor.detach().double().tolist(), dtype=np.float64)


def compare(name: str, ours: Any, theirs: Any, tolerance: float) -> None:
    """Demands that a tensor and its gradient are the same on both sides."""
    if facts(ours) != facts(theirs):
        raise Difference(f"{name} is {facts(ours)}, not {facts(theirs)}")
    expected = array(theirs)
    try:
        mine = array(ours)
    except Exception as error:
        raise Difference(f"reading {name} raised {error!r}") from error
    if not np.allclose(mine, expected, tolerance, tolerance, equal_nan=True):
        raise Difference(f"{name} is {mine.tolist()}, not {expected.tolist()}")
    grad, other = (t.grad if t.is_leaf or t.retains_grad else None for t in (ours, theirs))
    if (grad is None) != (other is None):
        raise Difference(f"{name}.grad is {grad}, not {other}")
    if grad is not None:
        compare(f"{name}.grad", grad, other, tolerance)


class Pair:
    """A program in both frameworks at once."""

    def __init__(self, torch: ModuleType) -> None:
        self.theirs: dict[str, Any] = {"m": torch}
        self.ours: dict[str, Any] = {"m": gt}
        self.over = False
        self.met: list[str] = []
        # That of the least precise dtype so far: its roundings may be anywhere.
        self.tolerance = 0.0

    def run(self, line: str) -> BaseException | None:
        """Runs a line on both sides; what PyTorch raised, GT must have raised too."""
        expected = attempt(line, self.theirs) or attempt(TOLD, self.theirs)
        found = attempt(line, self.ours)
        if expected is not None and found is None:
            # What depends on data is raised where it is read.
            found = attempt("m.synchronize()", self.ours)
        if kind_of(expected) != kind_of(found):
            self.met = [words for words in KNOWN if words in f"{expected} {found}"]
            self.over = bool(self.met)
            if not self.over:
                raise Difference(f"`{line}` raised {found!r}, not {expected!r}")
        if "a second time" in str(expected):
            # PyTorch has accumulated some gradients when it finds that others cannot be.
            self.over = True
        if not self.over:
            self.check_facts(line)
        return expected

    def check_facts(self, line: str) -> None:
        """Demands that all tensors are alike, as far as that is known without reading them."""
        for name, tensor in self.tensors().items():
            dtype = str(tensor.dtype).split(".")[1]
            self.tolerance = max(self.tolerance, TOLERANCE.get(dtype, 0.0))
            if name not in self.ours or facts(self.ours[name]) != facts(self.theirs[name]):
                mine = facts(self.ours[name]) if name in self.ours else None
                raise Difference(f"after `{line}` {name} is {mine}, not {facts(self.theirs[name])}")

    def tensors(self) -> dict[str, Any]:
        """PyTorch's tensors by name."""
        return {name: t for name, t in self.theirs.items() if name.startswith("t")}

    def check(self) -> None:
        """Demands that all tensors are the same."""
        for name, theirs in self.tensors().items():
            exact = not theirs.is_floating_point()
            compare(name, self.ours[name], theirs, 0.0 if exact else self.tolerance)


def replay(torch: ModuleType, lines: list[str]) -> str | None:
    """Runs a program again; what differs, if anything."""
    pair = Pair(torch)
    try:
        for line in lines:
            pair.run(line)
            if pair.over:
                return None
        pair.check()
    except Difference as difference:
        return str(difference)
    return None


def shortened(torch: ModuleType, lines: list[str]) -> list[str]:
    """The program without lines that the difference does not need."""
    place = len(lines) - 1
    while place >= 0:
        without = lines[:place] + lines[place + 1 :]
        if replay(torch, without) is not None:
            lines = without
        place = min(place, len(lines)) - 1
    return lines


class Program:
    """A random program, made while it runs."""

    def __init__(self, torch: ModuleType, seed: int, length: int = 24) -> None:
        self.random = random.Random(seed)
        self.torch, self.length = torch, length
        self.pair = Pair(torch)
        self.lines: list[str] = []
        self.count = 0
        # Storages whose elements went through roundings: not to be compared with others.
        self.rounded: set[int] = set()

    def run(self) -> None:
        """Chooses lines and runs them; raises a Difference."""
        for _ in range(3):
            self.say(self.creation())
        while len(self.lines) < self.length and not self.pair.over:
            self.say(self.line())
        if not self.pair.over:
            self.pair.check()

    def say(self, line: str | None) -> None:
        """Runs a line and lets go of what has become too large."""
        if line is None:
            return
        self.lines.append(line)
        before = set(self.pair.tensors())
        self.pair.run(line)
        self.note(line, before)
        for name, tensor in self.pair.tensors().items():
            numbers = tensor.detach().double()
            if not bool(numbers.abs().le(LARGE).all()):
                self.lines.append(f"del {name}")
                self.pair.run(f"del {name}")

    # Choices

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def fresh(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def any(self, *, floating: bool = False, exact: bool = False) -> str:
        """The name of a tensor."""
        found = self.pair.tensors()
        wanted = [
            name
            for name, t in found.items()
            if (not floating or t.is_floating_point())
            and (not exact or t.untyped_storage().data_ptr() not in self.rounded)
        ]
        return self.random.choice(wanted or list(found))

    def of(self, name: str) -> Any:
        return self.pair.theirs[name]

    def axis(self, name: str) -> int:
        rank = self.of(name).ndim
        # One axis too far, now and then.
        most = rank if self.chance(0.03) else max(rank - 1, 0)
        return self.random.randint(-max(rank, 1), most)

    def number(self) -> str:
        return self.random.choice(["2", "0.5", "-1", "3", "-0.25", "1.5", "True", "0"])

    def partner(self, name: str) -> str:
        """A number, or a tensor that mostly goes with the one named."""
        if self.chance(0.3):
            return self.number()
        shape = tuple(self.of(name).shape)
        alike = [
            other
            for other, t in self.pair.tensors().items()
            if tuple(t.shape) in (shape, shape[1:], ()) or tuple(t.shape[1:]) == shape
        ]
        return self.random.choice(alike) if alike and self.chance(0.93) else self.any()

    def like(self, name: str) -> str:
        """A tensor of the same dtype, and now and then of another."""
        dtype = self.of(name).dtype
        alike = [other for other, t in self.pair.tensors().items() if t.dtype == dtype]
        return self.any() if self.chance(0.05) else self.random.choice(alike)

    def is_alone(self, name: str) -> bool:
        """Whether no other name shares its elements: views keep what their base was like."""
        return len(self.sharing(name)) == 1

    def sharing(self, name: str) -> list[str]:
        """The names of all tensors that share elements with one."""
        same = self.storage(name)
        return [other for other in self.pair.tensors() if self.storage(other) == same]

    def has(self, name: str, dtype: str) -> bool:
        """Whether a name is that of a tensor of a dtype."""
        return name in self.pair.theirs and str(self.of(name).dtype) == f"torch.{dtype}"

    # Lines

    def line(self) -> str | None:
        """A line of any kind."""
        kinds = [
            *[self.creation] * 2,
            *[self.view] * 5,
            *[self.binary] * 5,
            *[self.unary] * 4,
            *[self.reduction] * 3,
            *[self.mixture] * 4,
            *[self.layer] * 2,
            *[self.write] * 6,
            *[self.change] * 2,
            *[self.gradient] * 5,
            *[self.training] * 2,
        ]
        return self.random.choice(kinds)()

    def creation(self) -> str:
        """A tensor of small numbers that all dtypes can tell apart."""
        dtype = self.random.choice(["float32"] * 4 + ["float64"] * 3 + ["int64", "int32", "bool"])
        dtype = self.random.choice(["float16", "uint8"]) if self.chance(0.06) else dtype
        shape = [self.random.choice([1, 2, 3, 3]) for _ in range(self.random.randint(0, 3))]
        shape = [0, 2] if self.chance(0.03) else shape

        def numbers(sizes: list[int]) -> Any:
            if sizes:
                return [numbers(sizes[1:]) for _ in range(sizes[0])]
            if dtype == "bool":
                return self.chance(0.5)
            low = 0 if dtype == "uint8" else -4
            return self.random.randint(low, 4) * (0.5 if dtype.startswith("float") else 1)

        wanted = ", requires_grad=True" if dtype in FLOATS and self.chance(0.5) else ""
        if 0 in shape:
            return f"{self.fresh()} = m.zeros({tuple(shape)}, dtype=m.{dtype}{wanted})"
        return f"{self.fresh()} = m.tensor({numbers(shape)}, dtype=m.{dtype}{wanted})"

    def view(self) -> str:
        """Other names for elements of a tensor."""
        x = self.any()
        rank, axis = self.of(x).ndim, self.axis(x)
        order = self.random.sample(range(rank), rank)
        index = self.random.randint(-2, 2)
        parts = ["0", "-1", "1:", ":2", "::2", "None", "...", ":", str(index)]
        some = ", ".join(self.random.choice(parts) for _ in range(self.random.randint(1, 2)))
        form = self.random.choice(
            [
                *[f"[{some}]"] * 4,
                ".T" if rank == 2 else f".permute({order})",
                f".transpose({axis}, {self.axis(x)})",
                ".reshape(-1)",
                ".view(-1)",
                # Of one axis, this is the tensor itself in PyTorch, and a view of it here.
                ".flatten()" if rank != 1 else ".reshape(-1)",
                f".unsqueeze({axis})",
                ".squeeze()",
                f".squeeze({axis})",
                f".select({axis}, {index})",
                f".narrow({axis}, 0, 1)",
                f".chunk(2, {axis})[0]" if rank else ".view(-1)",
                f".unbind({axis})[-1]",
                f".expand(2, {', '.join(map(str, self.of(x).shape))})",
                ".detach()",
                ".view_as(" + self.any() + ")",
                f".movedim(0, {axis})",
            ]
        )
        return f"{self.fresh()} = {x}{form}"

    def binary(self) -> str:
        """Two operands, of one dtype or not."""
        steep = self.chance(0.3)
        x = self.any(exact=steep)
        y = self.partner(x)
        if steep and (self.is_rounded(y) or self.is_rounded(x)):
            steep = False
        if steep:
            sign = self.random.choice(["<", "<=", ">", ">=", "==", "!=", "&", "|", "^"])
        else:
            sign = self.random.choice(["+", "-", "*", "*", "/"])
        if sign == "-" and (self.has(x, "bool") or self.has(y, "bool") or y == "True"):
            sign = "+"
        if self.chance(0.2) and y in self.pair.theirs:
            name = self.random.choice(["maximum", "minimum", "add", "mul"])
            return f"{self.fresh()} = m.{name}({x}, {y})"
        return (
            f"{self.fresh()} = {x} {sign} {y}"
            if self.chance(0.8)
            else (f"{self.fresh()} = {y} {sign} {x}")
        )

    def unary(self) -> str:
        """One operand; functions with steps only of what was never rounded."""
        if self.chance(0.3):
            x = self.any(exact=True)
            steps = ["floor()", "sign()", "long()", "bool()", "int()", "round()", "ceil()"]
            steps += [f"argmax({self.axis(x)})", f"sort({self.axis(x)})[0]", "logical_not()"]
            return f"{self.fresh()} = {x}.{self.random.choice(steps)}"
        x = self.any()
        smooth = ["softmax(-1)", "log_softmax(-1)"] if self.of(x).is_floating_point() else []
        smooth += [] if self.has(x, "bool") else ["neg()", "abs()", "relu()"]
        smooth += ["sigmoid()", "tanh()", "sin()", "cos()", "square()"]
        smooth += ["clamp(-1, 2)", "clone()", "float()", "double()", "half()", "to(m.bfloat16)"]
        smooth += ["atan()", "clamp(min=0.5)", "pow(2)", "exp()", "contiguous()"]
        return f"{self.fresh()} = {x}.{self.random.choice(smooth)}"

    def reduction(self) -> str:
        """Fewer elements."""
        x = self.any()
        axis, keep = self.axis(x), self.random.choice(["", ", keepdim=True"])
        along = [f"sum({axis}{keep})", f"mean({axis}{keep})", f"amax({axis}{keep})"]
        along += [f"cumsum({axis})", f"logsumexp({axis}{keep})"]
        along += [f"prod({axis}{keep})", "prod()"]
        along += [f"var({axis}{keep})", f"std({axis}, correction=0)", f"norm(2, {axis})"]
        along += ["sum()", "mean()", "max()", "min()", "amin()", "norm()"]
        if self.is_rounded(x):
            return f"{self.fresh()} = {x}.{self.random.choice(along)}"
        steps = ["any()", "all()", f"max({axis})[0]", f"min({axis})[1]", f"cummax({axis})[0]"]
        return f"{self.fresh()} = {x}.{self.random.choice(along + steps)}"

    def mixture(self) -> str:
        """Several tensors, or elements chosen by others."""
        x = self.any(floating=self.chance(0.6))
        y, axis = self.partner(x), self.axis(x)
        if not self.of(x).numel():
            # Where nothing is chosen, PyTorch does not look at the index.
            return f"{self.fresh()} = m.stack([{x}, {x}])"
        places = [self.random.randint(-1, 2) for _ in range(self.random.randint(1, 3))]
        places = [place + 4 for place in places] if self.chance(0.04) else places
        index = f"m.tensor({places})"
        whole = f"m.zeros({tuple(self.of(x).shape)}, dtype=m.int64)"
        forms = [
            f"m.cat([{x}, {self.any()}], {axis})",
            f"m.stack([{x}, {self.partner(x)}])" if y in self.pair.theirs else f"m.stack([{x}])",
            f"{x} @ {self.like(x)}",
            f"{x} @ {x}.T" if self.of(x).ndim == 2 else f"{x}.reshape(-1) @ {x}.reshape(-1)",
            f"{x}[{index}]",
            f"{x}.index_select({axis}, {index}.clamp(min=0))",
            f"{x}.gather({axis}, {whole})",
            f"m.where({x} > 0, {x}, {y})" if not self.is_rounded(x) else f"{x} + {y}",
            f"{x}.masked_fill({x} > 0, 1.5)" if not self.is_rounded(x) else f"{x} * {y}",
            f"{x}[{x} > 0]" if not self.is_rounded(x) else f"{x}.flip(0)",
            f"m.einsum('i,j->ij', {x}.reshape(-1), {self.like(x)}.reshape(-1))",
            f"{x}.repeat(2, {', '.join('1' for _ in self.of(x).shape)})".replace(", )", ")"),
        ]
        return f"{self.fresh()} = {self.random.choice(forms)}"

    def layer(self) -> str:
        """What layers and losses compute, of dtypes and shapes that fit or do not."""
        x = self.any(floating=True)
        if not self.of(x).numel() or not self.of(x).is_floating_point():
            return self.view()
        y, axis = self.like(x), self.axis(x)
        last = tuple(self.of(x).shape[-1:])
        some = [self.random.randint(0, 2) for _ in range((*self.of(x).shape, 1)[0])]
        classes = some if self.of(x).ndim != 1 else some[0]
        forms = [
            f"linear({x}, {y})",
            f"linear({x}, {y}, {self.like(x)})" if self.of(y).ndim > 1 else f"linear({x}, {y})",
            f"layer_norm({x}, {last})",
            f"rms_norm({x}, {last}, eps=1e-3)",
            f"mse_loss({x}, {self.partner(x)})",
            f"huber_loss({x}, {x} * 0.5)",
            f"smooth_l1_loss({x}, {y}, beta=0.7)",
            f"binary_cross_entropy_with_logits({x}, {y})",
            f"kl_div({x}, {x}.sigmoid(), reduction='sum')",
            f"cross_entropy({x}, m.tensor({classes}))",
            f"nll_loss({x}, m.tensor({classes}), reduction='none')",
            f"cosine_similarity({x}, {y}, {axis})",
            f"normalize({x}, dim={axis}, eps=1e-2)",
            f"embedding(m.tensor({classes}), {x})" if self.of(x).ndim else f"gelu({y})",
            f"glu({x}, {axis})",
            f"gelu({x})",
            f"silu({x})",
            f"log_softmax({x}, {axis})",
            f"scaled_dot_product_attention({x}, {x}, {x})",
            f"instance_norm({x})",
            f"group_norm({x}, 1)",
            f"batch_norm({x}, None, None, training=True)",
            f"avg_pool1d({x}, 2)",
            f"max_pool1d({x}, 2)",
            f"interpolate({x}, scale_factor=2)",
            f"dropout({x}, 0.0)",
        ]
        return f"{self.fresh()} = m.nn.functional.{self.random.choice(forms)}"

    def write(self) -> str:
        """A change in place, which other names see."""
        x = self.any()
        y = self.partner(x)
        if y != x and y in self.sharing(x):
            # PyTorch would read some elements after it has written them.
            y = self.number()
        forms = [
            f"{x} += {y}",
            f"{x} *= {y}",
            f"{x} -= {y}",
            f"{x}[0] = {y}",
            f"{x}[..., -1] = {self.number()}",
            f"{x}[1:] = {y}",
            f"{x}.add_({y})",
            f"{x}.mul_({y})",
            f"{x}.copy_({y})" if y in self.pair.theirs else f"{x}.fill_({y})",
            f"{x}.zero_()",
            f"{x}.fill_({self.number()})",
            f"{x}.clamp_(-1, 1)",
            f"{x}.tanh_()",
            f"{x}.relu_()",
            f"{x}.neg_()",
            f"{x}.index_fill_(0, m.tensor([0]), 2)",
            f"{x}.index_add_(0, m.tensor([0]), {x}[:1].detach().clone())",
            f"{x}[m.tensor([0, -1])] = {self.number()}",
            f"{x}.div_(2)",
            f"{x}.T.add_(1)" if self.of(x).ndim == 2 else f"{x}.view(-1).sub_(1)",
        ]
        if self.has(x, "bool") or self.has(y, "bool"):
            forms = [form for form in forms if "-=" not in form and "sub_" not in form]
        if not self.is_rounded(x):
            forms += [f"{x}[{x} > 0] = {self.number()}", f"{x}.masked_fill_({x} < 0, 0.5)"]
        if not self.of(x).is_floating_point() and y in self.pair.theirs:
            # PyTorch lets whole numbers require gradients there, which nothing can use.
            forms = [form for form in forms if not self.of(y).requires_grad or y not in form]
        line = self.random.choice(forms or [f"{x}.neg_()"])
        needs = self.of(x).requires_grad and self.of(x).is_leaf
        return f"with m.no_grad(): {line}" if needs and self.chance(0.8) else line

    def change(self) -> str:
        """Another shape for a name, or other elements, which the names beside it do not see."""
        x = self.any()
        shape, dtype = self.of(x).shape, self.of(x).dtype
        alike = [n for n, t in self.pair.tensors().items() if (t.shape, t.dtype) == (shape, dtype)]
        forms = [
            f"{x}.unsqueeze_({self.axis(x)})",
            f"{x}.squeeze_()",
            f"{x}.squeeze_({self.axis(x)})",
            f"{x}.transpose_({self.axis(x)}, {self.axis(x)})",
            f"{x}.t_()",
        ]
        # PyTorch's views stay views of what they no longer share elements with, and the gradients
        # of what was computed before are found with the other elements.
        if self.is_alone(x) and not self.of(x)._is_view() and not self.of(x).requires_grad:
            y = self.random.choice(alike)
            forms += [f"{x}.data = {y}", f"{x}.data = {y}.clone()", f"{x}.data = {x}.data * 2"]
        return self.random.choice(forms)

    def gradient(self) -> str:
        """Something of autograd: what is asked for, what is watched, what is walked."""
        x = self.any(floating=True)
        tracked = [n for n, t in self.pair.tensors().items() if t.requires_grad and t.numel()]
        y = self.random.choice(tracked) if tracked else x
        leaves = [n for n in tracked if self.of(n).is_leaf]
        leaf = self.random.choice(leaves) if leaves else x
        keep = self.random.choice(["", "retain_graph=True"])
        forms = [
            *[f"({y} * {y}).sum().backward({keep})"] * 3,
            f"{y}.sum().backward({keep})",
            f"({y}.tanh() + {x}).mean().backward({keep})",
            f"{y}.retain_grad()" if self.is_alone(y) else f"{leaf}.grad = None",
            # PyTorch forgets the hook of a view when its base is written to.
            f"{y}.register_hook(lambda g: g * 2)" if self.is_alone(y) else f"{leaf}.grad = None",
            f"{leaf}.grad = None",
            f"{x}.requires_grad_()" if self.is_alone(x) else f"{y}.sum().backward()",
            f"{x} = {x}.detach()",
            f"{self.fresh()}, = m.autograd.grad(({y} * {y}).sum(), [{leaf}], retain_graph=True)",
            f"{self.fresh()}, = m.autograd.grad(({y} ** 3).sum(), [{leaf}], create_graph=True)",
            f"{leaf}.grad.zero_()" if self.of(leaf).is_leaf else f"{y}.backward()",
            f"with m.no_grad(): {self.fresh()} = {y} * 2",
        ]
        return self.random.choice(forms)

    def training(self) -> str | None:
        """An optimiser, or a step of it."""
        leaves = [n for n, t in self.pair.tensors().items() if t.requires_grad and t.is_leaf]
        if "opt" not in self.pair.theirs or self.chance(0.2):
            if not leaves:
                return None
            # One tensor under two names would be two parameters.
            leaves = list({id(self.of(name)): name for name in leaves}.values())
            some = self.random.sample(leaves, self.random.randint(1, len(leaves)))
            kinds = ["SGD({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.9, weight_decay=0.1)"]
            kinds += ["Adam({}, lr=0.1)", "AdamW({}, lr=0.1)", "RMSprop({}, lr=0.01)"]
            kinds += ["Adagrad({}, lr=0.1)", "SGD({}, lr=0.1, momentum=0.5, nesterov=True)"]
            return "opt = m.optim." + self.random.choice(kinds).format(f"[{', '.join(some)}]")
        return self.random.choice(["opt.step()"] * 3 + ["opt.zero_grad()"])

    # Roundings

    def storage(self, name: str) -> int:
        return int(self.of(name).untyped_storage().data_ptr())

    def is_rounded(self, name: str) -> bool:
        """Whether elements may differ in their last bits, so that no step depends on them."""
        return name in self.pair.theirs and self.storage(name) in self.rounded

    def note(self, line: str, before: set[str]) -> None:
        """Remembers what a line has rounded."""
        named = [name for name in re.findall(r"\bt\d+", line) if name in self.pair.theirs]
        loose = not EXACT.search(line) or any(map(self.is_rounded, named))
        fresh = [name for name in self.pair.tensors() if name not in before]
        if loose:
            written = named[:1] if not fresh else []
            self.rounded.update(map(self.storage, fresh + written))
        if "opt." in line:
            self.rounded.update(map(self.storage, self.pair.tensors()))
