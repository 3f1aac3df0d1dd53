"""Files: values that come back as they were, files of others, and files that are damaged."""

import io
import json
import math
import pickle
import zipfile
from collections import OrderedDict

import gt
import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64"]
DTYPES += ["float16", "bfloat16", "float32", "float64"]


def saved(value):
    file = io.BytesIO()
    gt.save(value, file)
    return file.getvalue()


def again(value):
    return gt.load(io.BytesIO(saved(value)))


def same(one, two):
    if isinstance(one, gt.Tensor):
        assert (one.dtype, one.shape) == (two.dtype, two.shape)
        assert one.requires_grad == two.requires_grad
        assert one.tolist() == two.tolist()
    elif isinstance(one, dict):
        assert type(one) is type(two)
        assert list(one) == list(two)
        for key, value in one.items():
            same(value, two[key])
    elif isinstance(one, list | tuple):
        assert type(one) is type(two)
        for a, b in zip(one, two, strict=True):
            same(a, b)
    else:
        assert type(one) is type(two)
        assert one == two or (math.isnan(one) and math.isnan(two))


def value():
    return {
        "model": OrderedDict([("b.weight", gt.arange(6).reshape(2, 3)), ("a", gt.zeros(0, 3))]),
        3: [1, 2.5, -0.0, True, None, "ünï\n", b"\x00\xff", (), (1,), [], {}],
        (1, "x"): {"nan": math.nan, "inf": math.inf, "big": 10**30, None: False, 2.5: gt.float16},
        "number": gt.tensor(2.5),
    }


class Pipe(io.RawIOBase):
    """A stream that goes one way."""

    def __init__(self, content=b""):
        super().__init__()
        self.content = bytearray(content)

    def readable(self):
        return True

    def writable(self):
        return True

    def write(self, data):
        self.content += data
        return len(data)

    def readinto(self, into):
        count = min(len(into), len(self.content), 1000)
        into[:count] = self.content[:count]
        del self.content[:count]
        return count


def test_a_stream_that_cannot_go_back_is_written_and_read():
    pipe = Pipe()
    gt.save(value(), pipe)
    assert bytes(pipe.content) == saved(value())
    same(value(), gt.load(pipe))


def test_a_file_is_read_from_where_it_stands():
    file = io.BytesIO(b"before" + saved(value()))
    file.seek(len(b"before"))
    same(value(), gt.load(file))


def test_any_nesting_comes_back():
    same(value(), again(value()))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_comes_back(dtype):
    same(gt.tensor([[0, 1], [1, 0]], dtype=dtype), again(gt.tensor([[0, 1], [1, 0]], dtype=dtype)))


def test_views_come_back_as_their_elements():
    x = gt.arange(12).reshape(3, 4)
    same([x.T, x[1:, ::2], x.expand(2, 3, 4)], again([x.T, x[1:, ::2], x.expand(2, 3, 4)]))


def test_tensors_with_the_same_elements_come_back_as_one():
    w = gt.ones(100, 100)
    data = saved([w, w.detach(), {"w": w}, w[0], w[0]])
    assert len(data) < 42_000
    one, two, three, row, other = gt.load(io.BytesIO(data))
    assert one is two
    assert one is three["w"]
    assert row is other
    one.zero_()
    assert two.sum().item() == 0


def test_parameters_come_back_with_their_gradient():
    net = gt.nn.Linear(2, 2)
    weight = again({"p": net.weight, "s": net.state_dict()})
    assert weight["p"].requires_grad
    assert not weight["s"]["weight"].requires_grad


