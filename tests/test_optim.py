"""Optimisers and schedules, with PyTorch as the oracle."""

import copy
import math
import warnings

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
    "SGD momentum": (0, 2),
    "SGD nesterov": (0, 2),
    "Adam": (7, 1),
    "AdamW": (7, 1),
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
    "OneCycleLR": {"max_lr": 0.3, "total_steps": 20},
    "LambdaLR": {"lr_lambda": lambda step: 1 / (1 + step)},
    "MultiplicativeLR": {"lr_lambda": lambda step: 0.9 + 0.01 * step},
    "PolynomialLR": {"total_iters": 7, "power": 2.0},
    "CosineAnnealingWarmRestarts": {"T_0": 3, "T_mult": 2, "eta_min": 0.01},
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules_agree_with_pytorch(torch, name):
    rates = []
    for module in (gt, torch):
        optimizer = module.optim.SGD(leaves(module), lr=0.1, momentum=0.5)
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


# Schedules that go on from the rate before, so that others and the program may change it.
CHAINING = [
    *("StepLR", "MultiStepLR", "ExponentialLR", "LinearLR", "ConstantLR"),
    *("CosineAnnealingLR", "PolynomialLR", "MultiplicativeLR"),
]


def rates_of(module, program, steps=18, **options):
    """The rates and momenta of all groups in each step of a program with schedules."""
    made = {"lr": 0.1, "momentum": 0.9, **options}
    optimizer = module.optim.SGD([{"params": p} for p in leaves(module)], **made)
    schedules = program(module.optim.lr_scheduler, optimizer)
    seen = []
    for step in range(steps):
        seen.append([float(g[k]) for g in optimizer.param_groups[:2] for k in ("lr", "momentum")])
        optimizer.step()
        for schedule in schedules(step) if callable(schedules) else schedules:
            schedule.step()
    return seen


def same_rates(torch, program, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = rates_of(gt, program, **options), rates_of(torch, program, **options)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


def test_schedules_chain_and_respect_a_rate_that_was_changed(torch):
    for first in CHAINING:
        for second in CHAINING:
            same_rates(
                torch,
                lambda kinds, optimizer, pair=(first, second): [
                    getattr(kinds, name)(optimizer, **SCHEDULES[name]) for name in pair
                ],
            )

        def changed(kinds, optimizer, name=first):
            schedule = getattr(kinds, name)(optimizer, **SCHEDULES[name])

            def at(step):
                if step == 3:
                    optimizer.param_groups[1]["lr"] = 7.0
                return [schedule]

            return at

        same_rates(torch, changed)


def test_a_rate_that_is_a_tensor_stays_that_tensor(torch):
    for name in CHAINING:
        rates = []
        for module in (gt, torch):
            rate = module.tensor(0.1, dtype=module.float64)
            optimizer = module.optim.SGD(leaves(module), lr=rate)
            schedule = getattr(module.optim.lr_scheduler, name)(optimizer, **SCHEDULES[name])
            for _ in range(4):
                optimizer.step()
                schedule.step()
            assert optimizer.param_groups[0]["lr"] is rate
            rates.append([rate.item(), float(schedule.get_last_lr()[0])])
        np.testing.assert_allclose(*rates, rtol=1e-12)


def test_one_cycle_cycles_momentum(torch):
    for strategy in ("cos", "linear"):
        for three in (False, True):
            options = {"anneal_strategy": strategy, "three_phase": three, "pct_start": 0.3}
            for peak in (0.3, [0.3, 0.5]):
                same_rates(
                    torch,
                    lambda kinds, optimizer, peak=peak, options=options: [
                        kinds.OneCycleLR(optimizer, peak, total_steps=20, **options)
                    ],
                )
    betas = []
    for module in (gt, torch):
        optimizer = module.optim.Adam(leaves(module), lr=0.1)
        schedule = module.optim.lr_scheduler.OneCycleLR(optimizer, 0.3, epochs=2, steps_per_epoch=5)
        seen = []
        for _ in range(10):
            seen.append(optimizer.param_groups[0]["betas"])
            optimizer.step()
            schedule.step()
        betas.append(seen)
        plain = module.optim.Adagrad(leaves(module))
        with pytest.raises(ValueError, match="momentum"):
            module.optim.lr_scheduler.OneCycleLR(plain, 0.3, total_steps=5)
    np.testing.assert_allclose(*betas, rtol=1e-12)


def test_groups_may_be_added_while_a_schedule_runs(torch):
    for name in CHAINING:
        if name == "MultiplicativeLR":
            continue  # It has a function for each group, in PyTorch too.
        rates = []
        for module in (gt, torch):
            first, second = leaves(module)
            optimizer = module.optim.SGD([first], lr=0.1)
            schedule = getattr(module.optim.lr_scheduler, name)(optimizer, **SCHEDULES[name])
            optimizer.step()
            schedule.step()
            optimizer.add_param_group({"params": [second], "lr": 0.5})
            seen = []
            for _ in range(5):
                optimizer.step()
                schedule.step()
                seen.append([group["lr"] for group in optimizer.param_groups])
                assert schedule.get_last_lr() == seen[-1]
            rates.append(seen)
        np.testing.assert_allclose(*rates, rtol=1e-12)
    for name in ("LambdaLR", "OneCycleLR"):
        for module in (gt, torch):
            first, second = leaves(module)
            optimizer = module.optim.SGD([first], lr=0.1, momentum=0.9)
            schedule = getattr(module.optim.lr_scheduler, name)(optimizer, **SCHEDULES[name])
            optimizer.add_param_group({"params": [second]})
            optimizer.step()
            with pytest.raises((ValueError, KeyError)):
                schedule.step()


def test_schedules_of_schedules_agree_with_pytorch(torch):
    def chained(kinds, optimizer):
        parts = [kinds.LinearLR(optimizer, 0.2, total_iters=6), kinds.ExponentialLR(optimizer, 0.9)]
        return [kinds.ChainedScheduler(parts)]

    def nested(kinds, optimizer):
        warm = kinds.ConstantLR(optimizer, 0.1, total_iters=3)
        both = kinds.ChainedScheduler([warm, kinds.ExponentialLR(optimizer, 0.9)])
        parts = [both, kinds.StepLR(optimizer, 2), kinds.CosineAnnealingLR(optimizer, 9)]
        return [kinds.SequentialLR(optimizer, parts, milestones=[4, 9])]

    def numbered(kinds, optimizer):
        schedule = kinds.CosineAnnealingLR(optimizer, 5)
        linear = kinds.LinearLR(optimizer, 0.2, total_iters=6)

        def at(step):
            if step in (4, 9):
                (linear if step == 4 else schedule).step(step - 2)
            return [schedule]

        return at

    for program in (chained, nested, numbered):
        same_rates(torch, program)


def test_plateaus_below_zero_and_with_bounds_for_each_group(torch):
    losses = [-1, -0.99995, -0.9999, -1.00005, -2, -2, -1, -1, -1, -1, -1, -1, -1, -1]
    for options in (
        {"patience": 1, "min_lr": [0.05, 0.001]},
        {"mode": "max", "patience": 2, "threshold": 0.1},
        {"threshold_mode": "abs", "threshold": 0.5, "patience": 1},
        {"mode": "max", "threshold_mode": "abs", "patience": 0, "cooldown": 2},
    ):
        rates = []
        for module in (gt, torch):
            optimizer = module.optim.SGD([{"params": p} for p in leaves(module)], lr=0.1)
            schedule = module.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options)
            assert isinstance(schedule, module.optim.lr_scheduler.LRScheduler)
            seen = []
            for loss in losses:
                schedule.step(loss)
                seen.append(schedule.get_last_lr())
            rates.append(seen)
        np.testing.assert_allclose(*rates)


