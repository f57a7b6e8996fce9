"""Compiled functions and modules. Behaviour: torch/_dynamo/eval_frame.py."""
from torch._dynamo import OptimizedModule, disable, explain, export, is_dynamo_supported, optimize, optimize_assert

__all__ = ["OptimizedModule", "disable", "explain", "export", "is_dynamo_supported", "optimize", "optimize_assert"]
