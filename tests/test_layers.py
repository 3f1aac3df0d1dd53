"""More layers with PyTorch as the oracle, and what layers and losses refuse as PyTorch does."""

import itertools
import warnings

import gt
import numpy as np
import pytest

SEED = 23


def pairs(*names):
    return [(name, args, options, shapes) for name, args, options, shapes in names]


# A module's name, its arguments, and the shapes of its inputs.
LAYERS = pairs(
    ("InstanceNorm1d", (3,), {}, [(2, 3, 5)]),
    ("InstanceNorm1d", (3,), {"affine": True}, [(3, 5)]),
    ("InstanceNorm2d", (3,), {}, [(2, 3, 4, 5)]),
    ("InstanceNorm2d", (3,), {"affine": True, "track_running_stats": True}, [(2, 3, 4, 5)]),
    ("InstanceNorm2d", (3,), {"track_running_stats": True, "momentum": 0.3}, [(3, 4, 5)]),
    ("InstanceNorm3d", (2,), {"affine": True}, [(2, 2, 2, 3, 2)]),
    ("BatchNorm3d", (2,), {}, [(2, 2, 2, 3, 2)]),
    ("RNN", (3, 4), {}, [(5, 2, 3)]),
    ("RNN", (3, 4, 2, "relu"), {"bidirectional": True, "batch_first": True}, [(2, 5, 3)]),
    ("RNN", (3, 4), {"bias": False}, [(5, 3), (1, 4)]),
    ("RNNCell", (3, 4), {}, [(2, 3), (2, 4)]),
    ("RNNCell", (3, 4), {"nonlinearity": "relu", "bias": False}, [(3,)]),
    ("LSTMCell", (3, 4), {}, [(2, 3)]),
    ("LSTMCell", (3, 4), {"bias": False}, [(3,)]),
    ("GRUCell", (3, 4), {}, [(2, 3), (2, 4)]),
    ("GRUCell", (3, 4), {}, [(3,), (4,)]),
    ("TransformerDecoderLayer", (8, 2, 12), {"dropout": 0.0}, [(4, 2, 8), (5, 2, 8)]),
    (
        "TransformerDecoderLayer",
        (8, 2, 12),
        {"dropout": 0.0, "norm_first": True, "batch_first": True, "activation": "gelu"},
        [(2, 4, 8), (2, 5, 8)],
    ),
    ("Transformer", (8, 2, 2, 1, 12), {"dropout": 0.0}, [(5, 2, 8), (4, 2, 8)]),
    (
        "Transformer",
        (8, 2, 1, 2, 12),
        {"dropout": 0.0, "batch_first": True, "norm_first": True, "bias": False},
        [(2, 5, 8), (2, 4, 8)],
    ),
    ("PixelShuffle", (2,), {}, [(2, 8, 3, 2)]),
    ("PixelShuffle", (3,), {}, [(9, 2, 2)]),
    ("PixelUnshuffle", (2,), {}, [(2, 3, 4, 6)]),
    ("ReflectionPad1d", ((2, 1),), {}, [(2, 3, 5)]),
    ("ReflectionPad2d", (2,), {}, [(2, 3, 4, 5)]),
    ("ReflectionPad2d", ((1, 0, 2, 3),), {}, [(3, 4, 5)]),
    ("ReplicationPad1d", (3,), {}, [(2, 3, 2)]),
    ("ReplicationPad2d", ((1, 0, 2, 3),), {}, [(2, 3, 1, 5)]),
    ("CircularPad1d", ((2, 1),), {}, [(2, 3, 5)]),
    ("CircularPad2d", ((1, 0, 2, 3),), {}, [(2, 3, 4, 5)]),
    ("ZeroPad2d", ((1, 0, 2, 3),), {}, [(2, 3, 4, 5)]),
    ("ConstantPad2d", (1, 0.5), {}, [(2, 3, 4, 5)]),
    ("Upsample", (), {"scale_factor": 2}, [(1, 2, 3, 4)]),
    ("Upsample", ((5, 7),), {}, [(1, 2, 3, 4)]),
    ("Upsample", (), {"scale_factor": 1.7, "mode": "nearest-exact"}, [(2, 2, 5)]),
    ("Upsample", (), {"scale_factor": (2.5, 1.2), "mode": "bilinear"}, [(1, 2, 3, 4)]),
    ("Upsample", (5,), {"mode": "bilinear", "align_corners": True}, [(1, 2, 8, 4)]),
    ("Upsample", ((1, 9),), {"mode": "bilinear", "align_corners": True}, [(1, 2, 8, 4)]),
    ("Upsample", (7,), {"mode": "linear"}, [(2, 2, 3)]),
    ("UpsamplingNearest2d", (), {"scale_factor": 3}, [(1, 2, 3, 4)]),
    ("UpsamplingBilinear2d", (), {"scale_factor": 3}, [(1, 2, 3, 4)]),
    ("Conv2d", (2, 3, 3), {"padding": (1, 2), "padding_mode": "reflect"}, [(2, 2, 4, 5)]),
    ("Conv2d", (2, 3, 2), {"padding": "same", "padding_mode": "circular"}, [(2, 2, 4, 5)]),
    ("Conv1d", (2, 3, 3), {"padding": 2, "padding_mode": "replicate", "stride": 2}, [(2, 2, 4)]),
    ("Dropout1d", (0.0,), {}, [(2, 3, 4)]),
    ("CELU", (0.5,), {}, [(2, 3)]),
    ("MaxPool1d", (3,), {"stride": 2, "padding": 1}, [(2, 3, 7)]),
    ("MaxPool1d", (2,), {"dilation": 2, "ceil_mode": True}, [(3, 8)]),
    ("AvgPool1d", (3,), {"stride": 2, "padding": 1, "count_include_pad": False}, [(2, 3, 7)]),
    ("AvgPool1d", (2,), {"ceil_mode": True}, [(3, 7)]),
    ("AdaptiveAvgPool1d", (3,), {}, [(2, 3, 7)]),
    ("ConvTranspose1d", (2, 4, 3), {"stride": 2, "output_padding": 1, "groups": 2}, [(2, 2, 5)]),
    ("GLU", (1,), {}, [(2, 4)]),
    ("PReLU", (), {}, [(2, 3)]),
    ("PReLU", (3,), {}, [(2, 3, 2)]),
    ("CosineSimilarity", (1,), {}, [(2, 3), (2, 3)]),
    ("Hardsigmoid", (), {}, [(2, 3)]),
    ("Hardswish", (), {}, [(2, 3)]),
    ("Hardtanh", (-0.5, 0.5), {}, [(2, 3)]),
    ("LogSigmoid", (), {}, [(2, 3)]),
    ("Mish", (), {}, [(2, 3)]),
    ("ReLU6", (), {}, [(2, 3)]),
    ("SELU", (), {}, [(2, 3)]),
    ("Softsign", (), {}, [(2, 3)]),
    ("Tanhshrink", (), {}, [(2, 3)]),
    ("Threshold", (0.1, 20), {}, [(2, 3)]),
    ("Dropout2d", (1.0,), {}, [(2, 3, 4, 5)]),
)


