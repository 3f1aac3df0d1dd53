"""Random numbers: they repeat from a seed, differ from call to call, and have the right moments."""

import gt
import numpy as np
import pytest
from chance import SIGMAS

N = 200_000


@pytest.mark.parametrize("make", [gt.rand, gt.randn])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_seed_repeats_its_numbers(make, dtype):
    def draw():
        gt.manual_seed(7)
        return [make(100, dtype=dtype).tolist() for _ in range(3)]

    assert draw() == draw()


@pytest.mark.parametrize("make", [gt.rand, gt.randn])
def test_calls_and_seeds_differ(make):
    draws = []
    for seed in (0, 1, -1, 2**63, 2**64 - 2):
        gt.manual_seed(seed)
        draws += [tuple(make(50).tolist()) for _ in range(4)]
    assert len(set(draws)) == len(draws)


def test_reads_between_draws_change_nothing():
    gt.manual_seed(3)
    first = [gt.randn(4), gt.randn(4)]
    gt.manual_seed(3)
    second = [gt.randn(4)]
    print(second[0], (second[0] + 1).tolist())
    second.append(gt.randn(4))
    assert [x.tolist() for x in first] == [x.tolist() for x in second]


def test_a_shape_does_not_change_the_numbers():
    gt.manual_seed(3)
    flat = gt.randn(1000)
    gt.manual_seed(3)
    assert gt.randn(10, 100).reshape(1000).tolist() == flat.tolist()


def test_moments_of_normal_numbers():
    gt.manual_seed(1)
    x = gt.randn(N, dtype=gt.float64).numpy()
    # Five standard deviations of each moment.
    assert abs(x.mean()) < 5 / N**0.5
    assert abs(x.var() - 1) < SIGMAS * (2 / N) ** 0.5
    assert abs((x**3).mean()) < SIGMAS * (15 / N) ** 0.5
    assert abs((x**4).mean() - 3) < SIGMAS * (96 / N) ** 0.5
    assert 4 < np.abs(x).max() < 7


def test_moments_of_even_numbers():
    gt.manual_seed(1)
    x = gt.rand(N).numpy()
    assert x.min() >= 0
    assert x.max() < 1
    assert abs(x.mean() - 0.5) < SIGMAS * (1 / 12 / N) ** 0.5
    counts = np.histogram(x, bins=64, range=(0, 1))[0]
    expected = N / 64
    # The 99.99th percentile of chi squared with 63 degrees of freedom is about 113.
    assert ((counts - expected) ** 2 / expected).sum() < 113


def test_neighbouring_numbers_are_not_related():
    gt.manual_seed(5)
    x, y = gt.randn(N).numpy(), gt.randn(N).numpy()
    assert abs((x * y).mean()) < 5 / N**0.5
    assert abs((x[1:] * x[:-1]).mean()) < 5 / N**0.5


def test_the_numbers_do_not_depend_on_the_workers(script):
    program = """
        import gt
        gt.workers(WORKERS)
        gt.manual_seed(11)
        a, b = gt.randn(300, 200), gt.rand(200, 300)
        print((a @ b).sum().item(), gt.randn(5).tolist(), a.tolist()[7][:5])
    """
    one, three = (script(program.replace("WORKERS", count)) for count in ("1", "3"))
    assert one == three


def test_a_seed_means_the_same_in_every_process(script):
    program = "import gt; gt.manual_seed(4); print(gt.randn(4).tolist())"
    assert script(program) == script(program)


def test_without_a_seed_processes_differ(script):
    program = "import gt; print(gt.randn(4).tolist())"
    assert script(program) != script(program)


def test_whole_numbers_are_even_within_their_limits():
    gt.manual_seed(2)
    x = gt.randint(-3, 5, (N,)).numpy()
    counts = np.bincount(x + 3, minlength=8)
    # Chi squared with seven degrees of freedom exceeds 56 once in a thousand million times.
    assert x.min() == -3
    assert x.max() == 4
    assert ((counts - N / 8) ** 2 / (N / 8)).sum() < 56
    assert gt.randint(5, (2, 3)).dtype == gt.int64
    assert set(gt.randint_like(gt.zeros(100), 2).tolist()) == {0.0, 1.0}


def test_a_permutation_has_every_number_once_and_no_favourite():
    gt.manual_seed(2)
    assert sorted(gt.randperm(1000).tolist()) == list(range(1000))
    firsts = np.bincount([gt.randperm(5)[0].item() for _ in range(2000)], minlength=5)
    # Chi squared with four degrees of freedom exceeds 48 once in a thousand million times.
    assert ((firsts - 400) ** 2 / 400).sum() < 48


def test_chances_come_true_as_often_as_they_say():
    gt.manual_seed(2)
    chances = gt.tensor([0.0, 0.25, 1.0]).expand(N, 3)
    found = gt.bernoulli(chances).numpy().mean(axis=0)
    assert found[0] == 0
    assert found[2] == 1
    assert abs(found[1] - 0.25) < SIGMAS * (0.25 * 0.75 / N) ** 0.5
    x = gt.zeros(N, dtype=gt.int64)
    assert abs(x.bernoulli_(0.75).numpy().mean() - 0.75) < SIGMAS * (0.25 * 0.75 / N) ** 0.5


def test_fills_have_the_moments_they_are_asked_for():
    gt.manual_seed(2)
    x = gt.empty(N)
    even = x.uniform_(-2, 6).numpy()
    assert even.min() >= -2
    assert even.max() <= 6
    assert abs(even.mean() - 2) < SIGMAS * (64 / 12 / N) ** 0.5
    normal = x.normal_(3, 0.5).numpy()
    assert abs(normal.mean() - 3) < SIGMAS * 0.5 / N**0.5
    assert abs(normal.std() - 0.5) < SIGMAS * 0.5 / (2 * N) ** 0.5


@pytest.mark.parametrize("replacement", [False, True])
def test_positions_are_as_likely_as_their_weights(replacement):
    gt.manual_seed(2)
    weights = gt.tensor([1.0, 0.0, 3.0, 4.0])
    draws = gt.multinomial(weights.expand(20_000, 4), 2, replacement).numpy()
    share = np.bincount(draws[:, 0], minlength=4) / 20_000
    assert np.abs(share - np.array([1, 0, 3, 4]) / 8).max() < SIGMAS * 0.5 / 20_000**0.5
    assert share[1] == 0
    assert bool((draws[:, 0] == draws[:, 1]).any()) == replacement


def test_every_kind_of_random_number_repeats_from_its_seed():
    def draw():
        gt.manual_seed(9)
        x = gt.zeros(8)
        made = [gt.randint(9, (8,)), gt.randperm(8), gt.rand_like(x), gt.randn_like(x)]
        made += [gt.bernoulli(x + 0.5), gt.multinomial(x + 1, 3), x.normal_()]
        return [part.tolist() for part in made]

    assert draw() == draw()
