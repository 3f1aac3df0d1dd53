"""Tensors as a program sees them: making them, operators, reading them, what errors say."""

import copy
import math
import pickle

import gt
import numpy as np
import pytest

MADE = {
    "a whole number": 3,
    "a number": 2.5,
    "a bool": True,
    "whole numbers": [1, 2, 3],
    "numbers": [1.0, 2, 3],
    "bools": [True, False],
    "bools and whole numbers": [True, 2],
    "rows": [[1, 2], [3, 4], [5, 6]],
    "a tuple of lists": ([1.5], [2.5]),
    "nothing": [],
    "rows of nothing": [[], []],
}


@pytest.mark.parametrize("data", MADE.values(), ids=MADE.keys())
def test_dtype_and_shape_are_inferred_as_in_pytorch(torch, data):
    ours, theirs = gt.tensor(data), torch.tensor(data)
    assert f"torch.{ours.dtype.name}" == str(theirs.dtype)
    assert ours.shape == tuple(theirs.shape)
    assert ours.tolist() == theirs.tolist()


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"],
)
@pytest.mark.parametrize("make", [gt.tensor, gt.from_numpy])
def test_arrays_keep_their_dtype(make, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)
    for given in (array, array.T, array[:, ::2], array[0], array[:0], np.asfortranarray(array)):
        tensor = make(given)
        assert tensor.dtype == dtype
        assert tensor.shape == given.shape
        back = tensor.numpy()
        assert back.dtype == given.dtype
        np.testing.assert_array_equal(back, given)


def test_arrays_of_the_other_byte_order_are_read():
    np.testing.assert_array_equal(gt.tensor(np.arange(3, dtype=">i4")).numpy(), [0, 1, 2])


def test_from_numpy_is_a_snapshot():
    array = np.ones(3, dtype=np.float32)
    tensor = gt.from_numpy(array)
    array[0] = 9
    assert tensor.tolist() == [1, 1, 1]


def test_numpy_gives_an_array_of_its_own():
    tensor = gt.ones(3)
    first, second = tensor.numpy(), tensor.data.numpy()
    first[0] = 9
    assert second.tolist() == tensor.tolist() == [1, 1, 1]
    assert np.asarray(tensor, dtype=np.int32).tolist() == [1, 1, 1]


@pytest.mark.parametrize("name", ["float64", gt.float64, float, np.float64, "double"])
def test_dtype_may_be_named_in_many_ways(name):
    expected = "float32" if name is float else "float64"
    assert gt.tensor([1], dtype=name).dtype == expected
    assert gt.zeros(2, dtype=name).dtype == expected


def test_dtypes_are_equal_to_their_names():
    assert gt.float32 == "float32"
    assert gt.float32 != gt.float64
    assert gt.float32 != 7
    assert repr(gt.float32) == "gt.float32"
    assert {gt.int64: 1}["int64"] == 1
    assert (gt.float, gt.half, gt.double) == (gt.float32, gt.float16, gt.float64)
    assert (gt.int, gt.long, gt.short) == (gt.int32, gt.int64, gt.int16)
    assert pickle.loads(pickle.dumps(gt.bfloat16)) is gt.bfloat16
    assert (gt.float16.itemsize, gt.bool.is_floating_point) == (2, False)


def test_shape_and_its_other_names():
    x = gt.zeros(2, 3, 4)
    assert x.shape == x.size() == (2, 3, 4)
    assert (x.size(0), x.size(-1)) == (2, 4)
    assert x.ndim == x.dim() == 3
    assert x.numel() == 24
    assert len(x) == 2
    assert gt.zeros((2, 3)).shape == gt.zeros([2, 3]).shape == gt.zeros(size=(2, 3)).shape == (2, 3)


