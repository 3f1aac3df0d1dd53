"""What a process loads and says, and that its numbers depend on nothing but the program."""

import pytest
from conftest import Script

pytestmark = pytest.mark.everywhere


def test_importing_does_not_import_numpy(script):
    text = script(
        """
        import sys
        import gt
        (gt.ones(3) + gt.randn(3)).tolist()
        print(repr(gt.arange(3)), "numpy" in sys.modules, "torch" in sys.modules)
        """
    )
    assert text == "tensor([0, 1, 2]) False False"


def test_the_first_line_of_the_readme_prints_a_tensor_and_nothing_else(script):
    lines = script("import gt; print(gt.randn(2,2))").splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("tensor([[")


MIXED = """
    import gt
    import hashlib
    gt.workers(WORKERS)
    gt.manual_seed(5)
    digest = hashlib.sha256()
    for step in range(4):
        x = gt.randn(130, 257)
        y = ((x * 2 + 1).relu() * 0.5 - 3).sigmoid()
        z = (y @ x.T).softmax(1) + y.sum(dim=1, keepdim=True) / 7
        x[1:40:3] = z[0, :257 - 130].sum() + x.T[5, 2]
        z -= z.mean(dim=0)
        values, places = z.topk(9)
        parts = [x.to(gt.float16).sum(dim=0), z.to(gt.bfloat16).exp(), values, places, z.nonzero()]
        for part in [x, y, z, *parts]:
            digest.update(part.double().numpy().tobytes())
    print(digest.hexdigest(), z.sum().item())
"""


@pytest.fixture(scope="module")
def plain_bits(tmp_path_factory):
    return Script(tmp_path_factory.mktemp("plain"), {})(MIXED.replace("WORKERS", "1"))


@pytest.mark.embedded("the window is a worker's own setting")
@pytest.mark.parametrize("size", ["0", "1", "2", "7"])
def test_no_bit_depends_on_where_a_window_ends(script, plain_bits, size):
    assert script(MIXED.replace("WORKERS", "1"), GT_WORKER_BATCH_SIZE=size) == plain_bits


@pytest.mark.embedded("the threads are a worker's own setting")
@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_no_bit_depends_on_the_threads(script, plain_bits, threads):
    assert script(MIXED.replace("WORKERS", "1"), GT_THREADS=threads) == plain_bits


LAYOUTS = """
    import gt
    gt.manual_seed(3)
    for dtype in (gt.float32, gt.float64, gt.bfloat16):
        # Below and above the sizes from which products with vectors are computed in another way.
        for rows, columns in [(30, 70), (300, 700), (5000, 20), (3, 30_000)]:
            by_rows = gt.randn(rows, columns).to(dtype)
            by_columns = by_rows.T.contiguous().T
            for shape in ((columns,), (columns, 1), (columns, 5)):
                other = gt.randn(shape).to(dtype)
                first, second = ((it @ other).double().numpy() for it in (by_rows, by_columns))
                assert (first == second).all(), (dtype, rows, shape)
                first, second = ((other.T @ it.T).double().numpy() for it in (by_rows, by_columns))
                assert (first == second).all(), (dtype, rows, shape)
    print("same")
"""


@pytest.mark.embedded("the instructions are a worker's own setting")
@pytest.mark.parametrize("cpu", [{}, {"GT_CPU": "portable"}])
def test_no_bit_depends_on_how_a_matrix_lies(script, cpu):
    assert script(LAYOUTS, **cpu) == "same"


@pytest.mark.parametrize("workers", ["2", "3", "5"])
def test_several_workers_give_the_same_numbers(script, plain_bits, workers):
    assert script(MIXED.replace("WORKERS", workers)) == plain_bits
