"""What PyTorch programs say in their first lines: devices, switches, folders, older names."""

import importlib
import subprocess
import sys

import gt
import numpy as np
import pytest

# Names that programs take from PyTorch's folders, each in its place.
PLACES = {
    "nn.parallel": "DataParallel DistributedDataParallel data_parallel",
    "nn.modules": "Module Linear Sequential Conv2d batchnorm utils conv",
    "nn.modules.batchnorm": "BatchNorm2d _BatchNorm",
    "nn.modules.instancenorm": "InstanceNorm2d _InstanceNorm",
    "nn.modules.conv": "Conv2d _ConvNd",
    "nn.modules.loss": "MSELoss _Loss _WeightedLoss",
    "nn.modules.utils": "_single _pair _triple",
    "nn.modules.module": "Module",
    "nn.modules.container": "Sequential ModuleList",
    "nn.modules.linear": "Linear Identity",
    "nn.modules.activation": "ReLU MultiheadAttention",
    "nn.modules.rnn": "LSTM RNNBase LSTMCell",
    "nn.modules.transformer": "Transformer TransformerEncoderLayer",
    "nn.modules.normalization": "LayerNorm",
    "nn.modules.dropout": "Dropout2d",
    "nn.modules.pooling": "MaxPool2d",
    "nn.modules.padding": "ReflectionPad2d",
    "nn.modules.upsampling": "Upsample",
    "nn.modules.sparse": "Embedding",
    "nn.parameter": "Parameter Buffer",
    "utils.data.dataloader": "DataLoader default_collate",
    "utils.data.dataset": "Dataset TensorDataset",
    "utils.data.sampler": "RandomSampler",
    "utils.data.distributed": "DistributedSampler",
    "serialization": "load save add_safe_globals",
    "multiprocessing": "Process Queue spawn set_start_method set_sharing_strategy",
    "onnx": "export",
    "jit": "script trace ScriptModule is_scripting",
    "autograd": "Variable",
    "distributed": "is_available init_process_group ReduceOp",
    "accelerator": "is_available current_accelerator device_count synchronize",
    "backends.cudnn": "benchmark deterministic enabled flags is_available version",
    "backends.cuda": "matmul is_built enable_flash_sdp",
    "backends.mps": "is_available is_built",
    "backends.mkldnn": "is_available",
    "testing": "assert_close",
    "cuda": "is_available device_count synchronize memory_allocated empty_cache manual_seed_all",
    "optim.lr_scheduler": "LRScheduler _LRScheduler",
}


def test_folders_of_pytorch_can_be_imported():
    for place, names in PLACES.items():
        module = importlib.import_module(f"gt.{place}")
        for name in names.split():
            assert getattr(module, name) is not None, (place, name)
    assert gt.nn.modules.batchnorm._BatchNorm in gt.nn.BatchNorm2d.__mro__
    assert gt.nn.modules.utils._pair(3) == (3, 3)


