"""Random programs against PyTorch: views, writes, promotion, gradients, optimisers, errors."""

import os
import warnings

import pytest
from hypothesis import settings
from programs import Difference, Program, replay, shortened

# One number is one program; `make soak` runs fifty times as many.
FIRST = int(os.environ.get("GT_PROGRAM_SEED", "0"))
COUNT = 12 * settings().max_examples

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
