"""What a program written for PyTorch takes for granted, where it would be easy to mean less."""

import gt
import numpy as np
import pytest

RANDOM = np.random.default_rng(5)


def both(torch, *shape):
    array = RANDOM.uniform(-1, 1, shape)
    return gt.tensor(array), torch.tensor(array)


@pytest.mark.parametrize("name", ["relu", "leaky_relu", "elu", "silu"])
def test_activations_write_into_their_argument_if_asked(torch, name):
    ours, theirs = both(torch, 3, 4)
    for m, x in ((gt, ours), (torch, theirs)):
        result = getattr(m.nn.functional, name)(x, inplace=True)
        assert result is x
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-12)


@pytest.mark.parametrize("layer", ["LeakyReLU", "ELU", "SiLU"])
def test_layers_that_write_into_their_argument_have_its_gradient(torch, layer):
    grads = []
    start = RANDOM.uniform(-1, 1, (3, 4))
    for m in (gt, torch):
        x = m.tensor(start, requires_grad=True)
        y = x * 2
        assert getattr(m.nn, layer)(inplace=True)(y) is y
        (y * y).sum().backward()
        grads.append(x.grad.numpy())
    np.testing.assert_allclose(*grads, rtol=1e-10)
    assert "inplace=True" in repr(getattr(gt.nn, layer)(inplace=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 3, 4), (2, 2, 3, 2)])
def test_softmax_without_an_axis_takes_the_one_that_pytorch_takes(torch, shape):
    ours, theirs = both(torch, *shape)
    for name in ("softmax", "log_softmax"):
        mine, expected = (
            getattr(m.nn.functional, name)(x) for m, x in ((gt, ours), (torch, theirs))
        )
        np.testing.assert_allclose(mine.numpy(), expected.numpy(), rtol=1e-12)
    np.testing.assert_allclose(gt.nn.Softmax()(ours), torch.nn.Softmax()(theirs), rtol=1e-12)


def test_softmax_without_an_axis_warns():
    with pytest.warns(UserWarning, match="dim"):
        gt.nn.functional.softmax(gt.ones(2, 2))


@pytest.mark.parametrize("target", ["float64", gt.float64, gt.ones(1, dtype=gt.float64)])
def test_a_module_takes_a_dtype_in_every_way_a_tensor_does(target):
    module = gt.nn.BatchNorm1d(2)
    assert module.to(target).weight.dtype == gt.float64
    assert module.num_batches_tracked.dtype == gt.int64
    assert gt.nn.Linear(2, 2).to(dtype="float16").weight.dtype == gt.float16
    assert gt.nn.Linear(2, 2).to("cpu").weight.dtype == gt.float32


def test_a_module_does_not_become_whole_numbers():
    with pytest.raises(TypeError):
        gt.nn.Linear(2, 2).to(gt.int64)


LOSSES = ["mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy", "nll_loss", "kl_div"]
OLD = [(None, None), (True, None), (False, None), (None, False), (True, False), (False, True)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("old", OLD, ids=str)
@pytest.mark.parametrize("name", LOSSES)
def test_losses_know_the_words_of_older_programs(torch, name, old):
    x = RANDOM.uniform(0.1, 0.9, (4, 3))
    y = RANDOM.integers(0, 3, 4) if name == "nll_loss" else RANDOM.uniform(0.1, 0.9, (4, 3))
    average, reduce = old
    found = [
        getattr(m.nn.functional, name)(
            m.tensor(x), m.tensor(y), size_average=average, reduce=reduce
        ).numpy()
        for m in (gt, torch)
    ]
    np.testing.assert_allclose(*found, rtol=1e-10)


def test_layers_of_losses_know_them_too(torch):
    for name in ("MSELoss", "BCELoss", "CrossEntropyLoss", "KLDivLoss", "BCEWithLogitsLoss"):
        assert getattr(gt.nn, name)(size_average=False).reduction == "sum"
        assert getattr(gt.nn, name)(reduce=False).reduction == "none"
    with pytest.raises(TypeError, match="reduction='sum'"):
        gt.nn.MSELoss("sum")


def test_losses_of_unlike_sizes_are_noticed():
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        with pytest.warns(UserWarning, match="broadcast"):
            getattr(gt.nn.functional, name)(gt.ones(3, 1), gt.ones(3))
    for name in ("binary_cross_entropy", "binary_cross_entropy_with_logits"):
        with pytest.raises(ValueError, match="size"):
            getattr(gt.nn.functional, name)(gt.ones(3, 1), gt.ones(3))


def test_every_layer_with_parameters_can_be_reset():
    layers = [
        *(gt.nn.Linear(2, 3), gt.nn.Bilinear(2, 3, 4), gt.nn.Embedding(4, 2)),
        *(gt.nn.Conv1d(2, 3, 3), gt.nn.Conv2d(2, 3, 3), gt.nn.ConvTranspose2d(2, 3, 3)),
        *(gt.nn.LayerNorm(3), gt.nn.RMSNorm(3), gt.nn.GroupNorm(1, 3), gt.nn.BatchNorm2d(3)),
    ]
    for layer in layers:
        with gt.no_grad():
            [parameter.fill_(77.0) for parameter in layer.parameters()]
        layer.reset_parameters()
        assert all(p.abs().max().item() < 10 for p in layer.parameters()), layer


def test_a_causal_hint_without_a_mask_is_refused(torch):
    for m in (gt, torch):
        x = m.ones(2, 3, 4)
        attention = m.nn.MultiheadAttention(4, 2)
        with pytest.raises(RuntimeError):
            attention(x, x, x, is_causal=True, need_weights=False)
    layer = gt.nn.TransformerEncoderLayer(4, 2, 8)
    with pytest.raises(RuntimeError):
        layer(gt.ones(2, 3, 4), is_causal=True)


@pytest.mark.parametrize("mode", ["no_grad", "enable_grad", "inference_mode"])
def test_modes_decorate_with_and_without_parentheses(torch, mode):
    for m in (gt, torch):
        asked = []

        def ask(m=m):
            return m.is_grad_enabled()

        with m.no_grad():
            asked += [getattr(m, mode)(ask)(), getattr(m, mode)()(ask)()]
        asked += [getattr(m, mode)(ask)(), getattr(m, mode)()(ask)()]
        assert asked == [mode == "enable_grad"] * 4


def test_what_is_thrown_into_a_decorated_generator_arrives():
    seen = []

    @gt.no_grad()
    def numbers():
        try:
            yield 1
        except KeyError:
            seen.append(gt.is_grad_enabled())
            yield 2

    steps = numbers()
    assert next(steps) == 1
    assert steps.throw(KeyError("x")) == 2
    assert seen == [False]
    assert gt.is_grad_enabled()


@pytest.mark.parametrize("index", [[-1], [3], [0, -3]])
def test_a_table_has_no_rows_before_its_first(torch, index):
    for m in (gt, torch):
        with pytest.raises(IndexError):
            m.nn.functional.embedding(m.tensor(index), m.ones(3, 2)).tolist()


def test_a_table_is_looked_up_in_any_shape(torch):
    for shape in [(), (0,), (4,), (2, 3)]:
        index = RANDOM.integers(0, 5, shape)
        ours, theirs = both(torch, 5, 2)
        found = [
            m.nn.functional.embedding(m.tensor(index), w) for m, w in ((gt, ours), (torch, theirs))
        ]
        np.testing.assert_array_equal(*(f.numpy() for f in found))
