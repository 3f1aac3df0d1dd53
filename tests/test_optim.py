"""Optimisers and schedules, with PyTorch as the oracle."""

import copy
import math

import gt
import numpy as np
import pytest

CASES = {
    "SGD": ("SGD", {"lr": 0.05}),
    "SGD momentum": ("SGD", {"lr": 0.05, "momentum": 0.9, "weight_decay": 0.1, "dampening": 0.3}),
    "SGD nesterov": ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True, "maximize": True}),
    "Adam": ("Adam", {"lr": 0.05}),
    "Adam decay": ("Adam", {"lr": 0.05, "weight_decay": 0.1, "amsgrad": True, "betas": (0.8, 0.9)}),
    "AdamW": ("AdamW", {"lr": 0.05, "weight_decay": 0.2}),
    "AdamW amsgrad": ("AdamW", {"lr": 0.05, "amsgrad": True, "maximize": True}),
    "NAdam": ("NAdam", {"lr": 0.05, "weight_decay": 0.1}),
    "NAdam decoupled": ("NAdam", {"weight_decay": 0.1, "decoupled_weight_decay": True}),
    "RMSprop": ("RMSprop", {"lr": 0.05}),
    "RMSprop centered": ("RMSprop", {"lr": 0.05, "centered": True, "momentum": 0.9}),
    "Adagrad": ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.1}),
    "Adadelta": ("Adadelta", {"lr": 1.0, "weight_decay": 0.1}),
}


def leaves(module, dtype="float64"):
    random = np.random.default_rng(3)
    arrays = [random.uniform(-1, 1, (3, 4)), random.uniform(-1, 1, 4)]
    made = [module.tensor(array, dtype=getattr(module, dtype)) for array in arrays]
    return [tensor.requires_grad_() for tensor in made]


def loss_of(module, weights, step):
    weight, bias = weights
    x = module.tensor(np.random.default_rng(step).uniform(-1, 1, (5, 3))).to(weight.dtype)
    return ((x @ weight + bias).tanh() ** 2).sum() + (weight * bias).sum()


def train(module, optimizer, weights, steps, schedule=None, first=0):
    for step in range(first, first + steps):
        optimizer.zero_grad()
        loss_of(module, weights, step).backward()
        optimizer.step()
        if schedule is not None:
            schedule.step()


def same(ours, theirs, tolerance=1e-10):
    for mine, expected in zip(ours, theirs, strict=True):
        found = mine.detach().numpy()
        np.testing.assert_allclose(found, expected.detach().numpy(), tolerance, tolerance)


@pytest.mark.parametrize("name", CASES)
def test_fifty_steps_agree_with_pytorch(torch, name):
    kind, options = CASES[name]
    ours, theirs = leaves(gt), leaves(torch)
    train(gt, getattr(gt.optim, kind)(ours, **options), ours, 50)
    train(torch, getattr(torch.optim, kind)(theirs, **options), theirs, 50)
    same(ours, theirs)


def test_lion_moves_every_element_by_the_learning_rate():
    (x,) = (gt.tensor([1.0, -2.0, 3.0], requires_grad=True),)
    optimizer = gt.optim.Lion([x], lr=0.5)
    (x * x).sum().backward()
    optimizer.step()
    assert x.tolist() == [0.5, -1.5, 2.5]


@pytest.mark.parametrize("name", CASES)
def test_a_saved_state_goes_on_where_it_was(name):
    kind, options = CASES[name]
    straight, resumed = leaves(gt), leaves(gt)
    optimizer = getattr(gt.optim, kind)(straight, **options)
    train(gt, optimizer, straight, 12)
    first = getattr(gt.optim, kind)(resumed, **options)
    train(gt, first, resumed, 5)
    state = copy.deepcopy(first.state_dict())
    second = getattr(gt.optim, kind)(resumed)
    second.load_state_dict(state)
    train(gt, second, resumed, 7, first=5)
    assert [r.tolist() for r in resumed] == [s.tolist() for s in straight]


def test_a_state_of_pytorch_can_be_loaded(torch):
    ours, theirs = leaves(gt), leaves(torch)
    train(torch, reference := torch.optim.AdamW(theirs, lr=0.05), theirs, 5)
    with gt.no_grad():
        for mine, value in zip(ours, theirs, strict=True):
            mine.copy_(gt.tensor(value.detach().numpy()))
    optimizer = gt.optim.AdamW(ours)
    state = reference.state_dict()
    state["state"] = {
        number: {key: gt.tensor(value.numpy()) for key, value in values.items()}
        for number, values in state["state"].items()
    }
    optimizer.load_state_dict(state)
    train(gt, optimizer, ours, 5, first=5)
    train(torch, reference, theirs, 5, first=5)
    same(ours, theirs)


