"""Layers and losses, with PyTorch as the oracle: same weights, same results, same gradients."""

import copy
import math
import pickle
from collections import OrderedDict

import gt
import numpy as np
import pytest
from chance import SIGMAS

RANDOM = np.random.default_rng(11)


def arrays(*shapes):
    return [RANDOM.uniform(-1, 1, shape) for shape in shapes]


# A module's name, its arguments, and the shapes of its inputs.
LAYERS = {
    "Linear": ("Linear", (3, 4), {}, [(5, 3)]),
    "Linear without bias": ("Linear", (3, 4), {"bias": False}, [(2, 5, 3)]),
    "Linear of a vector": ("Linear", (3, 4), {}, [(3,)]),
    "Bilinear": ("Bilinear", (3, 4, 5), {}, [(2, 3), (2, 4)]),
    "LayerNorm": ("LayerNorm", (4,), {}, [(3, 4)]),
    "LayerNorm of two axes": ("LayerNorm", ((3, 4),), {"eps": 1e-3}, [(2, 3, 4)]),
    "RMSNorm": ("RMSNorm", (4,), {}, [(3, 4)]),
    "GroupNorm": ("GroupNorm", (2, 4), {}, [(3, 4, 5)]),
    "BatchNorm1d": ("BatchNorm1d", (4,), {}, [(5, 4)]),
    "BatchNorm1d of sequences": ("BatchNorm1d", (4,), {"momentum": None}, [(5, 4, 3)]),
    "BatchNorm2d": ("BatchNorm2d", (3,), {}, [(2, 3, 4, 4)]),
    "BatchNorm2d plain": ("BatchNorm2d", (3,), {"affine": False}, [(2, 3, 4, 4)]),
    "BatchNorm without memory": (
        "BatchNorm1d",
        (4,),
        {"track_running_stats": False},
        [(5, 4)],
    ),
    "Conv1d": ("Conv1d", (4, 6, 3), {"stride": 2, "padding": 1, "groups": 2}, [(2, 4, 9)]),
    "Conv1d same": ("Conv1d", (4, 6, 4), {"padding": "same", "dilation": 2}, [(2, 4, 9)]),
    "Conv2d": ("Conv2d", (3, 5, 3), {}, [(2, 3, 6, 7)]),
    "Conv2d strided": (
        "Conv2d",
        (4, 6, (3, 2)),
        {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2},
        [(2, 4, 8, 7)],
    ),
    "Conv2d of one image": ("Conv2d", (3, 5, 3), {"bias": False}, [(3, 6, 7)]),
    "ConvTranspose2d": ("ConvTranspose2d", (3, 5, 3), {}, [(2, 3, 4, 5)]),
    "ConvTranspose2d strided": (
        "ConvTranspose2d",
        (4, 6, 3),
        {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2},
        [(2, 4, 4, 3)],
    ),
    "MaxPool2d": ("MaxPool2d", (2,), {}, [(2, 3, 6, 7)]),
    "MaxPool2d padded": ("MaxPool2d", (3,), {"stride": 2, "padding": 1}, [(2, 3, 7, 7)]),
    "MaxPool2d ceil": ("MaxPool2d", (3,), {"stride": 2, "ceil_mode": True}, [(1, 2, 6, 8)]),
    "MaxPool2d dilated": ("MaxPool2d", (2,), {"stride": 1, "dilation": 2}, [(1, 2, 6, 6)]),
    "AvgPool2d": ("AvgPool2d", (2,), {}, [(2, 3, 6, 7)]),
    "AvgPool2d ceil": ("AvgPool2d", (3,), {"stride": 2, "ceil_mode": True}, [(1, 2, 6, 8)]),
    "AvgPool2d ceil padded": (
        "AvgPool2d",
        ((3, 2),),
        {"stride": (2, 3), "padding": 1, "ceil_mode": True},
        [(2, 2, 7, 6)],
    ),
    "AvgPool2d ceil without padding": (
        "AvgPool2d",
        (3,),
        {"stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False},
        [(2, 2, 8, 6)],
    ),
    "AvgPool2d ceil divided": (
        "AvgPool2d",
        (3,),
        {"stride": 2, "ceil_mode": True, "divisor_override": 5},
        [(2, 6, 8)],
    ),
    "AvgPool2d padded": (
        "AvgPool2d",
        (3,),
        {"stride": 2, "padding": 1, "count_include_pad": False},
        [(2, 3, 7, 7)],
    ),
    "AdaptiveAvgPool2d": ("AdaptiveAvgPool2d", ((3, 2),), {}, [(2, 3, 7, 5)]),
    "AdaptiveAvgPool2d to one": ("AdaptiveAvgPool2d", (1,), {}, [(2, 3, 7, 5)]),
    "Flatten": ("Flatten", (), {}, [(2, 3, 4)]),
    "Unflatten": ("Unflatten", (1, (2, 3)), {}, [(2, 6)]),
    "Identity": ("Identity", (), {}, [(2, 3)]),
    "ReLU": ("ReLU", (), {}, [(2, 3)]),
    "LeakyReLU": ("LeakyReLU", (0.2,), {}, [(2, 3)]),
    "ELU": ("ELU", (0.5,), {}, [(2, 3)]),
    "GELU": ("GELU", (), {}, [(2, 3)]),
    "GELU tanh": ("GELU", ("tanh",), {}, [(2, 3)]),
    "SiLU": ("SiLU", (), {}, [(2, 3)]),
    "Softplus": ("Softplus", (2.0,), {}, [(2, 3)]),
    "Tanh": ("Tanh", (), {}, [(2, 3)]),
    "Sigmoid": ("Sigmoid", (), {}, [(2, 3)]),
    "Softmax": ("Softmax", (1,), {}, [(2, 3)]),
    "LogSoftmax": ("LogSoftmax", (0,), {}, [(2, 3)]),
    "Dropout off": ("Dropout", (0.0,), {}, [(2, 3)]),
    "LSTM": ("LSTM", (3, 4), {}, [(5, 2, 3)]),
    "LSTM deep": (
        "LSTM",
        (3, 4),
        {"num_layers": 2, "bidirectional": True, "batch_first": True},
        [(2, 5, 3)],
    ),
    "LSTM alone": ("LSTM", (3, 4), {"bias": False}, [(5, 3)]),
    "LSTM long": ("LSTM", (2, 3), {"bidirectional": True}, [(131, 2, 2)]),
    "GRU": ("GRU", (3, 4), {}, [(5, 2, 3)]),
    "GRU deep": ("GRU", (3, 4), {"num_layers": 2, "bidirectional": True}, [(5, 2, 3)]),
    "MultiheadAttention": ("MultiheadAttention", (8, 2), {}, [(4, 2, 8)] * 3),
    "MultiheadAttention other sizes": (
        "MultiheadAttention",
        (8, 2),
        {"kdim": 3, "vdim": 5, "batch_first": True},
        [(2, 4, 8), (2, 6, 3), (2, 6, 5)],
    ),
    "TransformerEncoderLayer": (
        "TransformerEncoderLayer",
        (8, 2, 16),
        {"dropout": 0.0, "batch_first": True},
        [(2, 4, 8)],
    ),
    "TransformerEncoderLayer first": (
        "TransformerEncoderLayer",
        (8, 2, 16),
        {"dropout": 0.0, "norm_first": True, "activation": "gelu"},
        [(4, 2, 8)],
    ),
}


def flat(result):
    if isinstance(result, tuple | list):
        return [tensor for part in result for tensor in flat(part)]
    return [] if result is None else [result]


def same(ours, theirs, tolerance=1e-9):
    assert (ours is None) == (theirs is None)
    if ours is not None:
        expected = theirs.detach().numpy()
        np.testing.assert_allclose(ours.detach().numpy(), expected, tolerance, tolerance)


def twins(torch, name):
    """The same module on both sides, in float64 with the same weights."""
    kind, args, options, _ = LAYERS[name]
    theirs = getattr(torch.nn, kind)(*args, **options).double()
    ours = getattr(gt.nn, kind)(*args, **options).double()
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    return ours, theirs


def run(module, layer, inputs):
    made = [module.tensor(array, requires_grad=True) for array in inputs]
    results = flat(layer(*made))
    weights = [module.tensor(np.cos(np.arange(r.numel())).reshape(tuple(r.shape))) for r in results]
    loss = sum((r * w).sum() for r, w in zip(results, weights, strict=True))
    loss.backward()
    return results, made


@pytest.mark.parametrize("name", LAYERS)
def test_layers_agree_with_pytorch(torch, name):
    ours, theirs = twins(torch, name)
    inputs = arrays(*LAYERS[name][3])
    for _ in range(2):
        mine, expected = run(gt, ours, inputs), run(torch, theirs, inputs)
        for a, b in zip(flat(mine), flat(expected), strict=True):
            same(a, b)
        for a, b in zip(mine[1], expected[1], strict=True):
            same(a.grad, b.grad)
    for (key, a), (other, b) in zip(
        ours.named_parameters(), theirs.named_parameters(), strict=True
    ):
        assert key == other
        same(a.grad, b.grad)
    for (key, a), (other, b) in zip(
        ours.state_dict().items(), theirs.state_dict().items(), strict=True
    ):
        assert key == other
        same(a, b)


@pytest.mark.parametrize("name", [name for name in LAYERS if "Norm" in name])
def test_evaluation_agrees_with_pytorch(torch, name):
    ours, theirs = twins(torch, name)
    inputs = arrays(*LAYERS[name][3])
    run(gt, ours, inputs), run(torch, theirs, inputs)
    ours.eval(), theirs.eval()
    for a, b in zip(run(gt, ours, inputs)[0], run(torch, theirs, inputs)[0], strict=True):
        same(a, b)


@pytest.mark.parametrize("name", LAYERS)
def test_modules_read_as_in_pytorch(torch, name):
    ours, theirs = twins(torch, name)
    if "Transformer" in name or "Attention" in name or "Softplus" in name:
        assert repr(ours).startswith(repr(theirs).split("(")[0])
    else:
        assert repr(ours) == repr(theirs)


@pytest.mark.parametrize("name", ["Linear", "Conv2d", "LSTM", "Embedding", "MultiheadAttention"])
def test_first_values_have_the_distribution_of_pytorch(torch, name):
    sizes = {"Linear": (64, 64), "Conv2d": (16, 32, 3), "LSTM": (32, 32)}
    args = sizes.get(name, (512, 64) if name == "Embedding" else (64, 4))
    # A bias has few elements, and many layers have many.
    ours, theirs = (
        [dict(getattr(m.nn, name)(*args).named_parameters()) for _ in range(40)]
        for m in (gt, torch)
    )
    assert list(ours[0]) == list(theirs[0])
    for key in ours[0]:
        a, b = (
            np.array([layer[key].detach().numpy() for layer in made]) for made in (ours, theirs)
        )
        spread, error = b.std(), SIGMAS * b.std() / np.sqrt(b.size)
        assert abs(a.std() - spread) < error + 1e-12, key
        assert abs(a.mean()) < error + 1e-12, key
        assert abs(np.abs(a).max() - np.abs(b).max()) < 0.5 * np.abs(b).max() + 1e-12, key


PAIR = [(4, 3), (4, 3)]
LOSSES = {
    "mse": ("mse_loss", {}),
    "l1": ("l1_loss", {}),
    "smooth l1": ("smooth_l1_loss", {"beta": 0.3}),
    "huber": ("huber_loss", {"delta": 0.4}),
    "binary": ("binary_cross_entropy", {}),
    "logits": ("binary_cross_entropy_with_logits", {}),
    "kl": ("kl_div", {}),
    "kl of logs": ("kl_div", {"log_target": True}),
}


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_agree_with_pytorch(torch, name, reduction):
    function, options = LOSSES[name]
    x, y = arrays(*PAIR)
    if name == "binary":
        x, y = (x + 1) / 2, (y + 1) / 2
    if name == "kl":
        y = np.abs(y) * (y > -0.3)
    found = []
    for module in (gt, torch):
        a, b = (module.tensor(v, requires_grad=True) for v in (x, y))
        loss = getattr(module.nn.functional, function)(a, b, reduction=reduction, **options)
        (loss * loss).sum().backward()
        found.append([loss, a.grad, None if name == "kl" else b.grad])
    for mine, expected in zip(*found, strict=True):
        same(mine, expected)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("smoothing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 4), (3,)], ids=str)
def test_cross_entropy_agrees_with_pytorch(torch, shape, weighted, smoothing, reduction):
    (x, weight) = arrays(shape, (3,))
    classes = RANDOM.integers(0, 3, shape[:1] + shape[2:] if len(shape) > 1 else ())
    if classes.size > 1:
        classes[0] = 1
        classes.reshape(-1)[-1] = -100
    chances = RANDOM.dirichlet(np.ones(3), 1) * np.ones((1, 3))
    for target in (classes, np.broadcast_to(chances.reshape(3), (*shape[:1], 3)).copy()):
        if target.dtype == np.float64 and len(shape) != 2:
            continue
        found = []
        for module in (gt, torch):
            a = module.tensor(x, requires_grad=True)
            w = module.tensor(np.abs(weight)) if weighted else None
            loss = module.nn.functional.cross_entropy(
                a, module.tensor(target), w, reduction=reduction, label_smoothing=smoothing
            )
            loss.sum().backward()
            found.append([loss, a.grad])
        for mine, expected in zip(*found, strict=True):
            same(mine, expected)


def test_ignored_targets_may_have_infinite_logits(torch):
    found = []
    for module in (gt, torch):
        x = module.tensor([[0.0, -math.inf], [1.0, 2.0]], requires_grad=True)
        target = module.tensor([-100, 1])
        loss = module.nn.functional.cross_entropy(x, target)
        found.append(loss)
    same(*found, tolerance=1e-6)


def test_losses_are_modules_too():
    x, y = gt.ones(2, 3), gt.zeros(2, 3)
    for name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss"):
        assert getattr(gt.nn, name)()(x, y).shape == ()
    assert gt.nn.CrossEntropyLoss()(x, gt.tensor([0, 1])).item() == pytest.approx(math.log(3))
    assert gt.nn.NLLLoss()(x, gt.tensor([0, 1])).item() == -1.0
    assert gt.nn.BCELoss()(x, y).item() == 100.0
    assert gt.nn.KLDivLoss(reduction="batchmean")(y, x).item() == 0.0


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("mask", [None, "bool", "float"])
def test_attention_agrees_with_pytorch(torch, causal, mask):
    if causal and mask:
        return
    q, k, v, added = arrays((2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 6), (4, 5))
    found = []
    for module in (gt, torch):
        inputs = [module.tensor(x, requires_grad=True) for x in (q, k, v)]
        given = None
        if mask is not None:
            given = module.tensor(added > -0.5 if mask == "bool" else added)
        attend = module.nn.functional.scaled_dot_product_attention
        result = attend(*inputs, attn_mask=given, is_causal=causal)
        (result * result).sum().backward()
        found.append([result, *(x.grad for x in inputs)])
    for mine, expected in zip(*found, strict=True):
        same(mine, expected)


def test_attention_with_masks_agrees_with_pytorch(torch):
    ours, theirs = twins(torch, "MultiheadAttention")
    (x,) = arrays((4, 2, 8))
    padding = np.array([[False, False, True, True], [False] * 4])
    causal = np.triu(np.ones((4, 4), bool), 1)
    found = []
    for module, layer in ((gt, ours), (torch, theirs)):
        given = module.tensor(x, requires_grad=True)
        result, weights = layer(
            given,
            given,
            given,
            key_padding_mask=module.tensor(padding),
            attn_mask=module.tensor(causal),
        )
        (result * result).sum().backward()
        found.append([result, weights, given.grad])
    for mine, expected in zip(*found, strict=True):
        same(mine, expected)


def test_embeddings_agree_with_pytorch(torch):
    (table,) = arrays((7, 3))
    index = RANDOM.integers(0, 7, (4, 5))
    found = []
    for module in (gt, torch):
        layer = module.nn.Embedding(7, 3, padding_idx=2).double()
        layer.load_state_dict({"weight": module.tensor(table)})
        result = layer(module.tensor(index))
        (result**2).sum().backward()
        found.append([result, layer.weight.grad])
    for mine, expected in zip(*found, strict=True):
        same(mine, expected)


def test_dropout_keeps_the_mean_and_rests_in_evaluation():
    gt.manual_seed(0)
    x = gt.ones(200, 200, requires_grad=True)
    layer = gt.nn.Dropout(0.25)
    dropped = layer(x)
    values = dropped.detach().numpy()
    assert set(np.unique(values)) == {np.float32(0), np.float32(1) / np.float32(0.75)}
    assert abs(values.mean() - 1) < 0.02
    dropped.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), values)
    assert layer.eval()(x).detach().numpy().min() == 1.0


