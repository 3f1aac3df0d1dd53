"""Named corners of cut values: what could go wrong with parts of sums, views, ties and borders.

Each is computed with its inputs cut and compared with PyTorch, and so are its gradients.
"""

import gt
import numpy as np
import pytest
from gt import nn
from placements import named, register

F = nn.functional


@pytest.fixture(params=[2, 3, 4])
def group(request, arrangement):
    """A session, and the workers over which values are cut."""
    workers = [*range(request.param)]
    if arrangement != "embedded" and request.param == 4:
        pytest.skip("the processes of this arrangement are three workers")
    with gt.connect(workers=len(workers), new=True):
        register([workers])
        yield workers


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng([*shape]).normal(size=shape).astype(np.float32)


def cut(array: np.ndarray, axis: int, group: list[int]) -> gt.Tensor:
    """An array, cut along an axis."""
    placed = gt.signal.tensor(gt.tensor(array), named(f"axis {axis}", group))
    assert gt.debug.placement(placed).startswith(f"shard({axis})")
    return placed


def copied(array: np.ndarray, group: list[int]) -> gt.Tensor:
    """An array, on every worker."""
    return gt.signal.tensor(gt.tensor(array), named("copies", group))


def partial(array: np.ndarray, group: list[int]) -> gt.Tensor:
    """An array as a sum, of which workers have unequal parts of either sign."""
    parts = 8 * numbers(len(group), *array.shape).astype(array.dtype)
    parts[-1] = array - parts[:-1].sum(0)
    total = cut(parts, 0, group).sum(0, dtype=getattr(gt, array.dtype.name))
    assert gt.debug.placement(total).startswith("partial(sum)")
    return total


def travelled(compute) -> int:
    """How many bytes go between workers for a computation."""
    before = sum(gt.debug.moved_bytes().values())
    found = compute()
    gt.debug.placement(found)
    return sum(gt.debug.moved_bytes().values()) - before


def test_a_sum_that_inputs_would_move_for_is_charged_its_reduction(group):
    """A product of values that are cut otherwise gathers the smaller one."""
    a, b = numbers(384, 64), numbers(64, 256)
    rows, columns = cut(a, 0, group), cut(b, 1, group)

    def product() -> gt.Tensor:
        return (rows @ columns).relu()

    assert travelled(product) <= (len(group) - 1) * b.nbytes
    is_close(product(), np.maximum(a @ b, 0))


def is_close(found: gt.Tensor, expected) -> None:
    np.testing.assert_allclose(found.detach().numpy(), np.asarray(expected), rtol=1e-4, atol=1e-4)


X = numbers(7, 5)


def with_row(p: gt.Tensor, value: float) -> gt.Tensor:
    p[2] = value
    return p


OF_SUMS = {
    "a number is added once": (lambda p: p + 1, lambda x: x + 1),
    "a number is taken away once": (lambda p: 1 - p, lambda x: 1 - x),
    "of products of sums": (lambda p: p * p, lambda x: x * x),
    "relu": (lambda p: p.relu(), lambda x: np.maximum(x, 0)),
    "norm": (lambda p: p.norm(), lambda x: np.linalg.norm(x)),
    "max": (lambda p: p.max(), lambda x: x.max()),
    "max along an axis": (lambda p: p.max(1)[0], lambda x: x.max(1)),
    "a comparison": (lambda p: (p > 0).float(), lambda x: (x > 0).astype(np.float32)),
    "the sum of a sum": (lambda p: p.sum(), lambda x: x.sum()),
    "a multiple": (lambda p: p * 3 - p / 2, lambda x: x * 2.5),
    "a quotient by zeros": (
        lambda p: p / gt.zeros(5),
        lambda x: np.where(x > 0, np.inf, -np.inf),
    ),
    "a power": (lambda p: p**2, lambda x: x**2),
    "a write": (lambda p: p.add_(2), lambda x: x + 2),
    "a write through a view": (
        lambda p: with_row(p, 9),
        lambda x: np.concatenate([x[:2], np.full((1, 5), 9, np.float32), x[3:]]),
    ),
}


@pytest.mark.parametrize("name", OF_SUMS)
def test_of_a_partial_sum_comes_what_comes_of_the_sum(group, name):
    ours, expected = OF_SUMS[name]
    is_close(ours(partial(X, group)), expected(X))


def test_linear_rows_let_a_sum_wait(group):
    p = partial(X, group)
    q, w = partial(2 * X, group), copied(numbers(5, 5), group)
    for compute in (lambda: p * 2, lambda: p + q, lambda: p @ w, lambda: p.T, lambda: p / 4):
        assert travelled(compute) == 0
        assert gt.debug.placement(compute()).startswith("partial(sum)")
    is_close((p + q) @ w, 3 * X @ numbers(5, 5))