def test_groups_are_live(torch):
    found = []
    for module in (gt, torch):
        weight, bias = leaves(module)
        groups = [{"params": [weight], "lr": 0.1}, {"params": bias}]
        optimizer = module.optim.SGD(groups, lr=0.01)
        train(module, optimizer, [weight, bias], 2)
        optimizer.param_groups[1]["lr"] = 0.5
        train(module, optimizer, [weight, bias], 2)
        found.append([weight, bias])
    same(*found)


def test_a_step_reads_nothing():
    weights = leaves(gt)
    optimizer = gt.optim.Adam(weights)
    loss_of(gt, weights, 0).backward()
    weights[0].tolist()
    waits = gt.counters()["waits"]
    for _ in range(20):
        optimizer.step()
    assert gt.counters()["waits"] == waits


# For each: the instructions of a step, and those of them that each parameter costs.
COSTS = {
    "SGD": (0, 1),
    "SGD momentum": (0, 3),
    "SGD nesterov": (0, 4),
    "Adam": (7, 3),
    "AdamW": (7, 4),
    "NAdam": (24, 5),
    "RMSprop": (1, 2),
    "Adagrad": (5, 2),
    "Adadelta": (1, 10),
}


@pytest.mark.embedded("the log of a server is written where the server runs")
@pytest.mark.parametrize("name", COSTS)
def test_a_step_is_few_instructions(script, tmp_path, name):
    kind, options = CASES[name]
    log, counts = tmp_path / "ops.log", []
    for parameters in (2, 6):
        program = f"""
            import gt
            weights = [gt.ones(3, requires_grad=True) for _ in range({parameters})]
            optimizer = gt.optim.{kind}(weights, **{options})
            gt.manual_seed(0)
            for _ in range(3):
                sum((weight * weight).sum() for weight in weights).backward()
                (gt.zeros(1) + 17.25).item()
                optimizer.step()
                (gt.zeros(1) + 18.25).item()
                optimizer.zero_grad()
        """
        assert script(program, GT_INSTRUCTION_LOG=str(log)) == ""
        text = log.read_text()
        last = text[text.rindex("17.25") : text.rindex("18.25")]
        lines = [line for line in last.splitlines() if "| RECV" in line and ":=" in line]
        # The last two are those of the mark.
        counts.append(len(lines) - 2)
        log.unlink()
    few, many = counts
    shared, each = COSTS[name]
    assert ((many - few) / 4, few - 2 * each) == (each, shared)


def test_parameters_without_a_gradient_do_not_count_the_step(torch):
    found = []
    for module in (gt, torch):
        first, second, third = (
            module.tensor([1.0, 2.0], dtype=module.float64).requires_grad_() for _ in range(3)
        )
        for kind in ("Adam", "NAdam"):
            optimizer = getattr(module.optim, kind)([first, second, third], lr=0.1)
            for step in range(6):
                optimizer.zero_grad()
                loss = (first * first).sum()
                loss = loss + (second**3).sum() if step != 2 else loss
                loss = loss + (third**4).sum() if step in (0, 4) else loss
                loss.backward()
                optimizer.step()
            counts = [float(optimizer.state[p]["step"]) for p in (first, second, third)]
            assert counts == [6.0, 5.0, 2.0]
        found.append([first, second, third])
    # PyTorch keeps one of NAdam's counts in float32.
    same(*found, 1e-7)


def test_counts_that_were_loaded_are_one_count_again(tmp_path):
    weights = leaves(gt)
    optimizer = gt.optim.NAdam(weights, lr=0.1)
    train(gt, optimizer, weights, 3)
    gt.save(optimizer.state_dict(), tmp_path / "state")
    optimizer.load_state_dict(gt.load(tmp_path / "state"))
    first, second = (optimizer.state[weight] for weight in weights)
    assert first["step"] is second["step"]
    assert first["mu_product"] is second["mu_product"]
    assert first["step"].item() == 3.0


def test_whoever_holds_a_gradient_sees_it_zeroed():
    x = gt.tensor([2.0], requires_grad=True)
    (x * x).sum().backward()
    held = x.grad
    gt.optim.SGD([x], lr=0.1).zero_grad(set_to_none=False)
    assert held.tolist() == [0.0]
    assert x.grad.tolist() == [0.0]


def test_a_learning_rate_may_be_a_tensor(torch):
    found = []
    for module in (gt, torch):
        weights = leaves(module)
        lr = module.tensor(0.05, dtype=module.float64)
        optimizer = module.optim.Adam(weights, lr=lr)
        train(module, optimizer, weights, 3)
        lr.mul_(0.5)
        train(module, optimizer, weights, 3, first=3)
        found.append(weights)
    same(*found)