class Net(gt.nn.Module):
    """A module of modules."""

    def __init__(self):
        super().__init__()
        self.first = gt.nn.Linear(3, 4)
        self.rest = gt.nn.Sequential(gt.nn.ReLU(), gt.nn.BatchNorm1d(4), gt.nn.Linear(4, 2))
        self.shared = self.first
        self.scale = gt.nn.Parameter(gt.ones(1))
        self.register_buffer("count", gt.zeros(()), persistent=False)

    def forward(self, x):
        return self.rest(self.first(x)) * self.scale


def test_parts_are_found_by_name():
    net = Net()
    names = [name for name, _ in net.named_parameters()]
    assert names == [
        "scale",
        "first.weight",
        "first.bias",
        "rest.1.weight",
        "rest.1.bias",
        "rest.2.weight",
        "rest.2.bias",
    ]
    assert [name for name, _ in net.named_modules()][:3] == ["", "first", "rest"]
    assert "count" not in net.state_dict()
    assert net.get_submodule("rest.2") is net.rest[2]
    assert net.get_parameter("rest.2.bias") is net.rest[2].bias
    assert next(net.parameters()) is net.scale
    assert len(net.first.parameters() + net.rest.parameters()) == 6
    del net.scale
    assert "scale" not in dict(net.named_parameters())


