"""Checkpoints of cut models: saved piece by piece, and loaded under any other strategy."""

import io
import json
from pathlib import Path

import gt
import pytest
import test_parallel as parallel
from cluster import Cluster
from gt.files import DamagedError, sharded, stored
from gt.nn import Linear

embedded = pytest.mark.embedded("asks for more workers than the processes of an arrangement are")
STEPS = 4
WAY = parallel.Way(double=True)


def trained(folder: Path, config: str | None, workers: int, *, resumed: bool) -> list[float]:
    """Train for a few steps, from a checkpoint or into one."""
    with gt.connect(workers=workers, new=True):
        if config:
            parallel.load(config)
        gt.manual_seed(0)
        model, x, y = parallel.train.MODELS["gpt"](0.0)
        model = model.double()
        optimizer = gt.optim.AdamW(model.parameters(), lr=1e-2)
        if resumed:
            found = gt.load(folder)
            model.load_state_dict(found["model"])
            optimizer.load_state_dict(found["optimizer"])
            assert found["steps"] == STEPS
        losses = [parallel.step(model, optimizer, x, y, WAY).item() for _ in range(STEPS)]
        if not resumed:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            gt.save({**state, "steps": STEPS}, folder, sharded=True)
    return losses


@embedded
@pytest.mark.filterwarnings("ignore:the config does not define the signal")
def test_a_checkpoint_goes_on_under_any_strategy_and_number_of_workers(tmp_path, monkeypatch):
    # Small pieces and files, so that there are several of each.
    monkeypatch.setattr(stored, "PIECE_BYTES", 1000)
    monkeypatch.setattr(sharded, "SHARD_BYTES", 20_000)
    first = trained(tmp_path, "fsdp", 3, resumed=False)
    with gt.connect(workers=1, new=True):
        gt.manual_seed(0)
        model, x, y = parallel.train.MODELS["gpt"](0.0)
        model = model.double()
        optimizer = gt.optim.AdamW(model.parameters(), lr=1e-2)
        expected = [parallel.step(model, optimizer, x, y, WAY).item() for _ in range(2 * STEPS)]
    assert first == pytest.approx(expected[:STEPS], rel=1e-8)
    assert len([*tmp_path.glob("model-*.safetensors")]) > 3
    ways = [(None, 1), ("data", 2), ("fsdp", 4), ("columns", 2), ("mesh", 4), ("pipeline", 2)]
    for config, workers in ways:
        found = trained(tmp_path, config, workers, resumed=True)
        assert found == pytest.approx(expected[STEPS:], rel=1e-8), (config, workers)


@pytest.mark.everywhere
def test_files_are_safetensors_and_a_folder_is_replaced_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sharded, "SHARD_BYTES", 30)
    state = {"a": gt.arange(6).reshape(2, 3), "b": [gt.tensor(True), {"c": gt.ones(2) * 0.5}]}
    gt.save(state, tmp_path, sharded=True)
    files = sorted(tmp_path.glob("*.safetensors"))
    index = json.loads((tmp_path / sharded.INDEX).read_text())
    assert set(index["weight_map"].values()) == {file.name for file in files}
    assert index["metadata"]["total_size"] == 6 * 8 + 1 + 2 * 4
    # Each file is one by itself.
    plain = {name: tensor for file in files for name, tensor in gt.load(file).items()}
    assert plain["b.1.c"].tolist() == [0.5, 0.5]
    found = gt.load(tmp_path)
    assert found["a"].shape == (2, 3)
    assert found["a"].tensor().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["b"][0].tensor().item() is True
    # What the checkpoint does not name is somebody else's.
    other = tmp_path / "model-00001-of-00002.safetensors"
    other.write_bytes(b"")
    gt.save({"a": gt.zeros(1)}, tmp_path, sharded=True)
    other.unlink()
    assert len([*tmp_path.iterdir()]) == 2
    assert gt.load(tmp_path)["a"].tensor().tolist() == [0.0]
    with pytest.raises(TypeError, match="needs a path"):
        gt.save({}, io.BytesIO(), sharded=True)