def flat(result):
    if isinstance(result, tuple | list):
        return [tensor for part in result for tensor in flat(part)]
    return [] if result is None else [result]


def run(module, layer, inputs):
    """The results, and the gradients of inputs and parameters."""
    made = [module.tensor(array, requires_grad=True) for array in inputs]
    results = flat(layer(*made))
    weights = [module.tensor(np.cos(np.arange(r.numel())).reshape(tuple(r.shape))) for r in results]
    sum((r * w).sum() for r, w in zip(results, weights, strict=True)).backward()
    leaves = [*made, *layer.parameters()]
    return [*results, *(leaf.grad for leaf in leaves), *layer.buffers()]


def same(ours, theirs, case):
    for mine, expected in zip(ours, theirs, strict=True):
        assert (mine is None) == (expected is None), case
        if mine is not None:
            a, b = mine.detach().numpy(), expected.detach().numpy()
            assert a.dtype == b.dtype, case
            # PyTorch's pieces of a sigmoid have a sixth in single precision.
            tolerance = 1e-7 if case[0].startswith("Hard") else 1e-9
            np.testing.assert_allclose(a, b, tolerance, tolerance, err_msg=str(case))


@pytest.mark.filterwarnings("ignore")
def test_layers_agree_with_pytorch(torch):
    print(f"seed {SEED}")
    random = np.random.default_rng(SEED)
    torch.manual_seed(SEED)
    for case in LAYERS:
        name, args, options, shapes = case
        ours, theirs = (getattr(m.nn, name)(*args, **options).double() for m in (gt, torch))
        ours.load_state_dict(theirs.state_dict())
        inputs = [random.uniform(-1, 1, shape) for shape in shapes]
        for _ in range(2):
            same(run(gt, ours, inputs), run(torch, theirs, inputs), case)
        ours.eval(), theirs.eval()
        tensors = ([m.tensor(array) for array in inputs] for m in (gt, torch))
        same(*(flat(m(*x)) for m, x in zip((ours, theirs), tensors, strict=True)), case)
        assert list(ours.state_dict()) == list(theirs.state_dict()), case
        if "padding_mode" not in options:
            # PyTorch's own marker for a tool of quantization.
            expected = repr(theirs).replace("NonDynamicallyQuantizableLinear", "Linear")
            assert repr(ours) == expected, case