def test_a_model_and_its_optimizer_go_on_from_a_file(tmp_path):
    def step(net, optimizer):
        optimizer.zero_grad()
        net(gt.ones(2, 3)).pow(2).sum().backward()
        optimizer.step()

    net = gt.nn.Linear(3, 2)
    optimizer = gt.optim.Adam(net.parameters(), lr=0.1)
    step(net, optimizer)
    gt.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, tmp_path / "a.gt")
    other = gt.nn.Linear(3, 2)
    rest = gt.optim.Adam(other.parameters(), lr=0.1)
    found = gt.load(tmp_path / "a.gt")
    other.load_state_dict(found["net"])
    rest.load_state_dict(found["optimizer"])
    for _ in range(3):
        step(net, optimizer)
        step(other, rest)
    assert other.weight.tolist() == net.weight.tolist()


def test_what_cannot_be_saved_is_named():
    with pytest.raises(TypeError, match=r"object at a\.1"):
        gt.save({"a": [1, object()]}, io.BytesIO())
    value = []
    value.append(value)
    with pytest.raises(ValueError, match="contains itself"):
        gt.save(value, io.BytesIO())


def test_a_file_is_replaced_at_once_or_not_at_all(tmp_path):
    path = tmp_path / "a.gt"
    gt.save(1, path)
    with pytest.raises(TypeError):
        gt.save([gt.ones(3), object()], path)
    assert gt.load(path) == 1
    gt.save(2, str(path))
    assert gt.load(path) == 2
    assert [file.name for file in tmp_path.iterdir()] == ["a.gt"]
    with pytest.raises(FileNotFoundError):
        gt.load(tmp_path / "b.gt")


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_safetensors_of_others_are_a_dict_of_tensors():
    data = np.arange(6, dtype=np.float32)
    header = {
        "__metadata__": {"format": "pt"},
        "b": {"dtype": "F32", "shape": [2, 2], "data_offsets": [8, 24]},
        "a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
    }
    found = gt.load(io.BytesIO(safetensors(header, data.tobytes())))
    same({"b": gt.tensor([[2.0, 3.0], [4.0, 5.0]]), "a": gt.tensor([0.0, 1.0])}, found)


def test_a_file_of_tensors_has_their_names():
    data = saved({"layer.weight": gt.ones(2, dtype=gt.bfloat16), "layer.bias": gt.ones(1)})
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    assert set(header) == {"__metadata__", "layer.weight", "layer.bias"}
    assert header["layer.weight"] == {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}