def test_states_share_elements_and_can_be_loaded():
    net, other = Net(), Net()
    state = net.state_dict()
    with gt.no_grad():
        net.scale.fill_(3)
    assert state["scale"].tolist() == [3.0]
    assert repr(other.load_state_dict(state)) == "<All keys matched successfully>"
    x = gt.randn(5, 3)
    assert net(x).tolist() == other(x).tolist()
    del state["scale"]
    state["extra"] = gt.ones(1)
    with pytest.raises(RuntimeError, match=r"scale.*extra"):
        other.load_state_dict(state)
    found = other.load_state_dict(state, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (
        ["scale", "shared.weight"][:1],
        ["extra"],
    )
    state["first.bias"] = gt.ones(9)
    with pytest.raises(RuntimeError, match=r"first\.bias.*\(9,\).*\(4,\)"):
        other.load_state_dict(state, strict=False)


def test_modules_can_be_copied_and_pickled():
    net = Net()
    for twin in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert twin.shared is twin.first
        assert isinstance(twin.first.weight, gt.nn.Parameter)
        x = gt.randn(4, 3)
        assert twin.eval()(x).tolist() == net.eval()(x).tolist()
        with gt.no_grad():
            twin.scale.zero_()
        assert net.scale.tolist() == [1.0]


def test_modules_change_their_dtype():
    net = Net().double()
    assert {p.dtype.name for p in net.parameters()} == {"float64"}
    assert net.rest[1].num_batches_tracked.dtype == gt.int64
    assert net.shared.weight is net.first.weight
    assert net.to(gt.bfloat16).scale.dtype == gt.bfloat16
    assert net.float().to("cpu").scale.dtype == gt.float32


def test_training_and_gradients_are_switched_for_all():
    net = Net()
    assert not any(module.training for module in net.eval().modules())
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    net.train().requires_grad_()
    net(gt.randn(4, 3)).sum().backward()
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())


