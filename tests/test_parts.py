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


@pytest.mark.parametrize("flat", ["contiguous", "flatten", "reshape"])
def test_a_clone_keeps_its_strides_and_is_copied_where_these_do_not_fit(torch, flat):
    for m in (gt, torch):
        x = m.arange(6.0).reshape(2, 3)
        y = x.T.clone()
        assert (y.is_contiguous(), y.stride()) == (False, (1, 3))
        z = y.reshape(6) if flat == "reshape" else getattr(y, flat)()
        z.fill_(9.0)
        assert y.tolist() == x.T.tolist() == [[0, 3], [1, 4], [2, 5]]
        # In its own order it is a view.
        y.T.view(6)[1] = 7.0
        assert y[1, 0].item() == 7
        with pytest.raises(RuntimeError):
            y.view(6)
        row = x.T.clone(memory_format=m.contiguous_format)
        assert row.is_contiguous()
        # Where elements were left out, there is no order to keep.
        assert x[:, ::2].clone().is_contiguous()
        assert x[:1].expand(4, 3).clone().is_contiguous()
        turned = m.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1).clone()
        assert (turned.stride(), turned.clone().stride()) == ((1, 12, 4), (1, 12, 4))


def test_a_clone_that_lies_otherwise_is_computed_with_as_before():
    x = gt.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.T.clone()
    (y * gt.arange(6.0).reshape(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0, 2, 4], [1, 3, 5]]
    w = gt.nn.Parameter(gt.arange(6.0).reshape(2, 3).T.clone())
    (w @ gt.ones(2)).sum().backward()
    gt.optim.SGD([w], lr=1.0).step()
    assert w.tolist() == [[-1, 2], [0, 3], [1, 4]]


def test_shapes_of_other_tensors(torch):
    x, like = gt.arange(6), gt.zeros(2, 3)
    assert x.view_as(like).tolist() == x.reshape_as(like).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert gt.ones(3).expand_as(like).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert (+x).tolist() == gt.positive(x).tolist() == list(range(6))
