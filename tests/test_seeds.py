"""Programs as they stand in the documents that GT was first described in: they run unchanged."""

import gt
import pytest

pytestmark = pytest.mark.everywhere

MLP = """
from gt.nn import Module, Linear, SGD

class MLP(Module):
    def __init__(self):
        super().__init__()
        self.fc1 = Linear(784, 256)
        self.fc2 = Linear(256, 10)

    def forward(self, x):
        x = self.fc1(x).relu()
        return self.fc2(x)

# Training loop
model = MLP()
optimizer = SGD(model.parameters(), lr=0.01)

for epoch in range(100):
    pred = model(X_train)
    loss = ((pred - y_train) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""

SIZES_FROM_OUTSIDE = """
from gt.nn import Module, Linear, SGD

class MyModel(Module):
    def __init__(self):
        super().__init__()
        self.layer1 = Linear(input_size, hidden_size)
        self.layer2 = Linear(hidden_size, output_size)

    def forward(self, x):
        x = self.layer1(x).relu()
        return self.layer2(x)
"""

LISTED_PARAMETERS = """
import gt
from gt.client import nn

# Define a model
class MyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 20)
        self.fc2 = nn.Linear(20, 1)
        self._parameters = self.fc1.parameters() + self.fc2.parameters()

    def forward(self, x):
        x = self.fc1(x).relu()
        x = self.fc2(x)
        return x

# Train
model = MyModel()
x = gt.randn(10)
y_pred = model(x)
loss = nn.mse_loss(y_pred, target)
loss.backward()

# Update parameters (manual SGD)
for param in model.parameters():
    # param = param - lr * param.grad
    pass
"""


@pytest.fixture(autouse=True)
def seed():
    gt.manual_seed(0)


def losses(model, x, y, steps=20, lr=0.1):
    """The losses of a few steps, the first and the last of which tell whether a model learns."""
    optimizer = gt.nn.SGD(model.parameters(), lr=lr)
    found = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ((model(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    return found


def test_the_training_loop_of_the_first_page():
    x, y = gt.randn(32, 784), gt.randn(32, 10)
    scope = {"X_train": x, "y_train": y}
    exec(MLP, scope)
    untrained = ((scope["MLP"]()(x) - y) ** 2).mean().item()
    assert scope["loss"].item() < 0.8 * untrained
    assert len(scope["model"].parameters()) == 4
    assert all(parameter.grad is None for parameter in scope["model"].parameters())


def test_a_model_whose_sizes_come_from_outside():
    scope = {"input_size": 6, "hidden_size": 16, "output_size": 3}
    exec(SIZES_FROM_OUTSIDE, scope)
    model = scope["MyModel"]()
    assert [tuple(p.shape) for p in model.parameters()] == [(16, 6), (16,), (3, 16), (3,)]
    found = losses(model, gt.randn(20, 6), gt.randn(20, 3))
    assert found[-1] < 0.95 * found[0]
    exec("optimizer = SGD(model.parameters(), lr=0.01)", scope | {"model": model})


def test_a_model_that_lists_its_parameters_itself():
    scope = {"target": gt.randn(1)}
    exec(LISTED_PARAMETERS, scope)
    model = scope["model"]
    assert [tuple(p.shape) for p in model.parameters()] == [(20, 10), (20,), (1, 20), (1,)]
    assert all(parameter.grad is not None for parameter in model.parameters())
    # What the comment in the program says, as its reader would write it.
    lr, before = 0.05, scope["loss"].item()
    with gt.no_grad():
        for param in model.parameters():
            param -= lr * param.grad
    after = gt.client.nn.mse_loss(model(scope["x"]), scope["target"]).item()
    assert after < before
    found = losses(model, gt.randn(20, 10), gt.randn(20, 1))
    assert found[-1] < 0.95 * found[0]