def test_hooks_are_called_around_forward_and_backward():
    net, seen = gt.nn.Linear(2, 2), []
    before = net.register_forward_pre_hook(lambda module, args: (args[0] * 2,))
    after = net.register_forward_hook(lambda module, args, result: seen.append(result.shape))
    back = net.register_full_backward_hook(
        lambda module, grads, outputs: seen.append((grads[0].shape, outputs[0].shape))
    )
    x = gt.ones(3, 2, requires_grad=True)
    net(x).sum().backward()
    assert seen == [(3, 2), ((3, 2), (3, 2))]
    doubled = x.grad.clone()
    for handle in (before, after, back):
        handle.remove()
    x.grad = None
    net(x).sum().backward()
    assert (doubled / x.grad).tolist() == [[2.0, 2.0]] * 3
    assert len(seen) == 2


def seen_by_hooks(m, *args, **options):
    """What a backward hook of a linear layer sees."""
    layer, seen = m.nn.Linear(2, 2), []
    with m.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(0.5)

    class Net(m.nn.Module):
        def forward(self, x, scale, shift=0):
            return layer(x) * scale + shift

    net = Net()
    net.layer = layer
    for module in (net, layer):
        module.register_full_backward_hook(lambda m, grads, outputs: seen.append((grads, outputs)))
    net(*args, **options).sum().backward()
    return [
        [None if x is None else x.tolist() for x in gradients]
        for pair in seen
        for gradients in pair
    ]


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_backward_hooks_fire_without_a_gradient_for_an_input(torch):
    for requires_grad in (False, True):
        calls = [
            seen_by_hooks(m, m.ones(1, 2, requires_grad=requires_grad), 2.0, shift=m.ones(2))
            for m in (gt, torch)
        ]
        assert calls[0] == calls[1]
    assert seen_by_hooks(gt, gt.ones(1, 2), 2.0) == [[None, None], [[[1, 1]]], [None], [[[2, 2]]]]


