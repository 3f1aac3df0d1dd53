"""The README's examples run as they stand, and print what their comments say."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.everywhere

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def promised(block: str) -> list[str]:
    """What the comments behind `print` say, in the order of the lines."""
    return re.findall(r"^ *print\(.*\)  +# (.*)$", block, re.MULTILINE)


def test_there_are_examples_and_each_says_what_it_prints():
    assert len(BLOCKS) >= 6
    assert all(promised(block) for block in BLOCKS)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n\n")[1].split("\n")[0])
def test_example(script, block):
    assert script(block).splitlines() == promised(block)
