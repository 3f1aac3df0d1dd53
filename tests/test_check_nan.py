"""`GT_CHECK_NAN=1`: the first operation that makes what is not finite is named."""

import pytest
from cluster import Cluster

pytestmark = pytest.mark.embedded("each test says where GT runs")

# Everything is planned before it runs, so that elementwise steps would be computed together.
CHAIN = """
    import gt
    x = gt.tensor([1.0, 0.0, 4.0])
    gt.synchronize()
    y = x + 0
    z = (y * 2).log()
    w = (z + 1).exp().sqrt() * z
    try:
        print(w.tolist())
    except RuntimeError as error:
        print(error)
"""


def test_the_first_operation_of_a_chain_is_named(script):
    said = script(CHAIN, GT_CHECK_NAN="1")
    assert "log: 0 nan and 1 inf among 3 elements in the result of log on w0" in said
    assert "although its inputs are finite" in said
    assert ":6 in <module>" in said
    assert "nan" in script(CHAIN)


def test_whoever_is_given_what_is_not_finite_is_not_to_blame(script):
    code = """
        import gt
        masked = gt.zeros(4).masked_fill(gt.tensor([True, False, True, False]), float("-inf"))
        print(masked.softmax(dim=0).tolist(), (masked + 1).sum().item())
        print(gt.full((2,), float("inf")).mul(2).tolist(), (gt.ones(2) * float("nan")).tolist())
        print((gt.tensor([float("nan")]) + 1).tolist())
        print(gt.tensor([3, 0]).div(gt.tensor([1, 1]), rounding_mode="floor").tolist())
    """
    assert script(code, GT_CHECK_NAN="1") == script(code)


def test_what_a_composite_does_inside_is_its_own_business(script):
    code = """
        import gt
        from gt.nn import functional as F
        x = gt.tensor([-1000.0, 0.0, 1000.0])
        print(*(f(x).tolist() for f in (F.softplus, F.elu, F.silu, F.logsigmoid, F.gelu)))
    """
    assert script(code, GT_CHECK_NAN="1") == script(code)


UPDATE = """
    import gt
    gt.workers({workers})
    w = gt.ones(4)
    opt = gt.optim.SGD([w.requires_grad_()], lr=1.0)
    for scale in (0.25, 0.0):
        opt.zero_grad()
        (w / scale).sum().backward()
        opt.step()
    try:
        gt.synchronize()
    except RuntimeError as error:
        print(error)
    print(w.tolist())
    (w + 1).sum().item()
    gt.synchronize()
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_parameters_keep_their_last_finite_values_and_the_session_goes_on(workers, script):
    said = script(UPDATE.format(workers=workers), GT_CHECK_NAN="1")
    assert "in the result of div on w" in said
    assert ":8 in <module>" in said
    assert said.endswith("\n[-3.0, -3.0, -3.0, -3.0]")


CUT = """
    import gt
    from gt import ShardConfig, SignalConfig
    gt.workers(2)
    gt.register_config("cut", SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1])))
    with gt.signal.context("cut"):
        x = gt.tensor([[1.0], [2.0], [{last}], [4.0]])
        w = gt.ones(4, 1)
        y = x.log()
        w += y
    try:
        y.sum().item()
        print("finite")
    except RuntimeError as error:
        print(error)
    print(w.tolist() == [[1.0]] * 4)
"""


def test_under_cuts_the_worker_is_named_and_nobody_updates(script):
    said = script(CUT.format(last="0.0"), GT_CHECK_NAN="1")
    assert "log: 0 nan and 1 inf among 2 elements in the result of log on w1" in said
    assert ":9 in <module>" in said
    assert said.endswith("\nTrue")
    assert script(CUT.format(last="3.0"), GT_CHECK_NAN="1") == "finite\nFalse"


def test_an_update_on_another_worker_waits_for_the_check(script):
    code = """
        import gt
        from gt import ShardConfig, SignalConfig
        gt.workers(2)
        for worker in (0, 1):
            shard = ShardConfig(axis=0, workers=[worker])
            gt.register_config(f"on{worker}", SignalConfig(shard=shard))
        with gt.signal.context("on0"):
            w = gt.tensor([1.0, 1.0])
        with gt.signal.context("on1"):
            x = gt.tensor([2.0, 0.0])
        gt.synchronize()
        y = x.log()
        w += 1
        try:
            gt.synchronize()
        except RuntimeError as error:
            print("on w1" in str(error))
        print(gt.debug.placement(w), w.tolist())
    """
    assert script(code, GT_CHECK_NAN="1") == "True\nwhole on 0 [1.0, 1.0]"
    assert script(code) == "whole on 0 [2.0, 2.0]"


def test_a_sum_of_parts_that_is_too_large_is_found(script):
    code = """
        import gt
        from gt import ShardConfig, SignalConfig
        gt.workers(2)
        gt.register_config("cut", SignalConfig(shard=ShardConfig(axis=0, workers=[0, 1])))
        with gt.signal.context("cut"):
            x = gt.full((4,), 1e38)
        try:
            print((x.sum() * 1).item())
        except RuntimeError as error:
            print(error)
    """
    said = script(code, GT_CHECK_NAN="1")
    assert "0 nan and 1 inf among 1 elements" in said
    assert "sum" in said


def test_a_session_at_a_server_asks_for_itself_alone(script):
    with Cluster(workers=2) as cluster:
        for checked in ("1", "", "1"):
            said = script(CHAIN, GT_CHECK_NAN=checked, **cluster.variables)
            assert ("in the result of log on w" in said) == bool(checked), said


def test_the_reference_engine_is_checked_too(script):
    said = script(CHAIN, GT_CHECK_NAN="1", GT_BACKEND="reference")
    assert "in the result of log on w0" in said