def test_a_hook_cannot_give_a_gradient_to_an_input_that_has_none():
    layer = gt.nn.Linear(2, 2)
    layer.register_full_backward_hook(lambda module, grads, outputs: (gt.ones(1, 2),))
    with pytest.raises(RuntimeError, match="requires none"):
        layer(gt.ones(1, 2)).sum().backward()


def test_containers_behave_like_lists_and_dicts():
    linear, relu = gt.nn.Linear(2, 2), gt.nn.ReLU()
    row = gt.nn.Sequential(OrderedDict(a=linear, b=relu))
    assert (row.a, row[-1], len(row[:1])) == (linear, relu, 1)
    many = gt.nn.ModuleList([linear])
    many += [relu]
    many.insert(0, relu)
    assert [type(m).__name__ for m in many] == ["ReLU", "Linear", "ReLU"]
    assert [name for name, _ in many.named_parameters()] == ["1.weight", "1.bias"]
    named = gt.nn.ModuleDict({"x": linear})
    named["y"] = relu
    assert (list(named), named.pop("y"), "y" in named) == (["x", "y"], relu, False)
    params = gt.nn.ParameterList([gt.ones(1), gt.zeros(2)])
    assert [p.shape for p in params] == [(1,), (2,)]
    assert len(params.parameters()) == 2
    with pytest.raises(IndexError):
        many[7]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: setattr(gt.nn.Linear(1, 1), "weight", gt.ones(1)), TypeError, "weight"),
        (lambda: gt.nn.Module()(1), NotImplementedError, "forward"),
        (lambda: gt.nn.Linear(1, 1).nothing, AttributeError, "nothing"),
        (lambda: gt.nn.Linear(3, 1)(gt.ones(2, 4)), RuntimeError, "linear: "),
        (lambda: gt.nn.Dropout(2.0), ValueError, "between"),
        (lambda: gt.nn.BatchNorm2d(3)(gt.ones(2, 3)), ValueError, "4D"),
        (lambda: gt.nn.BatchNorm1d(3)(gt.ones(1, 3)), ValueError, "more than 1"),
        (lambda: gt.nn.LayerNorm(3)(gt.ones(2, 4)), RuntimeError, "normalized_shape"),
        (lambda: gt.nn.MultiheadAttention(5, 2), ValueError, "divisible"),
        (
            lambda: gt.nn.functional.mse_loss(gt.ones(1), gt.ones(1), reduction="most"),
            ValueError,
            "most",
        ),
        (lambda: gt.nn.Linear(1, 1).register_buffer("a.b", None), KeyError, "dot"),
    ],
)
def test_mistakes_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_assigning_before_init_is_refused():
    class Early(gt.nn.Module):
        def __init__(self):
            self.layer = gt.nn.Linear(1, 1)

    with pytest.raises(AttributeError, match="super"):
        Early()