WEIGHTS = (0.5, 1.0, 1.0, 0.1, 0.9, 0.25)


def test_a_step_of_adam_is_one_write_that_views_see():
    parameter = gt.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    averages = [gt.ones(2, 2), gt.ones(2, 2) * 2]
    seen, grad = [tensor.detach() for tensor in (parameter, *averages)], gt.ones(2, 2) * 3
    with pytest.raises(RuntimeError, match="leaf"):
        parameter.adam_(*averages, grad, *WEIGHTS)
    with gt.no_grad():
        assert parameter.adam_(*averages, grad, *WEIGHTS) is parameter
    assert [view.tolist() for view in seen] == [t.tolist() for t in (parameter, *averages)]
    assert averages[0][0].tolist() == pytest.approx([1.2, 1.2])
    assert not averages[0].requires_grad
    assert parameter.is_leaf


def test_a_step_of_adam_may_be_of_parts_of_tensors():
    base, moments = gt.arange(6.0).reshape(2, 3), gt.ones(2, 3)
    whole, mean, square = base[0].clone(), gt.ones(3), gt.ones(3)
    whole.adam_(mean, square, gt.ones(3) * 4, *WEIGHTS)
    base[0].adam_(moments[0], moments[1], gt.ones(3) * 4, *WEIGHTS)
    assert base.tolist() == [whole.tolist(), [3.0, 4.0, 5.0]]
    assert moments.tolist() == [mean.tolist(), square.tolist()]


def test_a_step_of_adam_refuses_what_it_cannot_write_into():
    parameter, mean, grad = gt.ones(3), gt.ones(3), gt.ones(3)
    with pytest.raises(RuntimeError, match="adam: 'square' has the shape"):
        parameter.adam_(mean, gt.ones(1), grad, *WEIGHTS)
    with pytest.raises(TypeError, match="adam_: cannot write into the number"):
        gt.tensor(1.0).adam_(gt.tensor(1.0), 1.0, gt.tensor(1.0), *WEIGHTS)
    assert parameter.tolist() == mean.tolist() == [1.0, 1.0, 1.0]


def test_updates_of_many_tensors_at_once_are_those_of_each():
    tensors, others = [gt.ones(2), gt.ones(3)], [gt.ones(2) * 2, gt.ones(3) * 3]
    gt._gt._update_each("sub_scaled", tensors, others, 0.5)
    assert [tensor.tolist() for tensor in tensors] == [[0.0] * 2, [-0.5] * 3]
    gt._gt._update_each("mul", tensors, gt.tensor(2.0))
    assert [tensor.tolist() for tensor in tensors] == [[0.0] * 2, [-1.0] * 3]
    gt._gt._update_each("mul", [], 2.0)
    with pytest.raises(ValueError, match="a list has 1 tensors where there are 2 to update"):
        gt._gt._update_each("add", tensors, others[:1])
    with pytest.raises(TypeError, match="expected tensors or a number, not two"):
        gt._gt._update_each("add", tensors, "two")
    with pytest.raises(ValueError, match="there is no operation 'subtract'"):
        gt._gt._update_each("subtract", tensors, others)
    with pytest.raises(RuntimeError, match="add_: output with shape"):
        gt._gt._update_each("add", tensors, [gt.ones(2), gt.ones(2, 3)])
