"""Random programs against PyTorch: views, writes, promotion, gradients, optimisers, errors."""

import os
import warnings

import pytest
from hypothesis import settings
from programs import Difference, Program, replay, shortened

# One number is one program; `make soak` runs fifty times as many.
FIRST = int(os.environ.get("GT_PROGRAM_SEED", "0"))
COUNT = 10 * settings().max_examples

HEADER = "import gt as m  # and then: import torch as m\n"


@pytest.mark.embedded("what a program means does not depend on where the workers are")
@pytest.mark.timeout(0)
def test_random_programs_mean_what_they_mean_in_pytorch(torch):
    warnings.simplefilter("ignore")
    for seed in range(FIRST, FIRST + COUNT):
        program = Program(torch, seed)
        try:
            program.run()
        except Difference as difference:
            lines = shortened(torch, program.lines)
            text = "\n".join(lines)
            words = replay(torch, lines) or str(difference)
            pytest.fail(f"GT_PROGRAM_SEED={seed}: {words}\n\n{HEADER}{text}", pytrace=False)


PLANTED = {
    "t2 is ": "t2 = t1 * (2 if m.__name__ == 'gt' else 3)",
    "raised None": "t2 = m.ones(2) if m.__name__ == 'gt' else m.ones(2) + m.ones(3)",
    "raised IndexError": "t2 = t1[4] if m.__name__ == 'gt' else t1 + m.ones(3)",
    "after ": "t2 = t1.double() if m.__name__ == 'gt' else t1",
    "t1.grad is ": "(t1.sum() * (2 if m.__name__ == 'gt' else 3)).backward()",
    "reading t": "t2 = t1.gather(0, m.tensor([5])) if m.__name__ == 'gt' else t1[:1] * 2",
}


@pytest.mark.embedded("what a program means does not depend on where the workers are")
def test_differences_are_found_and_shown_without_other_lines(torch):
    others = ["t7 = m.zeros(3)", "t8 = t7 + 1", "t9 = t8[0]"]
    first = "t1 = m.tensor([1.0, 2.0], requires_grad=True)"
    for words, line in PLANTED.items():
        lines = [others[0], first, others[1], line, others[2]]
        if "after" in words or "reading" in words:
            lines[1] = "t1 = m.tensor([1.0, 2.0])"
        found = replay(torch, lines)
        assert found is not None, words
        assert words in found, (words, found)
        assert len(shortened(torch, lines)) <= 2, words
    assert replay(torch, [*others, first]) is None
