"""Measures PyTorch alone: `python benchmarks/pytorch_baseline.py [--quick] [--json]`."""

import os

import cases
import torch

if __name__ == "__main__":
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    with torch.no_grad():
        cases.main(torch)
