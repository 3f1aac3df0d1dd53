"""Parts of models."""

from gt.nn.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from gt.nn.module import Module
from gt.nn.parameter import Buffer, Parameter

__all__ = [
    "Buffer",
    "Module",
    "ModuleDict",
    "ModuleList",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "Sequential",
]