def test_whole_numbers_that_wrap_around_in_a_sum_do_so_once(group):
    x = np.full((len(group), 3), 100, np.int8)
    total = cut(x, 0, group).sum(0, dtype=gt.int8)
    assert total.sum().item() == x.sum(0, dtype=np.int8).sum(dtype=np.int64)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_sum_of_halves_is_rounded_once(group, torch, dtype):
    large = 2048 if dtype == "float16" else 256
    x = np.array([[large], [1], [1], [1]][: len(group)], np.float32)
    halves = gt.tensor(x).to(getattr(gt, dtype))
    placed = gt.signal.tensor(halves, named("axis 0", group))
    total, scaled = placed.sum(0), placed.sum(0) * 2
    product = gt.ones(1, len(group), dtype=getattr(gt, dtype)) @ placed
    once = torch.tensor(x.sum(0)).to(getattr(torch, dtype))
    assert total.dtype == scaled.dtype == getattr(gt, dtype)
    assert total.tolist() == product[0].tolist() == once.tolist()
    # The sum still waits when it is scaled, and is rounded after that.
    assert scaled.tolist() == torch.tensor(2 * x.sum(0)).to(once.dtype).tolist()


def test_gradients_are_clipped_by_the_norm_of_all_parts(group, torch):
    x, w = numbers(9, 6), numbers(4, 6)
    layer, theirs = nn.Linear(6, 4, bias=False), torch.nn.Linear(6, 4, bias=False)
    layer.weight.data.copy_(gt.tensor(w))
    theirs.weight.data.copy_(torch.tensor(w))
    with gt.signal.context(named("axis 0", group)):
        (layer(cut(x, 0, group)) ** 2).sum().backward()
    (theirs(torch.tensor(x)) ** 2).sum().backward()
    norm = nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    expected = torch.nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
    is_close(norm, expected.detach())
    is_close(layer.weight.grad, theirs.weight.grad)


