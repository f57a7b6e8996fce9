"""Stand-in for torch.testing._internal.inductor_utils."""
HAS_CPU = HAS_CUDA = HAS_GPU = HAS_XPU = HAS_MULTIGPU = HAS_TRITON = False
GPU_TYPE = "cuda"
