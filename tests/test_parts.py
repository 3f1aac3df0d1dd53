"""Parts of a tensor: as PyTorch cuts them, and views that can be written through."""

import gt
import pytest

SHAPES = [(7,), (5, 4), (2, 0, 3)]
CALLS = [
    ("split", (2,)),
    ("split", (3, -1)),
    ("split", ([2, 3], 0)),
    ("split", ([1, 6],)),
    ("split", (0,)),
    ("chunk", (3,)),
    ("chunk", (4, -1)),
    ("chunk", (0,)),
    ("tensor_split", (3,)),
    ("tensor_split", ([1, 3], -1)),
    ("tensor_split", ([3, 1, 9],)),
    ("unbind", ()),
    ("unbind", (-1,)),
    ("select", (0, 1)),
    ("select", (-1, -2)),
    ("select", (0, 9)),
]


def outcome(function, *args):
    try:
        found = function(*args)
    except (RuntimeError, IndexError, ValueError) as error:
        return type(error)
    return found if isinstance(found, tuple | list) else [found]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("name", "args"), CALLS, ids=str)
def test_parts_agree_with_pytorch(torch, name, args, shape):
    theirs = torch.arange(torch.Size(shape).numel()).reshape(shape)
    ours = gt.arange(theirs.numel()).reshape(*shape)
    for found, expected in [
        (outcome(getattr(ours, name), *args), outcome(getattr(theirs, name), *args)),
        (outcome(getattr(gt, name), ours, *args), outcome(getattr(torch, name), theirs, *args)),
    ]:
        if isinstance(expected, type):
            assert isinstance(found, type)
            continue
        assert [part.shape for part in found] == [tuple(part.shape) for part in expected]
        assert [part.tolist() for part in found] == [part.tolist() for part in expected]


def test_a_write_to_a_part_is_seen_in_the_whole():
    x = gt.zeros(4, 3)
    first, second = x.split(2)
    first.fill_(1)
    second.unbind(1)[0].fill_(2)
    x.select(0, -1).chunk(3)[2].fill_(3)
    x.narrow(1, 1, 1)[0] = 4
    assert x.tolist() == [[1, 4, 1], [1, 1, 1], [2, 0, 0], [2, 0, 3]]
    x.flatten()[0] = 5
    x.unflatten(0, (2, 2))[0, 0, 2] = 6
    x.movedim(0, 1)[1, 0] = 7
    assert x[0].tolist() == [5, 7, 6]


def test_copies_are_not_connected():
    x = gt.zeros(2, 3)
    for copy in (x.flip(0), x.tril(), x.repeat(1, 1), gt.stack([x])[0]):
        copy.fill_(1)
    assert x.sum().item() == 0


def test_contiguous_copies_only_what_does_not_lie_in_a_row():
    x = gt.zeros(4, 3)
    assert x.is_contiguous()
    x[1].contiguous().fill_(1)
    turned = x.transpose(0, 1)
    assert not turned.is_contiguous()
    turned.contiguous().fill_(2)
    x[::2].contiguous().fill_(3)
    assert x.tolist() == [[0, 0, 0], [1, 1, 1], [0, 0, 0], [0, 0, 0]]
    assert turned.contiguous().view(12).shape == (12,)


def test_shapes_of_other_tensors(torch):
    x, like = gt.arange(6), gt.zeros(2, 3)
    assert x.view_as(like).tolist() == x.reshape_as(like).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert gt.ones(3).expand_as(like).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert (+x).tolist() == gt.positive(x).tolist() == list(range(6))
