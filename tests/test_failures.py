"""What can only fail later: when it is raised, what it says, and what stays as it was."""

import pytest

pytestmark = pytest.mark.everywhere


@pytest.mark.parametrize("workers", ["1", "2", "3"])
def test_until_a_failure_is_raised_nothing_is_replaced(script, workers):
    text = script(
        """
        import gt
        gt.workers(WORKERS)
        weights, momentum, steps = gt.ones(2, 3), gt.ones(3), gt.zeros(())
        big = gt.ones(400, 400)

        def step(index):
            batch = gt.ones(3).gather(0, gt.tensor(index))
            loss = (weights * batch).sum() + (big @ big).mean() * 0
            momentum.mul_(0.5)
            momentum.add_(batch)
            weights.sub_(momentum * 0.125)
            steps.add_(1)
            return loss

        def state():
            return weights.tolist(), momentum.tolist(), steps.item()

        good = [step([0, 1, 2]).item() for _ in range(2)]
        before = state()
        try:
            print(step([0, 1, 5]).item())
        except IndexError as error:
            print("index 5 is out of bounds" in str(error), "in step" in str(error))
        print(state() == before)
        step([2, 1, 0]).item()
        print(state() != before, steps.item())
        """.replace("WORKERS", workers)
    )
    assert text.splitlines() == ["True True", "True", "True 3.0"]


def test_a_parameter_that_somebody_else_holds_keeps_its_value_too(script):
    text = script(
        """
        import gt
        weights = gt.full((3,), 2.0)
        views = [weights[:2], weights.T, weights.reshape(3, 1)]
        old = [view + 0 for view in views]
        bad = gt.ones(3).gather(0, gt.tensor([7, 0, 0]))
        weights += weights * bad
        weights[0] += bad[0]
        weights.copy_(weights + bad)
        views[2].mul_(bad.sum())
        weights.mul_(weights)  # the value is replaced and read at once
        try:
            gt.synchronize()
        except IndexError:
            print("raised")
        print(weights.tolist(), views[0].tolist())
        """
    )
    assert text.splitlines() == ["raised", "[2.0, 2.0, 2.0] [2.0, 2.0]"]


@pytest.mark.parametrize("workers", ["1", "3"])
def test_synchronize_raises_what_nobody_read(script, workers):
    text = script(
        """
        import gt
        gt.workers(WORKERS)
        gt.synchronize()
        x, other = gt.ones(3), gt.ones(500, 500)
        x.gather(0, gt.tensor([5]))  # line 6
        other = other @ other
        for attempt in range(2):
            try:
                gt.synchronize()
                print("well")
            except IndexError as error:
                print("script.py:6 in <module>" in str(error))
        """.replace("WORKERS", workers)
    )
    assert text.splitlines() == ["True", "well"]


def test_a_failure_is_raised_once(script):
    text = script(
        """
        import gt
        x = gt.ones(3)
        bad = x.gather(0, gt.tensor([5]))
        for read in (lambda: x + 1, lambda: x + 2, lambda: bad, lambda: x + 3):
            try:
                print(read().tolist())
            except IndexError:
                print("raised")
        """
    )
    # What failed has no value at any time; everybody else hears of it once.
    assert text.splitlines() == ["raised", "[3.0, 3.0, 3.0]", "raised", "[4.0, 4.0, 4.0]"]


def test_with_sync_an_error_is_raised_at_its_own_line(script):
    program = """
        import gt
        x = gt.tensor([1, 2, 3])
        for attempt in (lambda: x.gather(0, gt.tensor([5])), lambda: x // (x - x)):
            try:
                attempt()
                print("later")
            except (IndexError, RuntimeError):
                print("here")
        """
    assert script(program, GT_SYNC="1").splitlines() == ["here", "here"]
    assert script(program).splitlines() == ["later", "later"]


def test_division_by_zero_names_its_line(script):
    text = script(
        """
        import gt
        x = gt.tensor([1, 2]) // gt.tensor([1, 0])  # line 3
        try:
            x.tolist()
        except RuntimeError as error:
            print("script.py:3" in str(error), "division by zero" in str(error))
        """
    )
    assert text == "True True"


