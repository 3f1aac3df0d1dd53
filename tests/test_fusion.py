"""What is computed together has the bits of what is computed one by one."""

import pytest
from conftest import Script

# Elementwise chains that end in a reduction, with views between them, and a recurrent layer.
PROGRAM = """
    import hashlib
    import gt

    gt.manual_seed(5)
    results = []

    def keep(*tensors):
        results.extend(tensors)

    for shape in [(5000,), (37, 301), (3, 40, 257), (70000,), (300, 1024), (2, 3), (1, 4096)]:
        x = gt.randn(*shape, requires_grad=True)
        y, row = gt.randn(*shape), gt.randn(shape[-1])
        keep(((x * 2 + 1).relu() * 0.5 - 3).sigmoid().sum())
        keep((x * y + row).sum(-1), (x - y).exp().mean(-1, keepdim=True))
        keep((x * row).sum(), (x * row).tanh().amax(-1), (x.abs() + 1).log().mean())
        kept = x.double() * 3
        keep(kept.sum(), (kept - 1).amin(), kept + 1)
        parts = x[..., : shape[-1] // 2], x[..., -(shape[-1] // 2) :]
        keep((parts[0].sigmoid() * parts[1].tanh()).square().sum(-1))
        (x.softmax(-1) * y + (x * row).tanh()).square().mean().backward()
        keep(x.grad)
    layer = gt.nn.LSTM(5, 300)
    output, _ = layer(gt.randn(70, 3, 5))
    output.square().sum().backward()
    keep(output, *(parameter.grad for parameter in layer.parameters()))
    digest = hashlib.sha256()
    for result in results:
        digest.update(result.detach().numpy().tobytes())
    print(digest.hexdigest())
"""


@pytest.fixture(scope="module")
def one_by_one(tmp_path_factory):
    alone = Script(tmp_path_factory.mktemp("alone"), {})
    return alone(PROGRAM, GT_WORKER_BATCH_SIZE="1", GT_THREADS="1")


@pytest.mark.embedded("the window and the threads are a worker's own settings")
@pytest.mark.parametrize("size", ["0", "3", "7"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_bits_depend_neither_on_windows_nor_on_threads(script, one_by_one, size, threads):
    assert script(PROGRAM, GT_WORKER_BATCH_SIZE=size, GT_THREADS=threads) == one_by_one