@pytest.mark.parametrize("norm_type", [2.0, 1.0, math.inf])
def test_clipping_agrees_with_pytorch(torch, norm_type):
    found = []
    values = arrays((3, 4), (5,))
    for module in (gt, torch):
        params = [module.tensor(v, requires_grad=True) for v in values]
        sum((p * p * 3).sum() for p in params).backward()
        total = module.nn.utils.clip_grad_norm_(params, 1.5, norm_type)
        norms = [p.grad + 0 for p in params]
        module.nn.utils.clip_grad_value_(params, 0.1)
        found.append([total, *norms, *(p.grad for p in params)])
    for mine, expected in zip(*found, strict=True):
        same(mine, expected, 1e-6)


def test_first_values_by_name(torch):
    for name, options in [
        ("xavier_uniform_", {}),
        ("xavier_normal_", {"gain": 2.0}),
        ("kaiming_uniform_", {"nonlinearity": "relu"}),
        ("kaiming_normal_", {"mode": "fan_out"}),
        ("uniform_", {"a": -3.0, "b": 1.0}),
        ("normal_", {"mean": 2.0, "std": 0.5}),
        ("trunc_normal_", {"std": 2.0}),
        ("constant_", {"val": 0.3}),
        ("ones_", {}),
        ("zeros_", {}),
        ("eye_", {}),
    ]:
        mine = getattr(gt.nn.init, name)(gt.empty(120, 80), **options).numpy()
        theirs = getattr(torch.nn.init, name)(torch.empty(120, 80), **options).numpy()
        error = SIGMAS * theirs.std() * np.sqrt(2 / theirs.size) + 1e-7
        assert abs(mine.mean() - theirs.mean()) < error, name
        assert abs(mine.std() - theirs.std()) < error, name


