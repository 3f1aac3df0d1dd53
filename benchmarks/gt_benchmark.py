"""Measures GT alone: `python benchmarks/gt_benchmark.py [--quick] [--json]`."""

import cases
import gt

if __name__ == "__main__":
    cases.main(gt)
