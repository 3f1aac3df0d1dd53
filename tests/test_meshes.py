"""Training on a mesh of two axes, as the seeds write it: forward and backward in one signal."""

import pytest

CONFIG = """
mesh: {dp: 2, tp: 2}
forward:
  shard: {0: dp, -1: tp}
"""
# Rows of a batch, and the sizes of the two layers.
SHAPES = [(16, 8, 8, 1), (8, 4, 16, 2), (32, 64, 64, 10), (6, 5, 7, 3)]


@pytest.mark.embedded("asks for more workers than the processes of an arrangement are")
@pytest.mark.parametrize("inside", [True, False], ids=["backward inside", "backward outside"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_gradients_of_micro_batches_are_those_of_numpy(script, shape, inside):
    """Gradients accumulate in parameters that were made outside of the signal."""
    batch, inputs, hidden, outputs = shape
    program = f"""
        import pathlib
        import gt
        import numpy as np

        pathlib.Path("mesh.yaml").write_text({CONFIG!r})
        gt.load_config("mesh.yaml")
        gt.workers(4)
        gt.manual_seed(3)
        w = gt.randn({inputs}, {hidden}, requires_grad=True)
        v = gt.randn({hidden}, {outputs}, requires_grad=True)
        batches = []
        for _ in range(3):
            with gt.signal.context("forward"):
                batches.append(gt.randn({batch}, {inputs}))
                loss = (batches[-1] @ w @ v).square().mean()
                if {inside}:
                    loss.backward()
            if not {inside}:
                loss.backward()
        a, b = (x.detach().numpy().astype("float64") for x in (w, v))
        da, db = np.zeros_like(a), np.zeros_like(b)
        for x in batches:
            x = x.numpy().astype("float64")
            y = x @ a @ b
            dy = 2 * y / y.size
            da += x.T @ (dy @ b.T)
            db += (x @ a).T @ dy
        for gradient, exact in [(w.grad, da), (v.grad, db)]:
            assert np.allclose(gradient.numpy(), exact, rtol=1e-4, atol=1e-4 * abs(exact).max())
        print("equal")
    """
    assert script(program) == "equal"