VIEWS = {
    "flattened": lambda x: x.reshape(-1),
    "in rows of another length": lambda x: x.reshape(6, 14),
    "turned": lambda x: x.transpose(0, 1),
    "a slice across a cut": lambda x: x[2:6],
    "every other": lambda x: x[1::2, ::3],
    "a row": lambda x: x[3],
    "halves": lambda x: x.chunk(2, 1)[1],
    "heads": lambda x: x.reshape(7, 3, 4).transpose(0, 1),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_view_across_a_cut_shows_and_takes_what_the_whole_does(group, torch, name, axis):
    array, view = numbers(7, 12), VIEWS[name]
    ours, theirs = cut(array, axis, group).clone(), torch.tensor(array)
    is_close(view(ours), view(theirs))
    view(ours).add_(1)
    view(theirs).copy_(view(theirs) + 1)
    is_close(ours, theirs)


@pytest.mark.parametrize("axis", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "layer",
    [
        lambda f, x, w: f.conv2d(x, w, padding=1),
        lambda f, x, w: f.conv2d(x, w, stride=2),
        lambda f, x, w: f.max_pool2d(x, 2),
        lambda f, x, w: f.avg_pool2d(x, 3, stride=1, padding=1),
    ],
    ids=["conv", "strided conv", "max_pool", "avg_pool"],
)
def test_convolution_and_pooling_along_any_cut_axis(group, torch, layer, axis):
    image, weight = numbers(5, 4, 7, 6), numbers(3, 4, 3, 3)
    x, w = cut(image, axis, group).requires_grad_(), copied(weight, group).requires_grad_()
    a, b = torch.tensor(image, requires_grad=True), torch.tensor(weight, requires_grad=True)
    found, expected = layer(F, x, w), layer(torch.nn.functional, a, b)
    is_close(found, expected.detach())
    (found * found).sum().backward()
    (expected * expected).sum().backward()
    is_close(x.grad, a.grad)
    if b.grad is not None:
        is_close(w.grad, b.grad)


HALO_LAYERS = {
    "conv": (lambda x, w: F.conv2d(x, w, padding=1), 3),
    "wide conv": (lambda x, w: F.conv2d(x, w, padding=2, dilation=2), 6),
    "max_pool": (lambda x, w: F.max_pool2d(x, 3, stride=1, padding=1), 3),
    "avg_pool": (lambda x, w: F.avg_pool2d(x, 3, stride=1, padding=1), 3),
}


@pytest.mark.parametrize("layer", HALO_LAYERS)
@pytest.mark.parametrize("axis", [2, 3])
def test_neighbours_exchange_the_borders_of_a_cut_image_and_not_the_image(group, layer, axis):
    compute, borders = HALO_LAYERS[layer]
    size = 48
    x, w = numbers(2, 3, size, size), numbers(4, 3, 3, 3)
    images, filters = cut(x, axis, group).requires_grad_(), copied(w, group).requires_grad_()
    row = x.nbytes // size
    # Each cut is passed by the rows on either side of it, once for each place in the window, and
    # the edges of the result are not where those of the image are.
    most = 2 * borders * row * (len(group) - 1)
    found = []
    assert travelled(lambda: found.append(compute(images, filters)) or found[0]) <= most
    assert most < x.nbytes
    assert gt.debug.placement(found[0]).startswith(f"shard({axis})")
    whole, own = gt.tensor(x).requires_grad_(), gt.tensor(w).requires_grad_()
    expected = compute(whole, own)
    is_close(found[0], expected.detach().numpy())
    weight = numbers(*expected.shape)
    (found[0] * gt.tensor(weight)).sum().backward()
    (expected * gt.tensor(weight)).sum().backward()
    is_close(images.grad, whole.grad.numpy())
    if own.grad is not None:
        is_close(filters.grad, own.grad.numpy())


def test_a_mean_over_uneven_parts_is_that_of_all_elements(group):
    x = cut(X, 0, group)
    is_close(x.mean(), X.mean())
    is_close(x.mean(0), X.mean(0))
    is_close(x.var(0), X.var(0, ddof=1))
    is_close(x.std(), X.std(ddof=1))


TIES = np.array([[1, 3, 3, 0, 3, 2, 3], [0, 0, 0, 0, 0, 0, 0], [5, 1, 2, 5, 5, 1, 1]], np.float32)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", ["argmax", "argmin", "max", "min"])
def test_of_equal_elements_the_first_counts_also_across_a_cut(group, torch, name, axis):
    array = TIES.T.copy() if axis == 0 else TIES
    x = cut(array, axis, group)
    found, expected = getattr(x, name)(axis), getattr(torch.tensor(array), name)(axis)
    if name in ("max", "min"):
        is_close(found[0], expected[0])
        found, expected = found[1], expected[1]
    assert found.tolist() == expected.tolist()
    if name.startswith("arg"):
        assert getattr(x, name)().item() == getattr(torch.tensor(array), name)().item()


def test_nan_is_the_extreme_also_across_a_cut(group, torch):
    array = TIES.copy()
    array[0, 5] = array[2, 2] = array[2, 6] = np.nan
    x, theirs = cut(array, 1, group), torch.tensor(array)
    for name in ("argmax", "argmin"):
        assert getattr(x, name)(1).tolist() == getattr(theirs, name)(1).tolist()
    np.testing.assert_array_equal(x.max(1)[0].numpy(), theirs.max(1)[0].numpy())
    assert x.max(1)[1].tolist() == theirs.max(1)[1].tolist()


def test_a_fused_projection_keeps_its_heads_where_they_are(group, torch):
    width, heads = 24, 12
    x, w = numbers(6, width), numbers(3 * width, width)
    weight = cut(w.reshape(3, heads, 2, width), 1, group).reshape(3 * width, width)
    ours, theirs = copied(x, group), torch.tensor(x)

    def attend(x, w):
        q, k, v = (x @ w.T).reshape(6, 3, heads, 2).permute(1, 2, 0, 3)
        return (q @ k.transpose(1, 2)).softmax(-1) @ v

    assert travelled(lambda: attend(ours, weight)) == 0
    assert gt.debug.placement(attend(ours, weight)).startswith("shard(0)")
    is_close(attend(ours, weight), attend(theirs, torch.tensor(w)))


def test_flattened_logits_stay_cut_along_the_batch(group, torch):
    logits, wanted = numbers(8, 5, 6), np.arange(40) % 6
    x = cut(logits, 0, group).requires_grad_()
    y = cut(wanted.reshape(8, 5), 0, group)
    assert travelled(lambda: F.cross_entropy(x.flatten(0, 1), y.flatten(), reduction="sum")) == 0
    loss = F.cross_entropy(x.flatten(0, 1), y.flatten())
    a = torch.tensor(logits, requires_grad=True)
    expected = torch.nn.functional.cross_entropy(a.flatten(0, 1), torch.tensor(wanted))
    is_close(loss, expected.detach())
    loss.backward()
    expected.backward()
    is_close(x.grad, a.grad)


def test_an_embedding_of_which_workers_have_some_rows_each_is_looked_up_where_they_are(
    group, torch
):
    table, index = numbers(50, 16), np.array([[3, 49, 0], [7, 7, 25]])
    weight = cut(table, 0, group).requires_grad_()
    places = copied(index, group)
    found = F.embedding(places, weight)
    a = torch.tensor(table, requires_grad=True)
    expected = torch.nn.functional.embedding(torch.tensor(index), a)
    is_close(found, expected.detach())
    (found * found).sum().backward()
    (expected * expected).sum().backward()
    is_close(weight.grad, a.grad)
    assert travelled(lambda: F.embedding(places, weight)) == 0
    assert gt.debug.placement(F.embedding(places, weight)).startswith("partial(sum)")
    with pytest.raises(IndexError):
        F.embedding(copied(np.array([50]), group), weight).tolist()


@pytest.mark.parametrize("value", [numbers(5, 4), np.float32(3)], ids=["parts", "a number"])
def test_what_is_written_by_index_goes_to_the_worker_that_has_the_place(group, torch, value):
    array, index = numbers(11, 4), np.array([3, -1, 0, 7, -11])
    x, places, written = cut(array, 0, group), copied(index, group), copied(value, group)

    def write() -> gt.Tensor:
        x[places] = written
        return x

    assert travelled(write) == 0
    assert gt.debug.placement(x).startswith("shard(0)")
    expected = torch.tensor(array)
    # Of several values for a place any may be PyTorch's, so that the last is written by hand.
    for place, row in zip(index, np.broadcast_to(value, (5, 4)), strict=True):
        expected[place] = torch.tensor(row)
    is_close(x, expected)
    with pytest.raises(IndexError):
        x[copied(np.array([0, 11]), group)].tolist()


SEARCHES = {
    "argmax": lambda x: (x.argmax(1),),
    "max": lambda x: x.max(1),
    "min": lambda x: x.min(1),
    "topk": lambda x: x.topk(3, 1),
    "the smallest": lambda x: x.topk(4, 1, largest=False),
}


@pytest.mark.parametrize("size", [2400, 2399, 997])
@pytest.mark.parametrize("name", SEARCHES)
def test_extremes_along_a_cut_axis_are_exchanged_and_not_the_elements(group, torch, name, size):
    array, search = numbers(4, size), SEARCHES[name]
    x = cut(array, 1, group)
    assert travelled(lambda: search(x)[0]) < array.nbytes * (len(group) - 1) / 2
    for found, expected in zip(search(x), search(torch.tensor(array)), strict=True):
        assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("largest", [True, False])
def test_of_equal_extremes_along_a_cut_axis_the_first_counts(group, largest):
    # The last 14 of 950 are behind 24 blocks, and some of the extremes lie there. PyTorch does not
    # say which of equal elements it finds; a sort that keeps their order does.
    array = np.arange(950, dtype=np.float32) % 5
    array[[100, 940, 949]] = np.nan
    values, places = cut(array, 0, group).topk(7, largest=largest)
    expected = np.argsort(-array if largest else array, kind="stable")
    if largest:
        expected = [100, 940, 949, *expected]
    assert places.tolist() == list(expected[:7])
    np.testing.assert_array_equal(values.numpy(), array[expected[:7]])


def test_a_sort_along_a_cut_axis_moves_each_element_once(group, torch):
    array = numbers(16, 1000)
    array[3, 10:20], array[4, 5] = 1.0, np.nan
    x = cut(array, 1, group)
    parts = len(group)
    assert travelled(lambda: x.sort(1)[0]) <= array.nbytes * (parts - 1) / parts
    assert gt.debug.placement(x.sort(1)[0]).startswith("shard(0)")
    expected = torch.tensor(array).sort(dim=1, stable=True)
    for found, wanted in zip(x.sort(dim=1, stable=True), expected, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


@pytest.mark.parametrize("make", [gt.zeros_like, gt.ones_like, gt.randn_like])
def test_what_is_made_like_another_lies_beside_it(group, make):
    x = cut(X, 1, group)
    assert travelled(lambda: make(x)) == 0
    assert gt.debug.placement(make(x)) == gt.debug.placement(x)


IN_BLOCKS = {
    "below the diagonal": lambda x: x.tril(),
    "above the diagonal": lambda x: x.triu(-3),
    "a slice": lambda x: x[5:17],
    "a number for each place": lambda x: x + x.new_ones(24).cumsum(0)[:, None],
    "a column": lambda x: x[:, 2] * x.sum(1),
    "turned": lambda x: x.T.exp(),
    "turned round": lambda x: x.flip(0),
    "in order": lambda x: x.sort(0)[0],
    "the mean": lambda x: x.mean(0),
    "in rows of another length": lambda x: x.reshape(12, 10),
}


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_a_cut_in_blocks_changes_no_result(group, torch, name):
    array, compute = numbers(24, 5), IN_BLOCKS[name]
    x = cut(array.reshape(3, 8, 5), 1, group).reshape(24, 5)
    assert gt.debug.placement(x).startswith("shard(0 in 3 blocks)")
    is_close(compute(x), compute(torch.tensor(array)))