def test_interpolation_agrees_with_pytorch_in_all_sizes_and_dtypes(torch):
    random = np.random.default_rng(SEED)
    for mode, dtype in itertools.product(("nearest", "nearest-exact", "bilinear"), "fde"):
        for size in [(1, 1), (3, 5), (6, 8), (7, 13), (50, 3)]:
            array = random.uniform(-1, 1, (2, 2, 6, 8)).astype(dtype)
            found = [
                m.nn.functional.interpolate(m.tensor(array), size, mode=mode) for m in (gt, torch)
            ]
            assert str(found[0].dtype).split(".")[1] == str(found[1].dtype).split(".")[1]
            tolerance = {"f": 1e-6, "d": 1e-12, "e": 1e-3}[dtype]
            np.testing.assert_allclose(*(f.numpy() for f in found), tolerance, tolerance)
        for scale in (0.3, 0.7, 1.1, 1.9, (2.2, 0.4)):
            array = random.uniform(-1, 1, (1, 1, 10, 7))
            options = {"scale_factor": scale, "mode": mode}
            for again in (None, True):
                found = [
                    m.nn.functional.interpolate(
                        m.tensor(array), **options, recompute_scale_factor=again
                    )
                    for m in (gt, torch)
                ]
                np.testing.assert_allclose(*(f.numpy() for f in found), 1e-12, 1e-12)
    # A number that is not finite stays where it is.
    array = np.array([[[[1.0, np.inf, 2.0, 3.0]]]])
    found = [
        m.nn.functional.interpolate(m.tensor(array), (1, 7), mode="bilinear") for m in (gt, torch)
    ]
    np.testing.assert_allclose(*(f.numpy()[..., 4:] for f in found), 1e-12)


def test_transformers_take_masks(torch):
    random = np.random.default_rng(SEED)
    theirs = torch.nn.Transformer(8, 2, 1, 1, 12, dropout=0.0, batch_first=True).double()
    ours = gt.nn.Transformer(8, 2, 1, 1, 12, dropout=0.0, batch_first=True).double()
    ours.load_state_dict(theirs.state_dict())
    src, tgt = random.normal(size=(2, 5, 8)), random.normal(size=(2, 4, 8))
    padding = np.array([[False] * 5, [False, False, False, True, True]])
    found = []
    for m, model in ((gt, ours), (torch, theirs)):
        mask = model.generate_square_subsequent_mask(4, dtype=m.float64)
        hidden = m.tensor(padding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(
                model(
                    m.tensor(src),
                    m.tensor(tgt),
                    tgt_mask=mask,
                    src_key_padding_mask=hidden,
                    memory_key_padding_mask=hidden,
                    tgt_is_causal=True,
                )
            )
    same(found[:1], found[1:], "masks")


def test_channels_are_dropped_whole():
    gt.manual_seed(SEED)
    for shape, layer in (((40, 50, 3, 2), gt.nn.Dropout2d), ((40, 50, 3), gt.nn.Dropout1d)):
        x = gt.ones(*shape, requires_grad=True)
        y = layer(0.25)(x)
        y.sum().backward()
        kept = y.detach().numpy().reshape(2000, -1)
        assert set(np.unique(kept)) == {0.0, np.float32(1 / 0.75)}
        assert (kept == kept[:, :1]).all()
        # Of 2000 channels 500 are dropped, with a deviation of 19.4; ten of those never happen.
        assert 300 < (kept[:, 0] == 0).sum() < 700
        assert gt.equal(x.grad, y)
        assert layer(0.25).eval()(x) is x


def test_a_state_dict_of_pytorch_loads_as_it_is(torch):
    for dtype in ("float32", "float64", "float16", "bfloat16"):
        for keep in (False, True):
            theirs = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
            theirs = theirs.to(getattr(torch, dtype))
            for assign in (False, True):
                ours = gt.nn.Sequential(gt.nn.Linear(2, 3), gt.nn.BatchNorm1d(3))
                ours.load_state_dict(theirs.state_dict(keep_vars=keep), assign=assign)
                expected = dtype if assign else "float32"
                assert ours[0].weight.dtype == expected
                assert ours[1].num_batches_tracked.dtype == gt.int64
                for mine, other in zip(ours.parameters(), theirs.parameters(), strict=True):
                    assert mine.requires_grad
                    other = other.detach().float().numpy()
                    np.testing.assert_array_equal(mine.detach().float().numpy(), other)
    with pytest.raises(RuntimeError, match=r"size mismatch for 0\.weight"):
        ours.load_state_dict(torch.nn.Sequential(torch.nn.Linear(3, 3)).state_dict(), strict=False)


def test_a_state_of_pytorchs_optimiser_loads_as_it_is(torch):
    for kind in ("SGD", "Adam", "RMSprop", "Adagrad"):
        found = []
        options = {"lr": 0.1, "momentum": 0.9} if kind == "SGD" else {"lr": 0.1}
        saved = None
        for m in (torch, gt):
            x = m.tensor([1.0, -2.0], dtype=m.float64, requires_grad=True)
            optimizer = getattr(m.optim, kind)([x], **options)
            if saved is not None:
                with m.no_grad():
                    x.copy_(m.tensor(saved[0]))
                optimizer.load_state_dict(saved[1])
            else:
                (x * x).sum().backward()
                optimizer.step()
                saved = (x.detach().numpy().copy(), optimizer.state_dict())
                saved[1]["state"] = {
                    number: {k: v.clone() for k, v in state.items()}
                    for number, state in saved[1]["state"].items()
                }
            optimizer.zero_grad()
            (x * x * x).sum().backward()
            optimizer.step()
            found.append(x.detach().numpy())
        np.testing.assert_allclose(*found, rtol=1e-12, err_msg=kind)


DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "bool")


