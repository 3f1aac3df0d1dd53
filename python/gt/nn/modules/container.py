"""PyTorch's name for a part of `gt.nn`: modules in a row, in a list, or by name."""

from gt.nn.container import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]
