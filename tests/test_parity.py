"""Whole models beside PyTorch: same weights and batches, same gradients, losses and parameters."""

import gt
import numpy as np
import pytest

STEPS = 50


def mlp(m):
    return m.nn.Sequential(
        m.nn.Linear(6, 8), m.nn.ReLU(), m.nn.Linear(8, 8), m.nn.Tanh(), m.nn.Linear(8, 3)
    )


def cnn(m):
    return m.nn.Sequential(
        m.nn.Conv2d(1, 4, 3, padding=1),
        m.nn.BatchNorm2d(4),
        m.nn.ReLU(),
        m.nn.MaxPool2d(2),
        m.nn.Conv2d(4, 6, 3),
        m.nn.ReLU(),
        m.nn.AdaptiveAvgPool2d(1),
        m.nn.Flatten(),
        m.nn.Linear(6, 3),
    )


def gpt(m):
    class Block(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = m.nn.LayerNorm(8), m.nn.LayerNorm(8)
            self.attention, self.project = m.nn.Linear(8, 24), m.nn.Linear(8, 8)
            self.feed = m.nn.Sequential(m.nn.Linear(8, 16), m.nn.GELU(), m.nn.Linear(16, 8))

        def forward(self, x):
            q, k, v = (
                part.unflatten(-1, (2, -1)).transpose(1, 2)
                for part in self.attention(self.norm1(x)).chunk(3, -1)
            )
            attend = m.nn.functional.scaled_dot_product_attention
            attended = attend(q, k, v, is_causal=True)
            x = x + self.project(attended.transpose(1, 2).flatten(2))
            return x + self.feed(self.norm2(x))

    class Model(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.letters, self.places = m.nn.Embedding(5, 8), m.nn.Embedding(6, 8)
            self.blocks = m.nn.Sequential(Block(), Block())
            self.norm, self.head = m.nn.LayerNorm(8), m.nn.Linear(8, 5, bias=False)

        def forward(self, index):
            x = self.letters(index) + self.places(m.arange(index.shape[1]))
            return self.head(self.norm(self.blocks(x))).flatten(0, 1)

    return Model()


def lstm(m):
    class Model(m.nn.Module):
        def __init__(self):
            super().__init__()
            self.reader = m.nn.LSTM(3, 5, num_layers=2, batch_first=True)
            self.head = m.nn.Linear(5, 3)

        def forward(self, x):
            return self.head(self.reader(x)[0][:, -1])

    return Model()


def batch(kind, step):
    """Inputs and classes of one step."""
    random = np.random.default_rng(step)
    if kind == "gpt":
        index = random.integers(0, 5, (4, 6))
        return index, random.integers(0, 5, 24)
    shape = {"mlp": (7, 6), "cnn": (5, 1, 8, 8), "lstm": (4, 5, 3)}[kind]
    return random.normal(size=shape), random.integers(0, 3, shape[0])


MODELS = {"mlp": mlp, "cnn": cnn, "gpt": gpt, "lstm": lstm}
OPTIMIZERS = {
    "SGD": {"lr": 0.05, "momentum": 0.9},
    "Adam": {"lr": 0.01},
    "AdamW": {"lr": 0.01, "weight_decay": 0.1},
}


def pair(torch, kind, dtype):
    torch.manual_seed(0)
    theirs, ours = MODELS[kind](torch), MODELS[kind](gt)
    theirs, ours = theirs.to(getattr(torch, dtype)), ours.to(getattr(gt, dtype))
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    return ours, theirs


def loss_of(m, model, kind, step):
    x, y = (m.tensor(array) for array in batch(kind, step))
    if kind != "gpt":
        x = x.to(next(iter(model.parameters())).dtype)
    return m.nn.functional.cross_entropy(model(x), y)


def train(m, model, kind, optimizer, steps):
    options = OPTIMIZERS[optimizer]
    made = getattr(m.optim, optimizer)(model.parameters(), **options)
    losses, first = [], None
    for step in range(steps):
        made.zero_grad()
        loss = loss_of(m, model, kind, step)
        loss.backward()
        if first is None:
            first = [p.grad.detach().clone() for p in model.parameters()]
        made.step()
        losses.append(loss.detach())
    return first, [loss.item() for loss in losses]


def close(ours, theirs, tolerance):
    for mine, expected in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(
            mine.detach().numpy(), expected.detach().numpy(), tolerance, tolerance
        )


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("kind", MODELS)
def test_fifty_steps_in_double_precision(torch, kind, optimizer):
    ours, theirs = pair(torch, kind, "float64")
    (mine, losses), (expected, reference) = (
        train(gt, ours, kind, optimizer, STEPS),
        train(torch, theirs, kind, optimizer, STEPS),
    )
    close(mine, expected, 1e-10)
    np.testing.assert_allclose(losses, reference, rtol=1e-8)
    close(ours.parameters(), theirs.parameters(), 1e-8)


@pytest.mark.parametrize("kind", MODELS)
def test_losses_in_single_precision(torch, kind):
    ours, theirs = pair(torch, kind, "float32")
    _, losses = train(gt, ours, kind, "SGD", 20)
    _, reference = train(torch, theirs, kind, "SGD", 20)
    np.testing.assert_allclose(losses, reference, rtol=1e-5, atol=1e-5)


def test_a_gpt_in_mixed_precision_stays_close(torch):
    ours, theirs = pair(torch, "gpt", "float32")
    losses = []
    for module, model in ((gt, ours), (torch, theirs)):
        optimizer = module.optim.AdamW(model.parameters(), lr=0.01)
        seen = []
        for step in range(20):
            optimizer.zero_grad()
            with module.autocast("cpu", dtype=module.bfloat16):
                loss = loss_of(module, model, "gpt", step)
            loss.backward()
            optimizer.step()
            seen.append(loss.item())
        losses.append(seen)
    np.testing.assert_allclose(*losses, rtol=0.02)


@pytest.mark.embedded("the limit is a worker's own setting")
def test_batches_that_fail_are_as_if_they_were_skipped(script):
    text = script(
        """
        import gt
        gt.manual_seed(0)

        def train(bad):
            gt.manual_seed(1)
            table = gt.nn.Embedding(10, 4)
            head = gt.nn.Linear(4, 3)
            params = table.parameters() + head.parameters()
            optimizer = gt.optim.Adam(params, lr=0.1)
            failures = []
            for step in range(8):
                if step in (2, 5) and not bad:
                    continue
                index = gt.tensor([step % 10, 3, 77 if step == 2 else 4])
                target = gt.tensor([step % 3, 1, 2])
                try:
                    optimizer.zero_grad()
                    loss = gt.nn.functional.cross_entropy(head(table(index)), target)
                    if step == 5:
                        big = gt.ones(1000, 1000, 1000)
                        loss = loss + (big @ big).sum() * 0
                    loss.backward()
                    optimizer.step()
                    gt.synchronize()
                except (IndexError, gt.OutOfMemoryError) as error:
                    failures.append(type(error).__name__)
                    optimizer.zero_grad()
            return [p.tolist() for p in params], failures

        good, none = train(False)
        after, failures = train(True)
        print(good == after, none, failures)
        """,
        GT_MEMORY="1G",
    )
    assert text.strip() == "True [] ['IndexError', 'OutOfMemoryError']"
