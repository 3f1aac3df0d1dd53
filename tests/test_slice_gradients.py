"""Gradients of parts of one tensor, which are put together once, with PyTorch as the oracle."""

import re

import gt
import numpy as np
import pytest

SHAPE = (5, 4, 6)

# What is read of a tensor; every part gets other weights.
PARTS = {
    "all along an axis": lambda x: x.unbind(0),
    "along the last axis": lambda x: x.chunk(3, -1),
    "in another order": lambda x: [x[i] for i in (3, 0, 4, 2, 1)],
    "with gaps": lambda x: [x[:, 1], x[:, 3]],
    "one": lambda x: [x[:, -1]],
    "everything": lambda x: [x[:]],
    "twice the same": lambda x: [x[1], x[2:], x[1], x[0]],
    "overlapping": lambda x: [x[:3], x[1:4], x[2:]],
    "overlapping by one": lambda x: [x[:3], x[2:]],
    "along several axes": lambda x: [x[0], x[:, 1], x[1:, 2:, 3], x[..., ::2]],
    "apart along several axes": lambda x: [x[:2, :2], x[2:, :2], x[:2, 2:]],
    "in steps": lambda x: [x[::2], x[1::2]],
    "beside the whole": lambda x: [x, x[1], x[3:]],
    "beside the whole along an axis": lambda x: [x * 2, *x.split(2)],
    "empty": lambda x: [x[2:2], x[1]],
    "single elements": lambda x: [x[0, 0, 0], x[1, 2, 3]],
    "of a view": lambda x: x.transpose(0, 2).unbind(0),
    "of parts": lambda x: [part.chunk(2, -1)[1] for part in x.unbind(1)],
    "many": lambda x: [x[i % 5, i % 4] for i in range(100)],
}


def loss_of(x, parts):
    total = 0
    for number, part in enumerate(parts(x)):
        total = total + ((part * part).exp() * (number + 1)).sum()
    return total


def both(torch, computed):
    for m in (gt, torch):
        data = np.linspace(-1, 1, int(np.prod(SHAPE))).reshape(SHAPE)
        x = m.tensor(data, dtype=m.float64, requires_grad=True)
        base = x * 1.5 if computed else x
        yield m, x, base


@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("name", PARTS)
def test_gradients_of_parts_agree(torch, name, computed):
    found = []
    for _, x, base in both(torch, computed):
        seen = []
        base.register_hook(lambda grad, seen=seen: seen.append(grad))
        loss_of(base, PARTS[name]).backward()
        assert len(seen) == 1
        found.append((np.asarray(x.grad), np.asarray(seen[0])))
    (ours, ours_seen), (theirs, theirs_seen) = found
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    np.testing.assert_allclose(ours_seen, theirs_seen, rtol=1e-12)


@pytest.mark.parametrize("name", PARTS)
def test_second_gradients_of_parts_agree(torch, name):
    found = []
    for m, x, base in both(torch, True):
        (first,) = m.autograd.grad(loss_of(base, PARTS[name]), x, create_graph=True)
        (second,) = m.autograd.grad((first * first).sum(), x)
        found.append(np.asarray(second))
    np.testing.assert_allclose(*found, rtol=1e-11)


def test_a_graph_of_parts_can_be_used_again():
    x = gt.ones(4, requires_grad=True)
    loss = sum(part * part for part in x.unbind())
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.tolist() == [4, 4, 4, 4]


@pytest.mark.embedded("the log of a server is written where the server runs")
def test_parts_that_make_up_a_tensor_are_joined_once(script, tmp_path):
    path = tmp_path / "ops.log"
    program = """
        import gt
        x = gt.ones(40, 3, requires_grad=True)
        sum((part * 2).sum() for part in x.unbind()).backward()
        x.grad.numpy()
    """
    assert script(program, GT_INSTRUCTION_LOG=str(path)) == ""
    received = [line for line in path.read_text().splitlines() if "| RECV" in line]
    ops = re.findall(r":= (\w+)", "\n".join(received))
    assert ops.count("cat") == 1
    assert "slice_write" not in ops