def kinds_of(m, dtype):
    """Calls with one tensor of another dtype than the others have."""
    other = getattr(m, dtype)
    fn, nn = m.nn.functional, m.nn
    x, images = m.ones(3, 2).to(other), m.ones(1, 1, 4, 4).to(other)
    half, odd = m.ones(3) * 0.5, m.ones(3).to(other)
    classes = m.ones(3).long()
    calls = {
        "Linear": lambda: nn.Linear(2, 2)(x),
        "linear bias": lambda: fn.linear(m.ones(3, 2), m.ones(2, 2), m.ones(2).to(other)),
        "Bilinear": lambda: nn.Bilinear(2, 2, 2)(x, m.ones(3, 2)),
        "Conv2d": lambda: nn.Conv2d(1, 1, 1)(images),
        "conv2d bias": lambda: fn.conv2d(
            m.ones(1, 1, 3, 2), m.ones(1, 1, 1, 1), m.ones(1).to(other)
        ),
        "Conv1d": lambda: nn.Conv1d(1, 1, 1)(images[0]),
        "ConvTranspose2d": lambda: nn.ConvTranspose2d(1, 1, 1)(images),
        "Embedding": lambda: nn.Embedding(3, 2)(odd),
        "LayerNorm": lambda: nn.LayerNorm(2)(x),
        "RMSNorm": lambda: nn.RMSNorm(2)(x),
        "GroupNorm": lambda: nn.GroupNorm(1, 2)(x.reshape(1, 2, 3)),
        "BatchNorm1d": lambda: nn.BatchNorm1d(2)(x),
        "BatchNorm1d in use": lambda: nn.BatchNorm1d(2).eval()(x),
        "InstanceNorm2d": lambda: nn.InstanceNorm2d(1, affine=True)(images),
        "LSTM": lambda: nn.LSTM(2, 2)(x)[0],
        "LSTM state": lambda: nn.LSTM(2, 2)(m.ones(3, 2), (m.ones(1, 2).to(other),) * 2)[0],
        "GRUCell": lambda: nn.GRUCell(2, 2)(x),
        "MultiheadAttention": lambda: nn.MultiheadAttention(2, 1)(x, x, x)[0],
        "attention": lambda: fn.scaled_dot_product_attention(x[None], m.ones(1, 3, 2), x[None]),
        "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(2, 1, 2)(x),
        "adaptive_avg_pool2d": lambda: fn.adaptive_avg_pool2d(images, 2),
        "interpolate": lambda: fn.interpolate(images, 2, mode="bilinear"),
        "dropout": lambda: fn.dropout(x),
        "cosine_similarity": lambda: fn.cosine_similarity(x, m.ones(3, 2)),
        "nll_loss": lambda: fn.nll_loss(m.ones(3, 3), odd),
        "nll_loss of": lambda: fn.nll_loss(m.ones(3, 3).to(other), classes),
        "cross_entropy": lambda: fn.cross_entropy(m.ones(3, 3), odd),
        "cross_entropy of": lambda: fn.cross_entropy(m.ones(3, 3).to(other), classes),
        "cross_entropy weight": lambda: fn.cross_entropy(m.ones(3, 3), classes, odd),
        "cross_entropy likely": lambda: fn.cross_entropy(m.ones(3, 3), m.ones(3, 3).to(other)),
        "bce weight": lambda: fn.binary_cross_entropy(half, half, odd),
    }
    for name in ("mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "kl_div"):
        loss = getattr(fn, name)
        calls |= {
            f"{name} target": lambda loss=loss: loss(half, odd),
            f"{name} input": lambda loss=loss: loss(odd, half),
            f"{name} both": lambda loss=loss: loss(odd, odd),
        }
    loss = fn.binary_cross_entropy_with_logits
    calls |= {
        "logits target": lambda: loss(half, odd),
        "logits input": lambda: loss(odd, half),
        "logits weight": lambda: loss(half, half, odd),
    }
    for name in ("gelu", "silu", "elu", "leaky_relu", "softplus", "mish", "selu", "glu"):
        calls[name] = lambda name=name: getattr(fn, name)(x)
    calls["softmax"] = lambda: fn.softmax(x, 1)
    return calls


def outcome(call):
    """The dtype and shape of a result, or the kind of error that programs catch."""
    try:
        result = call()
        result.tolist()
    except (RuntimeError, ValueError, IndexError, TypeError) as error:
        # PyTorch says of some refusals that they are not implemented, which is a RuntimeError too.
        return RuntimeError if isinstance(error, RuntimeError) else type(error)
    return str(result.dtype).split(".")[1], tuple(result.shape)


@pytest.mark.filterwarnings("ignore")
def test_other_dtypes_are_refused_or_taken_as_in_pytorch(torch):
    for dtype in DTYPES:
        ours, theirs = kinds_of(gt, dtype), kinds_of(torch, dtype)
        for name in ours:
            found = outcome(ours[name]), outcome(theirs[name])
            assert found[0] == found[1], (name, dtype)


def test_autocast_makes_dtypes_equal_that_would_be_refused():
    x = gt.ones(3, 2)
    layers = (gt.nn.Linear(2, 2), gt.nn.LSTM(2, 2), gt.nn.MultiheadAttention(2, 1))
    with gt.autocast("cpu", dtype=gt.bfloat16):
        for layer in layers[:2]:
            layer(x.bfloat16())
            layer(x)
        layers[2](x, x.bfloat16(), x)
        gt.nn.Conv2d(1, 1, 1)(gt.ones(1, 1, 2, 2).bfloat16())
        with pytest.raises(RuntimeError, match=r"linear: .*float64"):
            layers[0](x.double())
        with pytest.raises(RuntimeError, match=r"conv2d: .*int64"):
            gt.nn.Conv2d(1, 1, 1)(gt.ones(1, 1, 2, 2).long())


def test_losses_agree_with_pytorch_where_they_refuse_shapes(torch):
    cases = {
        "a vector of probabilities": ((3,), (3,), "float"),
        "a class": ((3,), (), "long"),
        "classes in the shape of logits": ((2, 3), (2, 3), "long"),
        "one row of probabilities": ((2, 3), (1, 3), "float"),
        "numbers for classes": ((2, 3), (2,), "float"),
        "too many classes": ((2, 3), (3,), "long"),
        "a shape of classes": ((2, 3, 4), (2, 5), "long"),
        "classes of each place": ((2, 3, 4), (2, 4), "long"),
        "int32 classes": ((2, 3), (2,), "int"),
        "uint8 classes": ((2, 3), (2,), "byte"),
        "nothing": ((0, 3), (0,), "long"),
        "probabilities of nothing": ((0, 3), (0, 3), "float"),
    }
    for case, (shape, target, kind) in cases.items():
        found = []
        for m in (gt, torch):
            x, y = m.ones(shape), getattr(m.ones(target), kind)()
            found.append(outcome(lambda m=m, x=x, y=y: m.nn.functional.cross_entropy(x, y)))
        assert found[0] == found[1], case
    for options in ({"label_smoothing": 2.0}, {"ignore_index": 1}):
        for m in (gt, torch):
            with pytest.raises(RuntimeError):
                m.nn.functional.cross_entropy(m.ones(2, 3), m.ones(2, 3), **options)
    values = [m.nn.functional.cross_entropy(m.ones(0, 3), m.ones(0, 3)).item() for m in (gt, torch)]
    assert np.isnan(values).all()


def test_edges_of_norms_and_pools_are_pytorchs(torch):
    found = []
    for m in (gt, torch):
        seen = []
        for norm, shape in (
            (m.nn.BatchNorm1d(3), (0, 3)),
            (m.nn.BatchNorm2d(3), (2, 3, 0, 4)),
            (m.nn.GroupNorm(2, 4), (0, 4)),
            (m.nn.InstanceNorm1d(2, track_running_stats=True), (0, 2, 3)),
        ):
            x = m.zeros(*shape, requires_grad=True)
            norm(x).sum().backward()
            seen += [tuple(x.grad.shape), *(str(buffer.tolist()) for buffer in norm.buffers())]
        fn = m.nn.functional
        seen += [
            outcome(
                lambda m=m: m.nn.functional.batch_norm(m.ones(2, 0), None, None, training=True)
            ),
            outcome(
                lambda m=m: m.nn.functional.batch_norm(m.ones(1, 2), None, None, training=True)
            ),
            outcome(lambda m=m, fn=fn: fn.group_norm(m.ones(2, 4, 0), 2)),
            outcome(lambda m=m, fn=fn: fn.group_norm(m.ones(2, 0), 1)),
            outcome(lambda m=m, fn=fn: fn.group_norm(m.ones(4), 2)),
            outcome(lambda m=m, fn=fn: fn.instance_norm(m.ones(2, 2, 1))),
            outcome(
                lambda m=m: m.nn.functional.instance_norm(m.ones(2, 2, 3), use_input_stats=False)
            ),
            outcome(lambda m=m, fn=fn: fn.avg_pool2d(m.ones(1, 1, 4, 4), 2, [])),
            outcome(lambda m=m, fn=fn: fn.max_pool2d(m.ones(1, 1, 4, 4), 2, ())),
            outcome(lambda m=m, fn=fn: fn.max_pool2d(m.ones(4, 4), 2)),
            outcome(lambda m=m: m.nn.LSTM(3, 2)(m.ones(2, 4))),
            outcome(lambda m=m: m.nn.LSTM(3, 2)(m.ones(3))),
            outcome(lambda m=m: m.nn.GRU(3, 2)(m.ones(2, 1, 3), m.ones(1, 1, 3))),
            outcome(lambda m=m: m.nn.LSTMCell(3, 2)(m.ones(1, 1, 3))),
            outcome(lambda m=m: m.nn.ReflectionPad2d(4)(m.ones(1, 4, 4))),
            outcome(lambda m=m: m.nn.CircularPad1d(5)(m.ones(1, 4))),
        ]
        for shapes, axis in ((((2, 1, 3), (4, 3)), -1), (((3,), (4, 3)), 1), (((1, 3), (4, 3)), 0)):
            a, b = (m.arange(1.0, 1 + int(np.prod(s))).reshape(s) for s in shapes)
            seen.append(
                [
                    round(v, 5)
                    for v in m.nn.functional.cosine_similarity(a, b, axis).flatten().tolist()
                ]
            )
        found.append(seen)
    assert found[0] == found[1]


def test_instance_norm_remembers_as_in_pytorch(torch):
    random = np.random.default_rng(SEED)
    x, mean, variance = (
        random.normal(size=(3, 2, 4)),
        random.normal(size=2),
        random.uniform(1, 2, 2),
    )
    found = []
    for m in (gt, torch):
        stats = [m.tensor(mean), m.tensor(variance)]
        learned = m.nn.functional.instance_norm(m.tensor(x), *stats, momentum=0.3)
        used = m.nn.functional.instance_norm(m.tensor(x), *stats, use_input_stats=False)
        found.append([learned, used, *stats])
    same(*found, "instance_norm")


WORDS = {
    "linear: ": lambda nn: nn.Linear(3, 2)(gt.ones(2, 4)),
    "linear: expected a Tensor, not str": lambda nn: nn.Linear(3, 2)("a"),
    "conv1d: ": lambda nn: nn.Conv1d(3, 2, 3)(gt.ones(1, 2, 5)),
    "embedding: ": lambda nn: nn.Embedding(3, 2)(gt.ones(2)),
    "rms_norm: ": lambda nn: nn.RMSNorm(3)(gt.ones(2, 4)),
    "batch_norm: ": lambda nn: nn.BatchNorm1d(3)(gt.ones(2, 4)),
    "GRU: ": lambda nn: nn.GRU(3, 2)(gt.ones(2, 4)),
    "bilinear: ": lambda nn: nn.Bilinear(2, 3, 4)(gt.ones(2, 3), gt.ones(2, 3)),
    "max_pool2d: ": lambda nn: nn.MaxPool2d(5)(gt.ones(1, 1, 2, 2)),
    "avg_pool2d: ": lambda nn: nn.AvgPool2d(5)(gt.ones(1, 1, 2, 2)),
    "mse_loss: ": lambda nn: nn.MSELoss()(gt.ones(2, 3), gt.ones(4)),
    "huber_loss: ": lambda nn: nn.HuberLoss()(gt.ones(2, 3), gt.ones(4)),
    "kl_div: ": lambda nn: nn.KLDivLoss()(gt.ones(2, 3), gt.ones(4)),
    "cross_entropy: ": lambda nn: nn.CrossEntropyLoss()(gt.ones(2, 3), gt.tensor([1, 2, 0])),
    "nll_loss: ": lambda nn: nn.NLLLoss()(gt.ones(2, 3), gt.tensor([1, 2, 0])),
    "cosine_similarity: ": lambda nn: nn.functional.cosine_similarity(gt.ones(2, 3), gt.ones(4)),
    "Conv2d.__init__": lambda nn: nn.Conv2d(1, 1, 1, bais=True),
    "BatchNorm2d.__init__": lambda nn: nn.BatchNorm2d(1, epsilon=1),
    "InstanceNorm1d.__init__": lambda nn: nn.InstanceNorm1d(1, epsilon=1),
    "LSTM.__init__": lambda nn: nn.LSTM(1, 1, layers=2),
    "GRUCell.__init__": lambda nn: nn.GRUCell(1),
    "MSELoss.__init__": lambda nn: nn.MSELoss(reductio="sum"),
    "LogSoftmax.__init__": lambda nn: nn.LogSoftmax(axis=1),
    "Tanh": lambda nn: nn.Tanh(1),
    "Sigmoid": lambda nn: nn.Sigmoid(dim=1),
    "ReflectionPad2d.__init__": lambda nn: nn.ReflectionPad2d(),
    "Adam.__init__": lambda nn: gt.optim.Adam([gt.ones(1, requires_grad=True)], beta=1),
    "LambdaLR.__init__": lambda nn: gt.optim.lr_scheduler.LambdaLR(1, 2, stp=1),
    "Generator": lambda nn: gt.Generator(seed=1),
    "DataLoader.__init__": lambda nn: gt.utils.data.DataLoader([1], batchsize=2),
    "GradScaler.__init__": lambda nn: gt.cuda.amp.GradScaler(scale=2.0),
    "save()": lambda nn: gt.save({}, "nowhere", protocol=2),
    "fork_rng()": lambda nn: gt.random.fork_rng(device=1),
    "no_grad()": lambda nn: gt.no_grad(mode=True),
}


@pytest.mark.filterwarnings("ignore")
def test_messages_name_what_the_program_called():
    for words, call in WORDS.items():
        with pytest.raises((RuntimeError, ValueError, TypeError)) as error:
            call(gt.nn)
        assert str(error.value).startswith(words), (words, str(error.value))


class Body(gt.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = gt.nn.Sequential(gt.nn.Linear(4, 3), gt.nn.ReLU(), gt.nn.Linear(5, 2))

    def forward(self, x):
        return self.body(x)


WORDS_IN_FULL = {
    "linear: layer 'body.2' has in_features=5, but the last dimension of its input has size 3 "
    "(shape (2, 3))": lambda: Body()(gt.ones(2, 4)),
    "linear: the layer has in_features=3, but the last dimension of its input has size 5 "
    "(shape (2, 5))": lambda: gt.nn.Linear(3, 2)(gt.ones(2, 5)),
    "linear: expected 3 features in the last dimension of the input, got 5 (input [2, 5], "
    "weight [2, 3])": lambda: gt.nn.functional.linear(gt.ones(2, 5), gt.ones(2, 3)),
    "conv2d: expected 3 input channels, got 5 (input [2, 5, 8, 8], weight [4, 3, 3, 3], "
    "groups=1)": lambda: gt.nn.Conv2d(3, 4, 3)(gt.ones(2, 5, 8, 8)),
    "conv2d: the weight is larger than the padded input (input [2, 3, 2, 2], "
    "weight [4, 3, 3, 3])": lambda: gt.nn.Conv2d(3, 4, 3)(gt.ones(2, 3, 2, 2)),
    "conv_transpose2d: expected 4 input channels, got 3 (input [2, 3, 8, 8], "
    "weight [4, 4, 3, 3], groups=1)": lambda: gt.nn.ConvTranspose2d(4, 4, 3)(gt.ones(2, 3, 8, 8)),
    "cat: 'tensors' must be a list of tensors, not a Tensor; write cat([a, b])": lambda: gt.cat(
        gt.ones(2), gt.ones(2)
    ),
    "stack: 'tensors' must be a list of tensors, not a Tensor; write stack([a, b])": lambda: (
        gt.stack(gt.ones(2), gt.ones(2), gt.ones(2))
    ),
    "transpose: without axes it is for two dimensions, not 3; name dim0 and dim1, or use mT or "
    "permute": lambda: gt.ones(2, 3, 4).transpose(),
    "transpose: expected both dim0 and dim1, or neither": lambda: gt.ones(2, 3).transpose(1),
}


@pytest.mark.parametrize("words", WORDS_IN_FULL)
def test_messages_say_what_to_change(words):
    with pytest.raises((RuntimeError, TypeError)) as error:
        WORDS_IN_FULL[words]()
    assert str(error.value) == words


def test_a_matrix_is_transposed_without_axes():
    x = gt.arange(6).reshape(2, 3)
    assert gt.equal(x.transpose(), x.T)
    x.transpose()[0, 1] = 9
    assert x[1, 0].item() == 9


def test_tensors_of_pytorch_are_named_as_such(torch):
    other, layer = torch.ones(2, 2), gt.nn.Linear(2, 2)
    f = gt.nn.functional
    calls = [
        lambda: gt.add(gt.ones(2, 2), other),
        lambda: gt.cat([other]),
        lambda: gt.ones(2, 2).copy_(other),
        lambda: gt.ones(2, 2).reshape_as(other),
        lambda: layer(other),
        lambda: layer.register_buffer("b", other),
        lambda: layer.register_parameter("p", torch.nn.Parameter(other)),
        lambda: setattr(layer, "weight", other),
        lambda: gt.optim.SGD([other], lr=0.1),
        lambda: f.mse_loss(gt.ones(2, 2), other),
        lambda: f.cross_entropy(gt.ones(2, 2), torch.tensor([0, 1])),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"torch\.(Tensor|Parameter) \(gt\.tensor\(x"):
            call()
    assert gt.tensor(other.detach()).tolist() == [[1, 1], [1, 1]]


def test_nothing_private_is_proposed_for_a_mistyped_name():
    model = gt.nn.Linear(1, 1)
    for place in (gt, gt.nn, gt.nn.functional, gt.optim, gt.optim.lr_scheduler, model):
        inside = [n for n in dir(place) if n.startswith("_") and not n.startswith("__")]
        assert not inside, place
    assert {"weight", "bias", "forward", "in_features"} <= set(dir(model))
    assert {"tensor", "nn", "load", "arange"} <= set(dir(gt))


def test_shapes_that_do_not_fit_are_refused_as_in_pytorch(torch):
    calls = {
        "halves": lambda m, f: f.glu(m.ones(2, 3)),
        "halves of one": lambda m, f: f.glu(m.ones(1)),
        "a table of three axes": lambda m, f: f.embedding(m.tensor([0]), m.ones(2, 2, 2)),
        "a weight of three axes": lambda m, f: f.linear(m.ones(2, 3), m.ones(2, 2, 3)),
        "a bias that would widen": lambda m, f: f.linear(m.ones(1, 3), m.ones(1, 3), m.ones(3)),
        "a bias of more axes": lambda m, f: f.linear(m.ones(2, 3), m.ones(2, 3), m.ones(4, 2, 2)),
        "a vector and a bias": lambda m, f: f.linear(m.ones(2, 3), m.ones(3), m.ones(())),
        "vectors and a bias": lambda m, f: f.linear(m.ones(3), m.ones(3), m.ones(())),
        "no channels": lambda m, f: f.batch_norm(m.ones(3), None, None, training=True),
        "one value": lambda m, f: f.group_norm(m.ones(1, 2), 2),
        "no queries": lambda m, f: f.scaled_dot_product_attention(*[m.ones(3)] * 3),
        "no classes": lambda m, f: f.cross_entropy(m.ones(()), m.tensor([0])),
        "whole cosines": lambda m, f: f.cosine_similarity(m.tensor([[1]]), m.tensor([[2]])),
        "a double among singles": lambda m, f: f.mse_loss(m.ones(3), m.ones(()).double()),
    }
    for case, call in calls.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [outcome(lambda m=m, call=call: call(m, m.nn.functional)) for m in (gt, torch)]
        assert found[0] == found[1], case