@pytest.mark.embedded("a fresh interpreter looks at what was imported")
def test_asking_for_a_device_neither_begins_a_session_nor_imports_much():
    code = """
    import sys, gt
    device = gt.device("cuda" if gt.cuda.is_available() else "cpu")
    count = gt.cuda.device_count() + gt.accelerator.device_count()
    known = (gt.accelerator.current_accelerator(), gt.cuda.memory_allocated())
    gt.backends.cudnn.benchmark = True
    gt.backends.cuda.matmul.allow_tf32 = True
    gt.cuda.manual_seed_all(3)
    assert (count, known) == (0, (None, 0)), (count, known)
    assert gt.status() == {"open": False}, gt.status()
    assert not {"numpy", "multiprocessing", "torch"} & set(sys.modules)
    """
    lines = "\n".join(line[4:] for line in code.splitlines())
    done = subprocess.run(
        [sys.executable, "-c", lines], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@pytest.mark.filterwarnings("ignore:device .* has no effect")
def test_devices_answer_for_the_session():
    x = gt.ones(1000)
    gt.cuda.synchronize()
    assert gt.cuda.is_available() == x.is_cuda == gt.accelerator.is_available()
    assert gt.cuda.device_count() == (gt.status()["workers"] if x.is_cuda else 0)
    assert gt.cuda.memory_allocated() >= x.nbytes
    assert gt.cuda.max_memory_allocated() >= gt.cuda.memory_allocated()
    assert gt.cuda.memory_reserved() >= gt.cuda.memory_allocated()
    for call in (gt.cuda.empty_cache, gt.cuda.reset_peak_memory_stats, gt.cuda.ipc_collect):
        assert call() is None
    gt.cuda.set_device(3)
    assert gt.cuda.current_device() == gt.accelerator.current_device_index() == 0
    with gt.cuda.device(1):
        assert gt.equal(x.cuda(), x)
    with pytest.raises(RuntimeError, match=r"gt\.status"):
        gt.cuda.get_device_name()


def test_seeds_of_gpus_leave_the_numbers_of_a_cpu_alone():
    gt.manual_seed(1)
    state = gt.get_rng_state()
    gt.cuda.manual_seed(7)
    gt.cuda.manual_seed_all(7)
    assert gt.equal(gt.get_rng_state(), state) != gt.cuda.is_available()


def test_failures_are_raised_where_a_gpu_would_be_waited_for():
    gt.ones(3).gather(0, gt.tensor([5]))
    with pytest.raises(IndexError, match="gather"):
        gt.cuda.synchronize()


def test_what_is_absent_is_refused_on_use_with_advice():
    assert not gt.distributed.is_available()
    assert not gt.distributed.is_initialized()
    refused = {
        "gt worker": [gt.distributed.init_process_group, gt.distributed.get_rank],
        "safetensors": [gt.onnx.export],
        "workers": [lambda: gt.nn.parallel.DistributedDataParallel(gt.nn.Linear(1, 1))],
        "state_dict": [gt.jit.load],
        "RandomSampler": [gt.utils.data.distributed.DistributedSampler],
    }
    for words, calls in refused.items():
        for call in calls:
            with pytest.raises(NotImplementedError, match=words):
                call()
    with pytest.raises(AttributeError):
        gt.onnx.__nothing__  # noqa: B018


def test_data_parallel_computes_the_same_under_the_names_of_pytorch(torch):
    found = []
    for m in (gt, torch):
        inner = m.nn.Linear(2, 1)
        with m.no_grad():
            [parameter.fill_(0.5) for parameter in inner.parameters()]
        if m is gt:
            with pytest.warns(UserWarning, match=r"gt\.workers"):
                model = m.nn.DataParallel(inner)
        else:
            model = m.nn.DataParallel(inner)
        model(m.ones(3, 2)).sum().backward()
        assert model.module is inner
        grads = [parameter.grad.tolist() for parameter in model.parameters()]
        found.append([list(model.state_dict()), grads, model(m.ones(1, 2)).tolist()])
    assert found[0] == found[1]


def test_compile_gives_back_what_it_is_given():
    model = gt.nn.Linear(2, 2)
    assert gt.compile(model) is model
    assert model.compile() is None

    @gt.compile
    def plain(x):
        return x + 1

    @gt.compile(mode="max-autotune", fullgraph=True)
    def tuned(x):
        return x + 2

    assert gt.jit.script(plain) is plain
    assert gt.jit.trace(model, gt.ones(1, 2)) is model
    assert (plain(gt.zeros(1)).item(), tuned(gt.zeros(1)).item()) == (1.0, 2.0)
    with pytest.raises(TypeError):
        gt.compile(model, mood="x")


def test_compile_refuses_what_does_not_exist_and_warns_once_about_what_is_not_called(script):
    for options in ({"backend": "nonsense"}, {"mode": "nonsense"}, {"mode": "lite", "options": {}}):
        with pytest.raises(RuntimeError, match="compile: "):
            gt.compile(abs, **options)
        with pytest.raises(RuntimeError, match="compile: "):
            gt.nn.Linear(1, 1).compile(**options)
    code = """
    import warnings, gt
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for _ in range(2):
            gt.compile(abs, backend=lambda graph, inputs: graph)
            gt.compile(abs, backend="eager", fullgraph=True, dynamic=True)
    print(len(seen), seen[0].category.__name__, seen[0].message)
    """
    found = script(code).strip()
    assert found.startswith("1 UserWarning compile: backends are not called")


def test_a_device_that_the_session_is_not_on_is_warned_about_once(script):
    code = """
    import warnings, gt
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        gt.ones(2, device="cpu"), gt.nn.Linear(2, 2, device="cpu").to("cpu")
        print(len(seen))
        {first}
        gt.ones(2, device="cuda"), gt.ones(2).cuda(), gt.nn.Linear(2, 2).cuda()
    print(len(seen), seen[0].message)
    """
    uses = ('gt.ones(2, device="cuda:1")', "gt.ones(2).cuda()", 'gt.nn.Linear(2, 2, device="mps")')
    for first in (*uses, 'gt.nn.Linear(2, 2).to("cuda")', "gt.nn.GRU(2, 2).cuda()"):
        found = script(code.replace("{first}", first))
        assert found.startswith("0\n1 device '"), (first, found)
    for wrong in (gt.nn.Linear, gt.nn.LSTM, gt.nn.Embedding, gt.nn.MultiheadAttention):
        with pytest.raises(RuntimeError, match="Invalid device"):
            wrong(2, 2, device="nonsense")
    with pytest.raises(RuntimeError, match="Invalid device"):
        gt.nn.LayerNorm(2, device="nonsense")


def test_older_constructors_are_pytorchs(torch):
    kinds = "Float Double Half BFloat16 Long Int Short Char Byte Bool"
    for kind in kinds.split():
        found = []
        for m in (gt, torch):
            made = getattr(m, f"{kind}Tensor")
            tensors = [made([[1, 0, 1]]), made(2, 3), made(), made(np.array([1, 0]).tolist())]
            found.append([(str(t.dtype).split(".")[1], tuple(t.shape)) for t in tensors])
            assert tensors[0].tolist() == [[1, 0, 1]]
            assert isinstance(tensors[0], made)
            assert isinstance(m.ones(1).double(), made) == (kind == "Double")
        assert found[0] == found[1], kind


def test_functions_of_tensors_and_settings(torch):
    for m in (gt, torch):
        x = m.ones(2, 3, requires_grad=True)
        assert m.numel(x) == 6
        assert m.as_tensor(x) is x
        made = m.autograd.Variable(m.zeros(2), requires_grad=True)
        assert made.requires_grad
        assert made.is_leaf
        assert isinstance(made, m.autograd.Variable)
        assert not m.autograd.Variable(x).requires_grad
        assert m.as_tensor(x, dtype=m.float64).dtype == m.float64
        assert m.as_tensor(np.ones(2)).dtype == m.float64
        copied = m.clone(x)
        copied.sum().backward()
        assert x.grad.tolist() == [[1.0] * 3] * 2
        assert not m.detach(x).requires_grad
        assert m.get_num_threads() > 0
        before = m.get_num_threads()
        m.set_num_threads(before)
        with pytest.raises(RuntimeError):
            m.set_num_threads(0)
        m.set_float32_matmul_precision("high")
        assert m.get_float32_matmul_precision() == "high"
        m.set_float32_matmul_precision("highest")
        with pytest.warns(UserWarning, match="best"):
            m.set_float32_matmul_precision("best")
        m.use_deterministic_algorithms(True)
        assert m.are_deterministic_algorithms_enabled()
        m.use_deterministic_algorithms(False)


CLOSE = {
    "near": (lambda m: (m.ones(2), m.ones(2) + 1e-6), {}),
    "far": (lambda m: (m.ones(2), m.ones(2) + 1e-4), {}),
    "near in double": (lambda m: (m.ones(2).double(), m.ones(2).double() + 1e-8), {}),
    "far in double": (lambda m: (m.ones(2).double(), m.ones(2).double() + 1e-5), {}),
    "near in bfloat16": (lambda m: (m.ones(2).bfloat16(), m.ones(2).bfloat16() * 1.01), {}),
    "near in half": (lambda m: (m.ones(2).half(), m.ones(2).half() * 1.01), {}),
    "wide": (lambda m: (m.ones(2), m.ones(2) + 0.1), {"rtol": 0.0, "atol": 0.2}),
    "integers": (lambda m: (m.tensor([1, 2]), m.tensor([1, 3])), {}),
    "equal integers": (lambda m: (m.tensor([1, 2]), m.tensor([1, 2])), {}),
    "shapes": (lambda m: (m.ones(2), m.ones(2, 1)), {}),
    "dtypes": (lambda m: (m.ones(2), m.ones(2).double()), {}),
    "dtypes that do not matter": (
        lambda m: (m.ones(2), m.ones(2).double()),
        {"check_dtype": False},
    ),
    "nothing known": (lambda m: (m.tensor(float("nan")),) * 2, {}),
    "nothing known, equally": (lambda m: (m.tensor(float("nan")),) * 2, {"equal_nan": True}),
    "infinite": (lambda m: (m.tensor(float("inf")),) * 2, {}),
    "not infinite": (lambda m: (m.tensor(float("inf")), m.tensor(1.0)), {"rtol": 9.0, "atol": 9.0}),
    "numbers": (lambda m: (1.0, 1.0 + 1e-9), {}),
    "other numbers": (lambda m: (1, 2), {}),
    "lists": (lambda m: ([m.ones(1), 2.0], [m.ones(1), 2.0]), {}),
    "shorter lists": (lambda m: ([m.ones(1)], [m.ones(1), 2.0]), {}),
    "dicts": (lambda m: ({"a": m.ones(1)}, {"a": m.zeros(1)}), {}),
    "other keys": (lambda m: ({"a": m.ones(1)}, {"b": m.ones(1)}), {}),
    "a tensor and a number": (lambda m: (m.tensor(1.0), 1.0), {}),
    "an array": (lambda m: (np.ones(2), np.ones(2)), {}),
    "one tolerance": (lambda m: (m.ones(1), m.ones(1)), {"rtol": 1.0}),
    "texts": (lambda m: ("a", "a"), {}),
}


def test_closeness_is_pytorchs(torch):
    for case, (make, options) in CLOSE.items():
        found = []
        for m in (gt, torch):
            try:
                m.testing.assert_close(*make(m), **options)
                found.append("close")
            except (AssertionError, ValueError, TypeError) as error:
                found.append(type(error).__name__)
        assert found[0] == found[1], case
    with pytest.raises(AssertionError, match="2 of 3 elements"):
        gt.testing.assert_close(gt.tensor([1.0, 2.0, 3.0]), gt.ones(3))
    with pytest.raises(AssertionError, match="mine"):
        gt.testing.assert_close(gt.ones(1), gt.zeros(1), msg="mine")


def add_up(number, path):
    path.joinpath(str(number)).write_text(str(gt.full((3,), number).sum().item()))


@pytest.mark.embedded("starts interpreters of its own")
def test_spawned_processes_have_sessions_of_their_own(tmp_path):
    gt.multiprocessing.spawn(add_up, (tmp_path,), nprocs=2)
    assert [(tmp_path / str(n)).read_text() for n in range(2)] == ["0", "3"]