def test_errors_in_data_are_raised_at_the_read_with_their_line(script):
    text = script(
        """
        import gt

        def attempt(read):
            try:
                print(read().tolist())
            except (IndexError, RuntimeError) as error:
                print(error)

        x = gt.tensor([1.0, 2.0, 3.0])
        def wrong():
            return x.gather(0, gt.tensor([5]))  # line 12
        bad = wrong()
        worse = (bad * 2 + 1).sum()
        attempt(lambda: worse)
        attempt(lambda: bad)
        attempt(lambda: worse + 1)
        attempt(lambda: x + 1)
        """
    ).splitlines()
    assert all("gather: index 5 is out of bounds" in line for line in text[:3])
    assert all("script.py:12 in wrong" in line for line in text[:3])
    assert text[3] == "[2.0, 3.0, 4.0]"


@pytest.mark.parametrize("workers", ["1", "3"])
def test_updates_with_a_failed_operand_keep_the_old_value(script, workers):
    text = script(
        """
        import gt
        gt.workers(WORKERS)
        weights, other = gt.ones(2, 3), gt.zeros(2, 3)
        bad = gt.ones(3).gather(0, gt.tensor([5, 1, 1]))
        weights += bad
        weights[1] -= bad
        weights.T.mul_(bad.sum())
        weights.copy_(bad.expand(2, 3))
        other[0] = bad
        other += 1
        try:
            (bad + 1).tolist()
        except (IndexError, RuntimeError):
            print("raised")
        print(weights.tolist(), other.tolist())
        weights += 1
        print(weights.tolist())
        """.replace("WORKERS", workers)
    )
    assert text.splitlines() == [
        "raised",
        "[[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]] [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]",
        "[[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]",
    ]


def test_a_failure_nobody_reads_is_raised_by_the_next_read(script):
    text = script(
        """
        import gt
        x = gt.ones(3)
        x.gather(0, gt.tensor([5]))
        try:
            (x + 1).tolist()
        except (IndexError, RuntimeError) as error:
            print("script.py:4 in <module>" in str(error))
        print((x + 1).tolist())
        """
    )
    assert text.splitlines() == ["True", "[2.0, 2.0, 2.0]"]


CALLS = {
    "F.cross_entropy(x, gt.tensor([7, 1]))": "cross_entropy: index 7 is out of bounds",
    "nn.CrossEntropyLoss()(x, gt.tensor([7, 1]))": "CrossEntropyLoss: index 7 is out of bounds",
    "F.nll_loss(x, gt.tensor([1, -7]))": "nll_loss: index -7 is out of bounds",
    "nn.Embedding(3, 2)(gt.tensor([5]))": "Embedding: index 5 is out of bounds",
    "F.embedding(gt.tensor([5]), gt.ones(3, 2))": "embedding: index 5 is out of bounds",
    # Who passes a call on is not what failed.
    "nn.Sequential(nn.Embedding(3, 2))(gt.tensor([5]))": "Embedding: index 5 is out of bounds",
    "Model()(gt.tensor([5]))": "Embedding: index 5 is out of bounds",
    # An operation is named as before, also beside a function on the same line.
    "x.gather(1, gt.tensor([[9]]))": "gather: index 9 is out of bounds",
    "(F.relu(x), gt.gather(x, 1, gt.tensor([[9]])))[1]": "gather: index 9 is out of bounds",
    "(x.gather(1, gt.tensor([[1]])), F.cross_entropy(x, gt.tensor([7, 1])))[1]": "cross_entropy: ",
    "(F.nll_loss(x, gt.tensor([1, 1])), F.cross_entropy(x, gt.tensor([7, 1])))[1]": "cross_entropy",
}


def test_a_failure_names_what_was_called(script):
    lines = script(
        f"""
        import gt
        from gt import nn
        from gt.nn import functional as F

        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.words = nn.Embedding(3, 2)

            def forward(self, index):
                return self.words(index)

        x = gt.ones(2, 5)
        for call in {list(CALLS)!r}:
            try:
                eval(call).tolist()
            except IndexError as error:
                print(error)
        """
    ).splitlines()
    assert len(lines) == len(CALLS)
    for line, (call, expected) in zip(lines, CALLS.items(), strict=True):
        assert line.startswith(expected), (call, line)
        assert ("script.py:12 in Model.forward" in line) == ("Model" in call), line


def test_a_line_that_calls_several_functions_holds_memory_once(script):
    text = script(
        """
        import gt
        from gt.nn import functional as F
        x = gt.ones(1000)
        kept = [x + 1, F.softplus(x), F.normalize(x, dim=0)]  # line 5
        print(gt.memory()["by_line"])
        """
    )
    assert text.count("script.py:5") == 1
