"""The bar of a loop: what it shows, and that nothing waits for it."""

import io
import os
import pty
import sys
import threading
import types

import gt
import pytest
from gt.utils import progress


class Terminal(io.StringIO):
    """A file that passes for a terminal."""

    def isatty(self):
        return True

    def screen(self):
        """What is to be seen: each line as it was drawn last."""
        return [line.split("\r")[-1].rstrip() for line in self.getvalue().split("\n")]


def test_a_loop_gives_its_items_and_ends_with_a_full_bar():
    terminal = Terminal()
    assert list(progress(range(4), desc="epoch 1", file=terminal, mininterval=0)) == [0, 1, 2, 3]
    line, after = terminal.screen()
    assert line.startswith("epoch 1: 100%|█")
    assert "| 4/4 [00:00<00:00, " in line
    assert line.endswith("it/s]")
    assert after == ""
    assert "epoch 1:  25%|" in terminal.getvalue()


def test_a_loop_whose_length_is_not_known_is_counted():
    terminal = Terminal()
    list(progress((step for step in range(5)), file=terminal, unit="step"))
    assert terminal.screen()[0].startswith("5step [00:00, ")


def test_a_bar_can_be_moved_by_hand():
    terminal = Terminal()
    with progress(total=10, file=terminal, mininterval=0) as bar:
        bar.update(3)
        bar.set_description("half", refresh=False)
        bar.update(2)
    assert terminal.screen()[0].startswith("half:  50%|")
    assert len(bar) == 10
    with pytest.raises(TypeError, match="is moved on by update"):
        iter(progress(total=10)).__next__()
    with pytest.raises(TypeError, match="length of the loop is not known"):
        len(progress(file=terminal))


def test_a_loop_that_is_left_ends_its_bar():
    terminal = Terminal()

    def stop(step):
        if step == 3:
            raise KeyError(step)

    with pytest.raises(KeyError):
        list(map(stop, progress(range(10), file=terminal)))
    assert "| 3/10 [" in terminal.screen()[0]


def test_a_bar_that_is_not_left_is_wiped_away():
    terminal = Terminal()
    list(progress(range(3), leave=False, file=terminal, mininterval=0))
    assert terminal.screen() == [""]


def test_numbers_and_words_are_shown_after_the_bar():
    terminal = Terminal()
    with progress(range(1), file=terminal) as bar:
        bar.set_postfix(loss=0.123456, phase="warm", steps=3)
    assert terminal.screen()[0].endswith(", loss=0.123, phase=warm, steps=3]")


def test_the_bar_fits_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    terminal = Terminal()
    list(progress(range(3), desc="x" * 20, file=terminal, mininterval=0))
    assert len(terminal.screen()[0]) <= 59


def wait_until(condition):
    """Waits for another thread, with an end."""
    pause = threading.Event()
    for _ in range(3000):
        if condition():
            return
        pause.wait(0.01)
    raise AssertionError("nothing came of it in 30 s")


def test_a_tensor_is_shown_and_the_loop_does_not_wait_for_it(monkeypatch):
    known, read = threading.Event(), gt.utils.progress.__module__
    value = sys.modules[read]._value

    def slow(tensor):
        assert known.wait(30)
        return value(tensor)

    monkeypatch.setattr(sys.modules[read], "_value", slow)
    terminal = Terminal()
    with progress(range(3), file=terminal, mininterval=0) as bar:
        for step in range(3):
            bar.set_postfix(loss=gt.tensor([0.25 * step]).sum())
            bar.update()
            assert bar._postfix.text() == "loss=…"
        known.set()
        wait_until(lambda: bar._postfix.text() == "loss=0.5")
        bar.refresh()
        reader = bar._postfix._reader
    assert terminal.screen()[0].endswith(", loss=0.5]")
    reader.join(30)
    assert not reader.is_alive()


def test_the_loop_hears_of_a_tensor_that_fails():
    terminal = Terminal()
    bar = progress(range(3), file=terminal, mininterval=0)
    bar.set_postfix(loss=gt.ones(3).take(gt.tensor([7])).sum())
    wait_until(lambda: bar._postfix.text() == "loss=IndexError")
    with pytest.raises(IndexError, match="out of"):
        bar.update()
    bar.update()
    bar.close()


def test_in_a_file_only_the_last_state_is_written():
    file = io.StringIO()
    list(progress(range(3), file=file, mininterval=0))
    assert file.getvalue().count("100%") == 1
    assert "\r" not in file.getvalue()


def test_a_bar_can_be_switched_off():
    terminal = Terminal()
    bar = progress(range(3), file=terminal, disable=True)
    assert list(bar) == [0, 1, 2]
    assert bar.n == 3
    assert terminal.getvalue() == ""
    # As in tqdm, None means: only in a terminal.
    assert progress(range(3), file=io.StringIO(), disable=None).disable
    assert not progress(range(3), file=terminal, disable=None).disable
    with pytest.raises(TypeError, match="unexpected keyword argument 'colr'"):
        progress(range(3), colr="red")
    progress(range(3), ncols=80, smoothing=0.3, file=terminal)


def test_what_is_written_stands_above_the_bar(capsys):
    terminal = Terminal()
    with progress(range(3), file=terminal, mininterval=0) as bar:
        bar.update()
        bar.write("a word")
    assert capsys.readouterr().out == "a word\n"


def test_a_real_terminal_is_drawn_to():
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        list(progress(range(2), file=terminal, mininterval=0))
    drawn = b""
    while b"\n" not in drawn:
        drawn += os.read(ours, 4096)
    os.close(ours)
    assert drawn.decode().count("\r") >= 2
    assert "100%|" in drawn.decode()


def test_in_a_notebook_the_output_of_the_cell_changes(monkeypatch):
    shown = []

    class Handle:
        def update(self, what, raw):
            shown.append(what["text/plain"])

    def display(what, raw, display_id):
        shown.append(what["text/plain"])
        return Handle()

    shell = types.SimpleNamespace(kernel=object())
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: shell
    displays = types.ModuleType("IPython.display")
    displays.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", displays)
    list(progress(range(2), mininterval=0))
    assert len(shown) == 3
    assert shown[-1].startswith("100%|")
