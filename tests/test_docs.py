"""The docstrings of the table: each shows a call, and the call gives what it shows."""

import doctest
import re
from collections.abc import Iterator
from pathlib import Path

import gt
import pytest

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "ops.md"
ROWS = re.findall(r"\n## (\w+)\n", REFERENCE.read_text(encoding="utf-8"))


def documented() -> Iterator[tuple[str, str]]:
    """Every public function and method, and its docstring."""
    for holder in (gt, gt.Tensor):
        for name in dir(holder):
            found = getattr(holder, name)
            if callable(found) and not isinstance(found, type) and not name.startswith("_"):
                yield f"{holder.__name__}.{name}", found.__doc__


EXAMPLES = {name: text for name, text in documented() if ">>>" in text}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_give_what_they_show(name):
    parser, text, report = doctest.DocTestParser(), EXAMPLES[name], []
    test = parser.get_doctest(text, {"gt": gt}, name, None, None)
    doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    assert report == []


def test_every_function_and_method_of_the_table_shows_an_example():
    of_rows = {f"{holder}.{name}" for holder in ("gt", "Tensor") for name in ROWS}
    assert sorted({name for name, _ in documented()} & of_rows - set(EXAMPLES)) == []
    # A comparison written into a tensor of another dtype has no example; most others have.
    assert len([name for name in EXAMPLES if name.endswith("_")]) > 40


def test_functions_and_methods_show_their_signatures():
    assert gt.topk.__text_signature__ == "(input, k, dim=-1, largest=True, sorted=True)"
    assert gt.Tensor.topk.__text_signature__ == "($self, k, dim=-1, largest=True, sorted=True)"
