"""Data for training: datasets, samplers, and a loader that prepares batches in other processes."""

from gt.utils.data import dataloader, distributed
from gt.utils.data.collate import default_collate, default_convert
from gt.utils.data.dataset import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from gt.utils.data.loader import DataLoader
from gt.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from gt.utils.data.workers import get_worker_info

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "dataloader",
    "default_collate",
    "default_convert",
    "distributed",
    "get_worker_info",
    "random_split",
]
