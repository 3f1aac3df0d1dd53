"""Modules as trees of names: what is assigned, replaced, copied and loaded, as in PyTorch."""

import threading
from collections import OrderedDict

import gt
import numpy as np
import pytest


def names(module):
    return list(module.state_dict()), [type(part).__name__ for part in module.modules()]


def test_what_is_assigned_again_keeps_its_place(torch):
    found = []
    for m in (gt, torch):
        row = m.nn.Sequential(
            OrderedDict(a=m.nn.Linear(2, 3), b=m.nn.Tanh(), c=m.nn.Linear(3, 1), d=m.nn.ReLU())
        )
        row.a = m.nn.Linear(2, 3, bias=False)
        row.b = m.nn.Sigmoid()
        row.d = None
        row.d = m.nn.Tanh()
        row.c.weight = m.nn.Parameter(m.ones(1, 3))
        row.c.register_buffer("seen", m.zeros(1))
        row.c.register_buffer("last", m.zeros(1), persistent=False)
        row.c.seen = m.ones(2)
        row.c.bias = None
        row.c.bias = m.nn.Parameter(m.ones(1))
        row.c.register_parameter("weight", m.nn.Parameter(m.ones(1, 3)))
        row.register_module("a", m.nn.Linear(2, 3))
        row[1] = m.nn.ReLU()
        plain = m.nn.Module()
        plain.first, plain.second = m.nn.Linear(1, 1), m.nn.Linear(1, 1)
        plain.third = m.nn.Parameter(m.ones(1))
        plain.first = m.nn.Parameter(m.ones(1))
        plain.second = m.nn.Conv1d(1, 1, 1)
        found.append([names(row), names(plain), names(row[1:3]), names(m.nn.Sequential(*row)[:2])])
        assert row(m.ones(1, 2)).shape == (1, 1)
    assert found[0] == found[1]


WRONG = {
    "a module over a parameter": lambda m, x: setattr(x, "weight", m.nn.Linear(1, 1)),
    "a tensor over a parameter": lambda m, x: setattr(x, "weight", m.ones(1)),
    "a tensor over a module": lambda m, x: setattr(x, "part", m.ones(1)),
    "a number over a buffer": lambda m, x: setattr(x, "seen", 3.0),
    "no parameter": lambda m, x: x.register_parameter("p", m.ones(1)),
    "no buffer": lambda m, x: x.register_buffer("p", 3.0),
    "no module": lambda m, x: x.add_module("p", m.ones(1)),
    "the name of a parameter": lambda m, x: x.add_module("weight", m.nn.ReLU()),
    "the name of a module": lambda m, x: x.register_parameter("part", m.nn.Parameter(m.ones(1))),
    "the name of a method": lambda m, x: x.register_buffer("forward", m.ones(1)),
    "a name with a dot": lambda m, x: x.register_buffer("a.b", m.ones(1)),
    "no name": lambda m, x: x.add_module("", m.nn.ReLU()),
}


def test_what_has_no_place_is_refused_as_in_pytorch(torch):
    for case, wrong in WRONG.items():
        raised = []
        for m in (gt, torch):
            module = m.nn.Linear(1, 1)
            module.part = m.nn.ReLU()
            module.register_buffer("seen", m.zeros(1))
            with pytest.raises((TypeError, KeyError)) as error:
                wrong(m, module)
            raised.append(error.type)
            assert names(module)[0] == ["weight", "bias", "seen"], case
        assert raised[0] is raised[1], case


def test_optimisers_follow_parameters_to_another_dtype(torch):
    for kind in ("SGD", "Adam", "Adagrad"):
        found = []
        for m in (gt, torch):
            model = m.nn.Linear(2, 1)
            with m.no_grad():
                [parameter.fill_(0.5) for parameter in model.parameters()]
            optimizer = getattr(m.optim, kind)(model.parameters(), lr=0.1)
            model.half().double()
            for _ in range(3):
                optimizer.zero_grad()
                model(m.ones(3, 2).double()).sum().backward()
                optimizer.step()
            assert model.weight.dtype == m.float64
            found.append([*model.weight.flatten().tolist(), model.bias.item()])
            group = optimizer.param_groups[0]["params"]
            assert all(a is b for a, b in zip(group, model.parameters(), strict=True))
        np.testing.assert_allclose(*found, rtol=1e-6, err_msg=kind)


def test_assigned_data_leaves_the_parameter_what_it_was(torch):
    def run(library):
        model = library.nn.Linear(2, 1)
        weight, calls = model.weight, []
        weight.data = library.ones(1, 2)
        model.bias.data = library.zeros(1)
        optimizer = library.optim.SGD(model.parameters(), lr=0.5, momentum=0.5)
        hook = weight.register_hook(lambda grad: calls.append(grad.tolist()))
        for step in range(4):
            model(library.ones(3, 2)).sum().backward()
            optimizer.step()
            weight.data = weight.data * 2
            if step == 2:
                hook.remove()
        assert model.weight is weight
        assert weight in optimizer.state
        assert isinstance(weight, library.nn.Parameter)
        assert weight.is_leaf
        assert weight.requires_grad
        return calls, weight.tolist(), weight.grad.tolist(), model.bias.tolist()

    assert run(gt) == run(torch)


def test_a_hook_may_assign_the_data_of_what_it_hears_of(torch):
    def run(library):
        x = library.ones(2, requires_grad=True)
        y = x * 3

        def hook(grad):
            x.data = grad.detach() * 5
            y.data = library.zeros(2)

        y.register_hook(hook)
        y.sum().backward()
        return x.tolist(), y.tolist(), x.grad.tolist()

    assert run(gt) == run(torch)


def test_data_is_assigned_while_another_thread_reads():
    x = gt.ones(64)
    failures: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(200):
                values = x.tolist()
                assert values == [values[0]] * 64
        except BaseException as error:
            failures.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(200):
        x.data = gt.full((64,), float(number))
    reader.join()
    assert not failures
    assert x.tolist() == [199.0] * 64


@pytest.mark.embedded("reads the memory of this process's own workers")
def test_data_that_was_replaced_is_freed():
    x = gt.nn.Parameter(gt.ones(1000))
    sizes = []
    for _ in range(20):
        x.data = x.data + 1
        x.data.unsqueeze_(0).squeeze_()
        gt.synchronize()
        sizes.append(gt.memory()["used_bytes"])
    assert sizes[-1] == sizes[1]
