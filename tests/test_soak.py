"""Random programs for minutes: nothing breaks, nothing hangs, memory stays flat, threads end."""

import os
import random
from statistics import mean

import pytest

pytestmark = pytest.mark.everywhere

PROGRAM = """
    import gc
    import os
    import random
    import threading
    import time
    import gt

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096 / 2**20

    def threads():
        names = []
        for task in os.listdir("/proc/self/task"):
            try:
                with open(f"/proc/self/task/{task}/comm") as file:
                    names.append(file.read().strip())
            except OSError:
                pass  # It has ended meanwhile.
        return [name for name in names if name.startswith(("gt-pump", "gt-worker"))]

    class Program:
        def __init__(self, seed):
            self.random, self.tensors = random.Random(seed), [gt.ones(8, 8)]

        def any(self):
            return self.random.choice(self.tensors)

        def step(self):
            x, y, kind = self.any(), self.any(), self.random.randrange(14)
            if kind < 5:
                self.tensors.append((x + y) * 0.5 if kind < 3 else (x @ y).tanh())
            elif kind == 5:
                x += y
                x.mul_(0.25)
            elif kind == 6:
                x[self.random.randrange(8)] = self.random.random()
            elif kind == 7:
                x.T[1:3] -= y[:2].T[1:3].mean()
            elif kind == 8:
                self.tensors.append(gt.randn(8, 8))
            elif kind == 9:
                self.tensors.append(gt.ones(700, 700)[:8, :8] + 0)
            elif kind == 10:
                x.sum().item()
            elif kind == 11:
                before = x.clone()
                x.gather(0, gt.full((1, 8), 9, dtype=gt.int64))
                x += 1
                try:
                    gt.synchronize()
                    raise AssertionError("nothing was raised")
                except IndexError:
                    assert bool((x == before).all().item()) or bool((x != x).any().item())
            elif kind == 12:
                cycle = [x]
                cycle.append(cycle)
            else:
                x.nonzero()
            while len(self.tensors) > 12:
                self.tensors.pop(self.random.randrange(len(self.tensors)))

        def run(self, steps):
            for _ in range(steps):
                self.step()
            return self

    def round_of(seed):
        dice = random.Random(seed)
        with gt.connect(workers=dice.choice([1, 1, 2, 3])):
            program = Program(seed).run(dice.randrange(50, 400))
        if dice.random() < 0.3:
            programs = [threading.Thread(target=lambda n: threaded(n), args=(seed + n,))
                        for n in range(3)]
            [thread.start() for thread in programs]
            [thread.join() for thread in programs]
        if dice.random() < 0.2:
            # Nobody closes these: each ends when the next takes its place, with work under way.
            for _ in range(10):
                gt.connect(workers=2)
                x = gt.ones(300, 300)
                (x @ x).sum().item()

    def threaded(seed):
        x = gt.ones(16)
        for number in range(100):
            x = (x * 0.5 + seed % 7).relu()
        x.sum().item()

    start, seed, rounds, samples = time.monotonic(), SEED, 0, []
    while rounds < ROUNDS or time.monotonic() - start < SECONDS:
        round_of(seed + rounds)
        rounds += 1
        if rounds % EVERY == 0:
            gc.collect()
            samples.append(resident())
    gc.collect()
    gt.close()
    patience = time.monotonic() + 30
    while threads() and time.monotonic() < patience:
        os.sched_yield()
    print(rounds, len(threads()), *samples)
"""


def soak(script, slack, rounds=0, seconds=0, every=20):
    """Run for so long; the last third may need a little more memory than the one before it."""
    seed = random.randrange(1 << 30)
    program = PROGRAM.replace("SEED", str(seed)).replace("SECONDS", str(seconds))
    program = program.replace("ROUNDS", str(rounds)).replace("EVERY", str(every))
    done = script.run(program, timeout=seconds * 2 + 110)
    assert (done.returncode, done.stderr) == (0, ""), f"seed {seed}: {done.stderr}"
    rounds, threads, *samples = map(float, done.stdout.split())
    third = max(len(samples) // 3, 1)
    early, late = mean(samples[third : 2 * third]), mean(samples[-third:])
    every = max(len(samples) // 20, 1)
    series = " ".join(
        f"{mean(samples[at : at + every]):.1f}" for at in range(0, len(samples), every)
    )
    print(f"seed {seed}: {rounds:.0f} rounds, {early:.1f} then {late:.1f} MiB; series {series}")
    assert threads == 0, f"seed {seed}: {threads:.0f} threads of closed sessions are left"
    assert late < early + slack(early), f"seed {seed}: {early} MiB became {late} MiB"


def test_some_rounds_of_random_programs(script):
    # The allocator is still warming up.
    soak(script, rounds=60, every=2, slack=lambda mib: mib * 0.1 + 8)


@pytest.mark.soak
def test_ten_minutes_of_random_programs(script):
    seconds = int(os.environ.get("SOAK_SECONDS", "600"))
    soak(script, seconds=seconds, slack=lambda mib: mib * 0.03 + 1)
