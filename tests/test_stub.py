"""The stub describes the extension: the same names on both sides, and types that mypy accepts."""

import ast
import importlib.util
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import gt
import pytest
from gt import _gt

STUB = ast.parse((Path(gt.__file__).parent / "_gt.pyi").read_text(encoding="utf-8"))

# What every class has, and what CPython adds to a class that has its neighbour.
ANY_CLASS = {*dir(object), "__module__", "__weakref__", "__delitem__", "__slotnames__"}
ANY_CLASS |= {*vars(namedtuple("any", ""))}


def declared(body: list[ast.stmt]) -> set[str]:
    """The names that statements of a stub declare; those of types for its own use are not."""
    names = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            names.add(statement.target.id)
    return names


def classes() -> list[ast.ClassDef]:
    return [statement for statement in STUB.body if isinstance(statement, ast.ClassDef)]


def test_every_name_of_the_stub_is_there():
    assert declared(STUB.body) - set(dir(_gt)) == set()


def test_every_public_name_is_in_the_stub():
    public = {name for name in dir(_gt) if not name.startswith("_")}
    assert public - declared(STUB.body) == set()


@pytest.mark.parametrize("declaration", classes(), ids=lambda declaration: declaration.name)
def test_classes_have_the_members_of_their_stubs(declaration):
    members = declared(declaration.body)
    actual = getattr(_gt, declaration.name)
    assert members - set(dir(actual)) == set()
    assert set(vars(actual)) - members - ANY_CLASS == set()


def test_everything_public_is_offered_by_the_package():
    public = {name for name in dir(_gt) if not name.startswith("_")}
    assert public - set(gt.__all__) == set()
    assert all(hasattr(gt, name) for name in gt.__all__)


def test_everything_public_has_a_docstring():
    undocumented = [
        name
        for holder in (_gt, gt.Tensor)
        for name in dir(holder)
        if not name.startswith("_")
        and callable(getattr(holder, name))
        and not getattr(holder, name).__doc__
    ]
    assert undocumented == []


SAMPLE = '''
"""A program that says what type everything has."""

import gt


def centred(x: gt.Tensor) -> gt.Tensor:
    return (x - x.mean(dim=0, keepdim=True)) / (1 + x.abs().sum(dim=0).sqrt())


x: gt.Tensor = gt.randn(3, 4, dtype=gt.float32)
y = centred(x) @ x.T
y += 1
y[0] = 2.5
total: float = float(y.sum())
shape: tuple[int, ...] = y.shape
values, places = gt.topk(y, 2)
largest: gt.Tensor = values
ordered: gt.Tensor = y.sort(dim=0).values
most, where = y.max(0)
peak: float = y.max().item()
columns: gt.Tensor = gt.max(y, axis=0)
y[places[0]] = y[y > 0].mean()
close: bool = gt.allclose(y, y)
row: gt.Tensor = y[0, 1:].relu()
flags: gt.Tensor = y > 0
whole: int = int(places[0, 0])
rank: int = y.dim()
for part in gt.cat([y, y], dim=1):
    part.zero_()
'''


def mypy(folder: Path, *targets: str) -> str:
    """What `mypy --strict` says, nothing if all is well."""
    config = folder / "mypy.ini"
    config.write_text("[mypy]\nstrict = True\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(config)]
    command += ["--cache-dir", str(folder / "cache"), "--no-error-summary", *targets]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    return done.stdout + done.stderr


needs_mypy = pytest.mark.skipif(
    importlib.util.find_spec("mypy") is None, reason="mypy is not installed"
)


@needs_mypy
def test_the_package_and_a_typed_program_pass_mypy(tmp_path):
    # In one run: most of its time goes into reading the package.
    (tmp_path / "sample.py").write_text(SAMPLE, encoding="utf-8")
    assert mypy(tmp_path, "sample.py", str(Path(gt.__file__).parent)) == ""