def test_elements_become_python_numbers():
    assert type(gt.tensor(2).item()) is int
    assert type(gt.tensor(2.5).item()) is float
    assert gt.tensor([[True]]).item() is True
    assert int(gt.tensor([2.9])) == 2
    assert float(gt.tensor(2)) == 2.0
    assert bool(gt.tensor([0.0])) is False
    assert [10, 20, 30][gt.tensor(1)] == 20
    assert list(range(gt.tensor(3))) == [0, 1, 2]
    assert gt.tensor([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert gt.tensor(1.5, dtype=gt.bfloat16).item() == 1.5


def test_rows_are_iterated():
    assert [row.tolist() for row in gt.tensor([[1, 2], [3, 4]])] == [[1, 2], [3, 4]]
    first, second = gt.tensor([1, 2])
    assert (first.item(), second.item()) == (1, 2)


def test_tensors_are_told_apart_in_sets():
    x, y = gt.ones(2), gt.ones(2)
    assert len({x, y, x}) == 2


OPERATORS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "**": lambda a, b: a**b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS.keys())
@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("number", [2, 0.5, True, np.float64(1.5), np.int64(3)])
def test_numbers_may_stand_on_both_sides(torch, operator, dtype, number):
    # A NumPy number on the left asks the array interface first; PyTorch leaves that to NumPy too.
    plain = number.item() if isinstance(number, np.generic) else number
    if isinstance(number, bool) and operator is OPERATORS["-"]:
        pytest.skip("PyTorch has no subtraction with bools")
    ours, theirs = (
        gt.tensor([1, 2, 3]).to(dtype),
        torch.tensor([1, 2, 3], dtype=getattr(torch, dtype)),
    )
    for mine, expected in [
        (operator(ours, number), operator(theirs, plain)),
        (operator(plain, ours), operator(plain, theirs)),
    ]:
        assert f"torch.{mine.dtype.name}" == str(expected.dtype)
        np.testing.assert_allclose(mine.numpy(), expected.numpy(), rtol=1e-3)


def test_signs():
    x = gt.tensor([-1.5, 2.0])
    assert (-x).tolist() == [1.5, -2.0]
    assert abs(x).tolist() == [1.5, 2.0]


def test_in_place_operators_keep_the_tensor_and_change_its_number():
    x = same = gt.tensor([1.0, 2.0])
    before = x.id
    for change in ("x += 1", "x -= 0.5", "x *= 4", "x /= 2", "x **= 2"):
        scope = {"x": x}
        exec(change, scope)
        assert scope["x"] is same
    assert x.tolist() == [9.0, 25.0]
    assert x.id != before


def test_both_words_for_an_axis():
    x = gt.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum(axis=0, keepdims=True).tolist() == x.sum(dim=0, keepdim=True).tolist() == [[4, 6]]
    assert x.sum(0).tolist() == x.sum((0,)).tolist() == x.sum(dim=[0]).tolist()


@pytest.mark.filterwarnings("ignore:device .* has no effect")
def test_a_device_has_no_effect():
    x = gt.ones(2, device="cuda:1", pin_memory=True)
    assert x.to("cpu").tolist() == x.to(gt.float32).tolist() == [1, 1]


REPR = [
    3,
    2.5,
    True,
    [],
    [[], []],
    [1, -20, 300],
    [True, False],
    [1.0, 2.0],
    [1.5, -2.25, 100.125],
    [1e10, 1.0],
    [1e-5, 2e-5],
    [math.nan, math.inf, -math.inf, 1.0],
    [[1.5, 2.0], [3.0, 4.25]],
    [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
    [0.1] * 30,
]


@pytest.mark.parametrize("data", REPR, ids=str)
def test_repr_is_that_of_pytorch(torch, data):
    assert repr(gt.tensor(data)) == repr(torch.tensor(data))


@pytest.mark.parametrize("shape", [(2000,), (1001, 3), (3, 1001), (2, 0, 3), (12, 13, 14), (1, 1)])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64", "int32", "bfloat16"])
def test_repr_of_large_and_empty_tensors_is_that_of_pytorch(torch, shape, dtype):
    count = math.prod(shape)
    theirs = torch.arange(count).reshape(shape).to(getattr(torch, dtype))
    ours = gt.arange(count).reshape(shape).to(dtype)
    assert repr(ours) == str(ours) == repr(theirs).replace("torch.", "gt.")


# A call, and what its error names besides the operation. The exception is PyTorch's own.
WRONG = [
    ("m.ones(2, 3) + m.ones(4)", "add", "[2, 3]", "[4]"),
    ("m.ones(2, 3) @ m.ones(2, 3)", "matmul", "[2, 3]"),
    ("m.ones(2).reshape(3)", "reshape", "[3]", "2"),
    ("m.ones(2).view(3)", "view", "[3]", "2"),
    ("m.ones(2).sum(1)", "sum", "1"),
    ("m.ones(2, 2).sum((0, 0))", "sum", "0"),
    ("m.ones(2)[2]", "", "2"),
    ("m.ones(2)[0, 0]", "", "1"),
    ("m.ones(2)[::0]", "", "step"),
    ("len(m.tensor(1))", "", "0-d"),
    ("list(m.tensor(1))", "", "0-d"),
    ("m.ones(2).item()", "", "2 elements"),
    ("bool(m.ones(2))", "", ""),
    ("m.ones(2, 3).permute(0, 0)", "permute", "0"),
    ("m.ones(2, 3).permute(0)", "permute", ""),
    ("m.ones(2, 3).transpose(0, 2)", "transpose", "2"),
    ("m.ones(2, 3).squeeze(4)", "squeeze", "4"),
    ("m.ones(2, 3).unsqueeze(4)", "unsqueeze", "4"),
    ("m.ones(2, 3).size(5)", "", "5"),
    ("m.ones(2, 3).expand(3, 3)", "expand", "[3, 3]"),
    ("m.ones(2) + None", "", "NoneType"),
    ("m.ones(2) + 'a'", "", "str"),
    ("m.cat([m.ones(2), m.ones(2, 2)])", "cat", "[2, 2]"),
    ("m.cat(3)", "", ""),
    ("m.ones(2).topk(3)", "topk", "3"),
    ("m.tensor([1, 2]) ** -1", "pow", "negative"),
    ("m.zeros(-1)", "zeros", "-1"),
    ("m.arange(3, 0)", "arange", "3"),
    ("m.ones(2).softmax(1)", "softmax", "1"),
    ("m.ones(3).gather(0, m.tensor([1.0]))", "gather", "float32"),
    ("m.ones(3).gather(1, m.tensor([1]))", "gather", "1"),
    ("m.conv2d(m.ones(1, 2, 3, 3), m.ones(1, 3, 3, 3))", "conv2d", "[1, 3, 3, 3]"),
    ("m.ones(2).exp(1)", "exp", ""),
    ("m.ones(2).sum(wrong=1)", "sum", "wrong"),
    ("m.ones(2).sum('a')", "sum", ""),
    ("m.tensor([[1, 2], [3]])", "", "length 2"),
    ("m.ones(3).add_(m.ones(2, 3))", "add_", "[2, 3]"),
    ("m.tensor([1]).add_(1.5)", "add_", "float32"),
    ("m.ones(2, 3).copy_(m.ones(4))", "", "[4]"),
    ("m.ones(3).expand(2, 3).add_(1)", "expand", ""),
    ("m.ones(2).__setitem__(5, 1)", "", "5"),
    ("m.tensor([1.5]).__index__()", "", "integer"),
]


@pytest.mark.parametrize(("call", "op", "facts"), [(c, o, f) for c, o, *f in WRONG])
def test_errors_come_at_the_line_as_pytorch_raises_them(torch, call, op, facts):
    with pytest.raises(Exception) as theirs:  # noqa: PT011
        eval(call, {"m": torch})
    with pytest.raises(theirs.type) as ours:
        eval(call, {"m": gt})
    message = str(ours.value)
    assert op in message
    assert all(fact in message for fact in facts)
    assert "\n" not in message


def test_transposes_of_more_than_two_axes_name_what_to_use():
    with pytest.raises(RuntimeError, match="permute"):
        _ = gt.ones(2, 3, 4).T


def test_a_failed_call_leaves_the_session_as_it_was():
    x = gt.ones(2)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            x + gt.ones(3)
    assert (x + 1).tolist() == [2, 2]


def test_a_tensor_of_a_tensor_is_a_copy():
    x = gt.ones(2)
    gt.tensor(x).add_(1)
    assert x.tolist() == [1, 1]


def test_whole_numbers_beyond_int64_are_refused():
    with pytest.raises((ValueError, RuntimeError)):
        gt.tensor(2**70)


def test_text_is_no_tensor(script):
    assert (
        script("import gt\ntry:\n    gt.tensor('a')\nexcept TypeError:\n    print('refused')")
        == "refused"
    )


def test_numpy_numbers_keep_their_dtype():
    assert gt.tensor(np.float64(1.5)).dtype == gt.float64
    assert gt.tensor([np.float64(1.5)]).dtype == gt.float64


def test_a_matrix_product_with_a_number_is_a_type_error():
    with pytest.raises(TypeError):
        _ = gt.ones(2) @ 3


def test_out_is_what_the_result_is_written_into():
    out, whole = gt.zeros(2), gt.zeros(2, dtype=gt.int64)
    assert gt.exp(gt.zeros(2), out=out) is out
    assert out.tolist() == [1, 1]
    gt.add(gt.ones(2), 1, out=out[:])
    assert out.tolist() == [2, 2]
    values, places = gt.zeros(1), gt.zeros(1, dtype=gt.int64)
    gt.topk(gt.tensor([1.0, 3.0]), 1, out=(values, places))
    assert (values.item(), places.item()) == (3, 1)
    with pytest.raises(RuntimeError, match="can't be cast"):
        gt.exp(gt.zeros(2), out=whole)
    with pytest.raises(RuntimeError, match="shape"):
        gt.exp(gt.zeros(3), out=out)
    with pytest.raises(TypeError, match="'out' must be a tensor, not int"):
        gt.exp(gt.zeros(3), out=3)


def test_tensors_are_pickled_and_copied_by_value():
    for dtype in (gt.float32, gt.bfloat16, gt.bool, gt.int8):
        x = gt.tensor([[1, 0], [2, 3]]).to(dtype)
        same = pickle.loads(pickle.dumps(x))
        assert (same.dtype, same.shape, same.tolist()) == (x.dtype, x.shape, x.tolist())
    x = gt.zeros(2)
    deep, flat = copy.deepcopy([x, x]), copy.copy(x)
    assert deep[0] is deep[1]
    x += 1
    assert (deep[0].tolist(), flat.tolist()) == ([0, 0], [1, 1])


@pytest.mark.filterwarnings("ignore:device .* has no effect")
def test_a_session_has_one_device():
    x = gt.ones(2, device="cuda:3")
    assert (str(x.device), x.device.type, x.device.index) == ("cpu", "cpu", None)
    assert x.cuda(1) is x
    assert x.cpu() is x
    assert x.to("cuda", non_blocking=True).tolist() == x.to(gt.device("cpu")).tolist()
    assert gt.device("cuda", 1) == gt.device("cuda:1") != gt.device("cuda")
    assert repr(gt.device("cuda:1")) == "device(type='cuda', index=1)"
    for wrong in (lambda: gt.ones(2, device="meta"), lambda: x.to("nowhere")):
        with pytest.raises(RuntimeError):
            wrong()


def test_dtypes_are_asked_about_as_in_pytorch(torch):
    for m in (gt, torch):
        assert m.iinfo(m.int8).min == -128
        assert m.finfo(m.float16).max == 65504
        assert m.finfo(m.bfloat16).eps == 0.0078125
        assert m.promote_types(m.uint8, m.int8) == m.int16
        assert m.result_type(m.tensor([1], dtype=m.int8), 1.5) == m.float32
        assert m.can_cast(m.int64, m.float16)
        assert not m.can_cast(m.float16, m.int64)
        assert m.is_tensor(m.ones(1))
        assert m.get_default_dtype() == m.float32
        x = m.ones(2, 3)
        assert (x.nelement(), x.element_size(), x.is_floating_point()) == (6, 4, True)
        assert tuple(m.ones(2, 3, 4).mT.shape) == (2, 4, 3)
        assert [x.half().dtype, x.char().dtype, x.byte().dtype] == [m.float16, m.int8, m.uint8]
        assert x.to(m.ones(1).long()).dtype == m.int64
        assert x.type().endswith(".FloatTensor")
        assert f"{m.tensor(1.5):.3f} {m.tensor(2):4d}" == "1.500    2"
        assert m.equal(x, x.clone())
        assert m.allclose(x, x + 1e-9)
        assert 1 in x


@pytest.mark.parametrize(
    "call",
    [
        "bool(m.ones(2))",
        "bool(m.ones(0))",
        "int(m.ones(2))",
        "float(m.ones(2))",
        "m.ones(2).item()",
        "m.cat([])",
        "m.tensor([[1], [1, 2]])",
        "m.exp(1)",
        "m.exp('a')",
        "m.add('a', m.ones(1))",
        "m.ones(1) + 'a'",
        "m.ones(2).gather(0, 1)",
        "'a' in m.ones(1)",
        "m.ones(2).__setitem__(0, 'a')",
        "m.ones(2).sum('a')",
        "m.zeros(-1)",
        "m.zeros(2**70)",
        "m.ones(0).max()",
        "m.equal(m.ones(1), 1)",
    ],
)
def test_wrong_calls_raise_what_pytorch_raises(torch, call):
    found = []
    for m in (torch, gt):
        with pytest.raises(Exception) as caught:  # noqa: PT011
            eval(call, {"m": m})
        found.append(caught.type)
    assert issubclass(found[1], found[0])


def test_how_tensors_are_printed_can_be_set(torch):
    x = [[1 / 3, 2e10], [0.5, 7.0]]
    try:
        for options in ({"precision": 2}, {"sci_mode": False}, {"profile": "short"}):
            gt.set_printoptions(**options)
            torch.set_printoptions(**options)
            assert repr(gt.tensor(x)) == repr(torch.tensor(x))
    finally:
        gt.set_printoptions(profile="default")
        torch.set_printoptions(profile="default")