TRUNCATED = [
    {},
    {"a": 2.0, "b": 3.0},
    {"mean": -1.0, "std": 0.5, "a": 0.5, "b": 9.0},
    {"a": -100.0, "b": 100.0},
    {"mean": 3.0, "std": 2.0, "a": -2.0, "b": 2.5},
    {"a": 10.0, "b": 11.0},
    {"a": -60.0, "b": -50.0},
]


@pytest.mark.parametrize("options", TRUNCATED)
def test_truncated_normal_numbers_have_their_distribution(options):
    found = np.sort(
        gt.nn.init.trunc_normal_(gt.empty(200, 500), **options).double().numpy().ravel()
    )
    mean, std = options.get("mean", 0.0), options.get("std", 1.0)
    low, high = options.get("a", -2.0), options.get("b", 2.0)
    assert low <= found[0] < found[-1] <= high
    # Both limits in the lower tail, where the complementary error function has all its digits.
    ends = sorted(((low - mean) / std, (high - mean) / std))
    sign = -1 if ends[0] > 0 else 1

    def below(z):
        return math.erfc(-sign * z / math.sqrt(2)) / 2

    # Far away, both are smaller than any number.
    if ends[0] < 0 < ends[1] or min(abs(z) for z in ends) < 30:
        at = (found - mean) / std
        shares = [(below(z) - below(ends[0])) / (below(ends[1]) - below(ends[0])) for z in at[::97]]
        ranks = np.arange(found.size)[::97] / found.size
        # The largest distance of two distribution functions, by Kolmogorov.
        assert np.abs(shares - ranks).max() < SIGMAS / 2 / math.sqrt(found.size)
    else:
        # There it is an exponential distribution, nearly.
        distance = np.abs((found - (low if ends[0] > 0 else high)) / std)
        nearest = min(abs(z) for z in ends)
        assert abs(distance.mean() * nearest - 1) < SIGMAS / math.sqrt(found.size) + 2 / nearest**2


