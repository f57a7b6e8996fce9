"""Compiled functions and modules. Behaviour: torch/_dynamo/eval_frame.py."""
from torch._dynamo import (OptimizedModule, disable, explain, export, innermost_fn, is_dynamo_supported, optimize,
                           optimize_assert)
from torch._C._dynamo import unsupported

__all__ = ["OptimizedModule", "disable", "explain", "export", "innermost_fn", "is_dynamo_supported", "optimize",
           "optimize_assert", "unsupported"]
