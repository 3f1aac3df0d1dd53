"""Attention that sees nothing: a query without keys gets zeros, and so does its gradient."""

import gt
import numpy as np
import pytest
from gt import nn
from placements import named, register

F = nn.functional
INF = float("inf")


def inputs(queries: int = 4, keys: int = 5, heads: int = 2) -> list[np.ndarray]:
    random = np.random.default_rng([queries, keys])
    shapes = [(2, heads, queries, 3), (2, heads, keys, 3), (2, heads, keys, 6)]
    return [random.normal(size=shape).astype(np.float32) for shape in shapes]


def attended(arrays, mask, place=lambda x: x, **options):
    """The result of attention, and the gradients by queries, keys and values."""
    leaves = [gt.tensor(array).requires_grad_() for array in arrays]
    result = F.scaled_dot_product_attention(*map(place, leaves), mask, **options)
    (result * gt.arange(6.0)).sum().backward()
    return [result.detach().numpy(), *(leaf.grad.numpy() for leaf in leaves)]


def masks(queries: int, keys: int) -> dict[str, np.ndarray]:
    """Masks that hide all keys from some queries."""
    seen = np.random.default_rng(3).random((queries, keys)) < 0.6
    seen[1] = False
    hidden = np.where(seen, 0.0, -INF).astype(np.float32)
    padding = np.zeros((2, 1, 1, keys), bool)
    padding[0] = True
    return {"bool": seen, "-inf": hidden, "padding": padding}


def expected(query, key, value, seen):
    """The same with NumPy, where `seen` says what is."""
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    seen = np.broadcast_to(seen, scores.shape)
    scores = np.where(seen, scores, -INF)
    largest = np.where(seen.any(-1, keepdims=True), scores.max(-1, keepdims=True), 0)
    weights = np.exp(scores - largest)
    return weights / np.maximum(weights.sum(-1, keepdims=True), 1e-30) @ value


@pytest.mark.parametrize("kind", ["bool", "-inf", "padding"])
def test_a_query_that_sees_nothing_gets_zeros(kind):
    arrays, mask = inputs(), masks(4, 5)[kind]
    result, *gradients = attended(arrays, gt.tensor(mask))
    seen = mask if mask.dtype == bool else mask == 0
    np.testing.assert_allclose(result, expected(*arrays, seen), atol=1e-5)
    blind = ~np.broadcast_to(seen, (2, 2, 4, 5)).any(-1)
    assert blind.any()
    assert (result[blind] == 0).all()
    assert (gradients[0][blind] == 0).all()
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_all_keys_hidden_by_their_products():
    # Infinite keys hide themselves without a mask, in one piece and in pieces, causal or not.
    for queries, keys, causal in [(4, 5, False), (4, 5, True), (5, 4, True), (70, 3, True)]:
        query, key, value = inputs(queries, keys)
        query[..., 1, :], key[...] = 1e30, -1e30
        leaves = [gt.tensor(array).requires_grad_() for array in (query, key, value)]
        result = F.scaled_dot_product_attention(*leaves, is_causal=causal)
        result.sum().backward()
        assert (result[..., 1, :] == 0).all(), (queries, keys, causal)
        assert leaves[2].grad.isfinite().all()
        assert leaves[0].grad[..., 1, :].isfinite().all()
        halves = [gt.tensor(array.clip(-6e4, 6e4)).half() for array in (query, key, value)]
        result = F.scaled_dot_product_attention(*halves, is_causal=causal)
        assert (result[..., 1, :] == 0).all(), (queries, keys, causal)


@pytest.mark.parametrize("kind", ["bool", "-inf", "padding"])
@pytest.mark.parametrize("axis", [0, 1, 2, 3])
def test_a_query_that_sees_nothing_gets_zeros_where_it_is_sharded(kind, axis):
    arrays, mask = inputs(), masks(4, 5)[kind]
    whole = attended(arrays, gt.tensor(mask))
    with gt.connect(workers=2, new=True):
        register([[0, 1]])
        name = named(f"axis {axis}", [0, 1])
        parts = attended(arrays, gt.tensor(mask), lambda x: gt.signal.tensor(x, name))
    for part, one in zip(parts, whole, strict=True):
        assert np.isfinite(part).all()
        np.testing.assert_allclose(part, one, atol=1e-5)


def test_layers_with_a_sample_of_padding_only():
    for layer in (
        nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True),
        nn.MultiheadAttention(8, 2, batch_first=True),
    ):
        x = gt.randn(3, 4, 8, requires_grad=True)
        padding = gt.tensor([[False] * 4, [True] * 4, [False, False, True, True]])
        if isinstance(layer, nn.MultiheadAttention):
            found = [
                layer(x, x, x, key_padding_mask=padding, need_weights=need)[0] for need in (0, 1)
            ]
            result = found[0] + found[1]
        else:
            result = layer(x, src_key_padding_mask=padding)
        result.square().sum().backward()
        assert result.isfinite().all()
        assert x.grad.isfinite().all()
        assert all(p.grad.isfinite().all() for p in layer.parameters())


def test_masked_attention_is_that_of_pytorch(torch):
    arrays = inputs()
    for kind, mask in masks(4, 5).items():
        mine = attended(arrays, gt.tensor(mask))
        leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
        result = torch.nn.functional.scaled_dot_product_attention(*leaves, torch.tensor(mask))
        (result * torch.arange(6.0)).sum().backward()
        theirs = [result.detach().numpy(), *(leaf.grad.numpy() for leaf in leaves)]
        for one, other in zip(mine, theirs, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-5, err_msg=kind)


def test_padded_layers_are_those_of_pytorch(torch):
    options = {"dropout": 0.0, "batch_first": True}
    theirs = torch.nn.TransformerEncoderLayer(8, 2, 16, **options)
    mine = nn.TransformerEncoderLayer(8, 2, 16, **options)
    mine.load_state_dict({name: gt.tensor(x.numpy()) for name, x in theirs.state_dict().items()})
    x = np.random.default_rng(5).normal(size=(3, 4, 8)).astype(np.float32)
    padding = [[False] * 4, [True] * 4, [False, False, True, True]]
    one, other = gt.tensor(x).requires_grad_(), torch.tensor(x, requires_grad=True)
    result = mine(one, src_key_padding_mask=gt.tensor(padding))
    expected = theirs(other, src_key_padding_mask=torch.tensor(padding))
    result.sin().sum().backward()
    expected.sin().sum().backward()
    np.testing.assert_allclose(result.detach().numpy(), expected.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(one.grad.numpy(), other.grad.numpy(), atol=1e-5)


def test_a_softmax_of_nothing_but_minus_infinity_stays_nan():
    row = gt.full((2, 3), -INF)
    assert row.softmax(-1).isnan().all()
    assert gt.safe_softmax(row, -1).tolist() == [[0.0] * 3] * 2
    assert gt.safe_softmax(row.T.contiguous(), 0).tolist() == [[0.0] * 2] * 3
    nan = gt.tensor([[float("nan"), -INF]])
    assert gt.safe_softmax(nan, -1).isnan().all()