def test_pieces_are_all_of_a_tensor_in_order(monkeypatch):
    monkeypatch.setattr(stored, "PIECE_BYTES", 10)
    monkeypatch.setattr(stored, "MOST_PIECES", 1000)
    for shape in [(), (0,), (3,), (100,), (7, 5), (2, 3, 11), (1, 1, 40), (4, 0)]:
        x = gt.arange(gt.Size(shape).numel(), dtype=gt.uint8).reshape(shape)
        read = [(x[index] if index else x) for index, _ in stored.pieces(shape, 1)]
        sizes = [count for _, count in stored.pieces(shape, 1)]
        assert [part.numel() for part in read] == sizes
        assert [n for part in read for n in part.flatten().tolist()] == x.flatten().tolist()
        assert all(size <= 10 for size in sizes)


def test_what_is_damaged_is_refused(tmp_path):
    gt.save({"a": gt.ones(100)}, tmp_path, sharded=True)
    index = tmp_path / sharded.INDEX
    good = index.read_text()
    (file,) = tmp_path.glob("*.safetensors")
    for text in ["", "[]", "{}", good.replace(file.name, "../x"), good.replace(file.name, "x")]:
        index.write_text(text)
        with pytest.raises(DamagedError):
            gt.load(tmp_path)
    index.write_text(good.replace('"weight_map": {"a"', '"weight_map": {"b"'))
    with pytest.raises(DamagedError, match="'b' is not in the file"):
        gt.load(tmp_path)
    index.write_text(good)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(DamagedError, match="checksum"):
        gt.load(tmp_path)
    file.write_bytes(data[:-4])
    with pytest.raises(DamagedError):
        gt.load(tmp_path)
    index.unlink()
    with pytest.raises(FileNotFoundError):
        gt.load(tmp_path)


# A layer of 32 MiB on four workers, of which none has room for all of it.
ROWS, COLUMNS = 4096, 2048
WHOLE_BYTES = 4 * ROWS * COLUMNS


@pytest.mark.embedded("starts processes of its own")
def test_no_process_needs_room_for_a_whole_tensor(tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "PIECE_BYTES", 1 << 20)
    read: list[int] = []
    bytes_of, tensor_of = gt._gt._bytes, gt._gt._tensor

    def spied_bytes(tensor):
        read.append(tensor.nbytes)
        return bytes_of(tensor)

    def spied_tensor(dtype, shape, data, *rest):
        read.append(len(data))
        return tensor_of(dtype, shape, data, *rest)

    monkeypatch.setattr(gt._gt, "_bytes", spied_bytes)
    monkeypatch.setattr(gt._gt, "_tensor", spied_tensor)
    config = tmp_path / "config.yaml"
    config.write_text('params: {"*": {axis: 0}}\n')
    # A part, what an update makes beside it, and pieces of an eighth.
    limit = 2 * WHOLE_BYTES // 4 + 3 * WHOLE_BYTES // 8
    assert limit < WHOLE_BYTES
    with Cluster() as cluster:
        for _ in range(4):
            cluster.add_worker("--memory", str(limit))
        for name, value in cluster.variables.items():
            monkeypatch.setenv(name, value)
        for saves in (True, False):
            with gt.connect(new=True):
                gt.load_config(str(config))
                layer = Linear(COLUMNS, ROWS, bias=False)
                if saves:
                    layer.load_state_dict(layer.state_dict())
                    total = layer.weight.double().sum().item()
                    gt.save(layer.state_dict(), tmp_path / "saved", sharded=True)
                else:
                    layer.load_state_dict(gt.load(tmp_path / "saved"))
                    assert layer.weight.double().sum().item() == total
                assert gt.debug.placement(layer.weight) == "shard(0) on 0 1 2 3"
    assert max(read) <= WHOLE_BYTES / 8
    assert sum(read) >= 2 * WHOLE_BYTES