def entry(**changes):
    return {"x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8], **changes}}


HOSTILE = {
    "nothing": b"",
    "a length beyond the file": (1 << 62).to_bytes(8, "little") + b"{}",
    "no JSON": safetensors(b"{]"),
    "a list": safetensors([]),
    "deep JSON": safetensors(b"[" * 100_000),
    "no entry": safetensors({"x": 1}),
    "an unknown dtype": safetensors(entry(dtype="F8"), bytes(8)),
    "a wrong shape": safetensors(entry(shape=[3]), bytes(8)),
    "a large shape": safetensors(entry(shape=[1 << 62, 1 << 62]), bytes(8)),
    "a negative shape": safetensors(entry(shape=[-1, -2]), bytes(8)),
    "a shape of text": safetensors(entry(shape=["2"]), bytes(8)),
    "offsets beyond the end": safetensors(entry(data_offsets=[0, 1 << 50]), bytes(8)),
    "offsets backwards": safetensors(entry(data_offsets=[8, 0]), bytes(8)),
    "a gap": safetensors(entry(data_offsets=[4, 12]), bytes(12)),
    "bytes that belong to nobody": safetensors(entry(), bytes(9)),
    "an overlap": safetensors(entry() | {"y": entry()["x"]}, bytes(8)),
    "a name twice": safetensors(b'{"x":{},"x":{}}'),
    "metadata of numbers": safetensors({"__metadata__": {"a": 1}}),
    "truths that are neither": safetensors(entry(dtype="BOOL", shape=[8]), b"\x02" * 8),
    "a tree without meaning": safetensors({"__metadata__": {"format": "gt", "tree": '{"run":1}'}}),
    "a tree of nothing": safetensors({"__metadata__": {"format": "gt", "tree": '{"tensor":"x"}'}}),
    "an old pickle": pickle.dumps({"x": 1}, protocol=2),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name):
    with pytest.raises(RuntimeError, match=r"gt\.load: "):
        gt.load(io.BytesIO(HOSTILE[name]))


def small():
    return {"a": gt.arange(5), "b": (1.5, "text", b"\x01"), 2: gt.ones(2, requires_grad=True)}


def test_a_file_that_ends_early_is_refused_wherever_it_ends():
    data = saved(small())
    for end in range(len(data)):
        with pytest.raises(RuntimeError, match=r"gt\.load: "):
            gt.load(io.BytesIO(data[:end]))


def test_a_byte_that_is_changed_is_noticed_wherever_it_is():
    data = saved(small())
    for place in range(len(data)):
        for flip in (0x01, 0x80):
            changed = bytearray(data)
            changed[place] ^= flip
            try:
                found = gt.load(io.BytesIO(changed))
            except RuntimeError as error:
                assert "gt.load: " in str(error)  # noqa: PT017
            else:
                # Then it is no file of ours any more: without its format, only tensors are left.
                assert set(found) <= {"a", "2"}


def torch_bytes(torch, value):
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def test_files_of_pytorch_come_back(torch):
    torch.manual_seed(1)
    base = torch.randn(4, 6)
    tied = torch.nn.Parameter(torch.randn(2, 2))
    value = {
        "state": torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3)).state_dict(),
        "views": [base, base.T, base[1:3, 2:5], base[:, ::2], base[2], base.expand(2, 4, 6)],
        "images": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "dtypes": [torch.tensor([0, 1, 1]).to(getattr(torch, name)) for name in DTYPES],
        "tied": (tied, tied),
        "empty": torch.zeros(0, 3),
        "scalar": torch.tensor(3.5),
        "one": torch.tensor(2).expand(3),
        "rest": [1, -1, 10**20, 2.5, True, None, "text", (1, (2, 3, 4, 5)), torch.float16],
        "size": base.shape,
    }
    found = gt.load(io.BytesIO(torch_bytes(torch, value)))

    def compare(ours, theirs):
        if isinstance(theirs, torch.Tensor):
            assert str(ours.dtype).split(".")[1] == str(theirs.dtype).split(".")[1]
            assert ours.tolist() == theirs.tolist()
            assert tuple(ours.shape) == tuple(theirs.shape)
            assert ours.requires_grad == theirs.requires_grad
        elif isinstance(theirs, dict):
            assert list(ours) == list(theirs)
            for key in theirs:
                compare(ours[key], theirs[key])
        elif isinstance(theirs, torch.dtype):
            assert str(ours).split(".")[1] == str(theirs).split(".")[1]
        elif isinstance(theirs, list | tuple):
            for a, b in zip(ours, theirs, strict=True):
                compare(a, b)
        else:
            assert (type(ours), ours) == (type(theirs), theirs)

    compare(found, value)
    assert found["tied"][0] is found["tied"][1]
    views = found["views"]
    views[0].zero_()
    assert [views[place].abs().sum().item() for place in (1, 4)] == [0, 0]


def test_an_optimizer_of_pytorch_goes_on_here(torch):
    data = np.random.default_rng(2).normal(size=(3, 2)).astype(np.float32)

    def step(module, w, optimizer):
        optimizer.zero_grad()
        (w * w * w).sum().backward()
        optimizer.step()

    theirs = torch.tensor(data, requires_grad=True)
    reference = torch.optim.Adam([theirs], lr=0.1)
    step(torch, theirs, reference)
    file = io.BytesIO(torch_bytes(torch, {"w": theirs, "o": reference.state_dict()}))
    found = gt.load(file, map_location="cpu", weights_only=False)
    ours = found["w"]
    optimizer = gt.optim.Adam([ours], lr=0.1)
    optimizer.load_state_dict(found["o"])
    for _ in range(3):
        step(torch, theirs, reference)
        step(gt, ours, optimizer)
    np.testing.assert_allclose(ours.tolist(), theirs.tolist(), rtol=1e-5)


