"""Files for other runtimes, which GT does not write."""

from gt.absent import refusals

__getattr__ = refusals("gt.onnx", "gt.save(model.state_dict(), path) writes a safetensors file")
