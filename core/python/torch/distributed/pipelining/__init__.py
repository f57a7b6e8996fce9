"""Stages of a model on several ranks. Behaviour: torch/distributed/pipelining: refused by name."""


def __getattr__(name):
    if name in ("PipelineStage", "ScheduleGPipe", "Schedule1F1B", "ScheduleInterleaved1F1B", "ScheduleLoopedBFS",
                "ScheduleInterleavedZeroBubble", "ScheduleZBVZeroBubble", "ScheduleDualPipeV", "SplitPoint", "pipeline", "Pipe",
                "pipe_split", "build_stage"):
        raise NotImplementedError(f"torch.distributed.pipelining.{name} is not in nnscope: gradients do not go from rank to "
                                  "rank within one backward; dist.send and dist.recv pass activations on")
    raise AttributeError(f"module 'torch.distributed.pipelining' has no attribute {name!r}")