def test_truncated_normal_numbers_need_room():
    with pytest.raises(ValueError, match="a < b"):
        gt.nn.init.trunc_normal_(gt.empty(2), a=1.0, b=1.0)


WINDOWS = [
    ({"kernel_size": 2}, (2, 3, 6, 7)),
    ({"kernel_size": (3, 2), "stride": (2, 1), "padding": (1, 1)}, (2, 3, 7, 6)),
    ({"kernel_size": 2, "stride": 1, "dilation": (2, 3)}, (1, 2, 6, 6)),
    ({"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}, (2, 2, 6, 8)),
    ({"kernel_size": 2}, (3, 4, 4)),
]


@pytest.mark.parametrize(("options", "shape"), WINDOWS, ids=str)
def test_pooling_says_where_the_largest_elements_are(torch, options, shape):
    (array,) = arrays(shape)
    (values, places), (expected, there) = (
        m.nn.functional.max_pool2d(m.tensor(array), return_indices=True, **options)
        for m in (gt, torch)
    )
    np.testing.assert_array_equal(values.numpy(), expected.numpy())
    np.testing.assert_array_equal(places.numpy(), there.numpy())
    assert places.dtype == gt.int64


@pytest.mark.parametrize("shape", [(3, 3), (2, 5), (5, 2), (4, 2, 3), (1, 4), (40, 40)], ids=str)
def test_orthogonal_weights(shape):
    gt.manual_seed(0)
    weight = gt.nn.init.orthogonal_(gt.empty(shape, dtype=gt.float64), gain=2.0).numpy()
    flat = weight.reshape(shape[0], -1)
    small = flat @ flat.T if flat.shape[0] <= flat.shape[1] else flat.T @ flat
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-12)
    with pytest.raises(ValueError, match="2 or more"):
        gt.nn.init.orthogonal_(gt.empty(3))


def test_orthogonal_weights_are_spread_over_all_directions():
    signs = [np.linalg.det(gt.nn.init.orthogonal_(gt.empty(3, 3)).numpy()) for _ in range(400)]
    assert abs(np.sign(signs).mean()) < SIGMAS / np.sqrt(400)
    angles = [gt.nn.init.orthogonal_(gt.empty(2, 2)).numpy()[0] for _ in range(400)]
    assert np.abs(np.mean(angles, axis=0)).max() < SIGMAS * np.sqrt(0.5 / 400)


def test_second_gradients_of_an_lstm_agree(torch):
    ours, theirs = twins(torch, "LSTM")
    array = np.random.default_rng(3).normal(size=(5, 2, 3))
    found = []
    for m, layer in ((gt, ours), (torch, theirs)):
        x = m.tensor(array, requires_grad=True)
        loss = (layer(x)[0] ** 2).sum()
        first = m.autograd.grad(loss, [x, layer.weight_hh_l0], create_graph=True)
        penalty = sum((grad * grad).sum() for grad in first)
        found.append(m.autograd.grad(penalty, [x, layer.weight_hh_l0, layer.bias_ih_l0]))
    for ours_grad, theirs_grad in zip(*found, strict=True):
        same(ours_grad, theirs_grad)