def archive(pickled, **files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as out:
        out.writestr("a/data.pkl", pickled)
        for name, content in files.items():
            out.writestr(f"a/data/{name}", content)
    return file.getvalue()


class Evil:
    def __reduce__(self):
        return print, ("owned",)


TENSOR = (
    b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
    b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK%ctQ%b%b%b\x89ccollections\nOrderedDict\n)RtR."
)


def tensor_pickle(count=4, offset=b"K\x00", size=b"K\x04\x85", stride=b"K\x01\x85"):
    return TENSOR % (bytes([count]), offset, size, stride)


PICKLES = {
    "a call": archive(pickle.dumps(Evil(), protocol=2)),
    "a call of later pickles": archive(pickle.dumps(Evil(), protocol=4)),
    "a module": archive(b"cos\nsystem\n(X\x02\x00\x00\x00lstR."),
    "a class": archive(pickle.dumps(complex(1, 2), protocol=2)),
    "no end": archive(b"\x80\x02K\x01"),
    "an empty stack": archive(b"\x80\x02."),
    "a missing mark": archive(b"\x80\x02K\x01t."),
    "an unknown memo": archive(b"\x80\x02h\x05."),
    "a list as key": archive(b"\x80\x02}]K\x01s."),
    "a long string": archive(b"\x80\x02X\xff\xff\xff\x7fabc."),
    "no pickle": archive(b""),
    "another archive": (lambda f: (zipfile.ZipFile(f, "w").writestr("x", "y"), f)[1].getvalue())(
        io.BytesIO()
    ),
    "no storage": archive(tensor_pickle()),
    "a short storage": archive(tensor_pickle(), **{"0": bytes(15)}),
    "an offset beyond it": archive(tensor_pickle(offset=b"K\x01"), **{"0": bytes(16)}),
    "a stride beyond it": archive(tensor_pickle(stride=b"K\x02\x85"), **{"0": bytes(16)}),
    "a negative size": archive(tensor_pickle(size=b"J\xff\xff\xff\xff\x85"), **{"0": bytes(16)}),
    "a size of text": archive(tensor_pickle(size=b"X\x01\x00\x00\x004\x85"), **{"0": bytes(16)}),
    "a bomb of repetition": archive(
        tensor_pickle(size=b"J\xff\xff\xff\x7f\x85", stride=b"K\x00\x85"), **{"0": bytes(16)}
    ),
}


def test_the_pickle_of_these_tests_is_that_of_a_tensor():
    data = np.arange(4, dtype=np.float32).tobytes()
    found = gt.load(io.BytesIO(archive(tensor_pickle(), **{"0": data})))
    assert found.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("name", PICKLES)
def test_hostile_pickles_are_refused(name, capsys):
    with pytest.raises(RuntimeError, match=r"gt\.load: "):
        gt.load(io.BytesIO(PICKLES[name]))
    assert capsys.readouterr().out == ""


def test_what_is_compressed_is_refused():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("a/data.pkl", tensor_pickle())
        out.writestr("a/data/0", bytes(1 << 20))
    with pytest.raises(RuntimeError, match="compressed"):
        gt.load(io.BytesIO(file.getvalue()))


def test_damaged_files_of_pytorch_are_refused_or_read(torch):
    data = torch_bytes(torch, {"w": torch.arange(4.0), "n": 3})
    for end in range(0, len(data) - 1, 7):
        with pytest.raises(RuntimeError, match=r"gt\.load: "):
            gt.load(io.BytesIO(data[:end]))
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 0x11
        try:
            found = gt.load(io.BytesIO(changed))
        except RuntimeError as error:
            assert "gt.load: " in str(error)  # noqa: PT017
        else:
            # Dates and padding say nothing; whatever says something has a checksum.
            assert found["w"].tolist() == [0.0, 1.0, 2.0, 3.0]
