"""PyTorch's switches of libraries that GT does not use: they can be set, and change nothing."""

from gt.backends import cuda, cudnn, mkl, mkldnn, mps, openmp

__all__ = ["cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp"]
