"""The oracle answers: tests that compare with PyTorch can rely on their fixture."""


def test_the_oracle_adds(torch):
    assert torch.tensor([1.0, 2.0]).add(1).tolist() == [2.0, 3.0]