def test_closures_are_called_with_gradients():
    (x,) = (gt.tensor([2.0], requires_grad=True),)
    optimizer = gt.optim.SGD([x], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (x * x).sum()
        loss.backward()
        return loss

    with gt.no_grad():
        assert optimizer.step(closure).item() == 4.0
    assert x.tolist() == [1.0]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: gt.optim.SGD(x), TypeError),
        (lambda x: gt.optim.SGD([]), ValueError),
        (lambda x: gt.optim.SGD([x], lr=-1), ValueError),
        (lambda x: gt.optim.AdamW([x], learning_rate=0.1), TypeError),
        (lambda x: gt.optim.RMSprop([x], learning_rate=0.1), TypeError),
        (lambda x: gt.optim.SGD([1.0]), TypeError),
        (lambda x: gt.optim.SGD([x * 2]), ValueError),
        (lambda x: gt.optim.Adam([x], betas=(1.0, 0.9)), ValueError),
        (lambda x: gt.optim.SGD([{"params": [x]}, {"params": [x]}]), ValueError),
        (lambda x: gt.optim.SGD([x], momentum=0, nesterov=True), ValueError),
    ],
)
def test_wrong_options_are_refused(call, error):
    with pytest.raises(error):
        call(gt.ones(1, requires_grad=True))


SCHEDULES = {
    "StepLR": {"step_size": 3, "gamma": 0.5},
    "MultiStepLR": {"milestones": [2, 5, 5, 9], "gamma": 0.5},
    "ExponentialLR": {"gamma": 0.9},
    "LinearLR": {"start_factor": 0.25, "total_iters": 6},
    "ConstantLR": {"factor": 0.5, "total_iters": 4},
    "CosineAnnealingLR": {"T_max": 7, "eta_min": 0.01},
    "OneCycleLR": {"max_lr": 0.3, "total_steps": 20, "cycle_momentum": False},
    "LambdaLR": {"lr_lambda": lambda step: 1 / (1 + step)},
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_agree_with_pytorch(torch, name):
    rates = []
    for module in (gt, torch):
        optimizer = module.optim.SGD(leaves(module), lr=0.1)
        schedule = getattr(module.optim.lr_scheduler, name)(optimizer, **SCHEDULES[name])
        seen = []
        for _ in range(15):
            seen.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        rates.append(seen)
    np.testing.assert_allclose(*rates, rtol=1e-9)


def test_schedules_in_sequence_agree_with_pytorch(torch):
    rates = []
    for module in (gt, torch):
        optimizer = module.optim.SGD(leaves(module), lr=0.1)
        kinds = module.optim.lr_scheduler
        parts = [
            kinds.LinearLR(optimizer, start_factor=0.1, total_iters=4),
            kinds.CosineAnnealingLR(optimizer, T_max=8),
        ]
        schedule = kinds.SequentialLR(optimizer, parts, milestones=[4])
        seen = []
        for _ in range(12):
            seen.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        rates.append(seen)
    np.testing.assert_allclose(*rates, rtol=1e-9, atol=1e-12)


def test_plateaus_agree_with_pytorch(torch):
    losses = [5, 4, 4, 4, 4, 3.9999, 4, 2, 2, 2, 2, 2, 2, 2, math.nan]
    rates = []
    for module in (gt, torch):
        optimizer = module.optim.SGD(leaves(module), lr=0.1)
        schedule = module.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=2, cooldown=1)
        seen = []
        for loss in losses:
            schedule.step(loss)
            seen.append(optimizer.param_groups[0]["lr"])
        rates.append(seen)
    np.testing.assert_allclose(*rates)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_saved_schedule_goes_on_where_it_was(name):
    optimizer = gt.optim.SGD(leaves(gt), lr=0.1)
    schedule = getattr(gt.optim.lr_scheduler, name)(optimizer, **SCHEDULES[name])
    for _ in range(4):
        schedule.step()
    state, rate = schedule.state_dict(), optimizer.param_groups[0]["lr"]
    for _ in range(3):
        schedule.step()
    expected = optimizer.param_groups[0]["lr"]
    other = gt.optim.SGD(leaves(gt), lr=0.1)
    resumed = getattr(gt.optim.lr_scheduler, name)(other, **SCHEDULES[name])
    resumed.load_state_dict(state)
    other.param_groups[0]["lr"] = rate
    for _ in range(3):
        resumed.step()
    assert other.param_groups[0]["lr"] == expected
