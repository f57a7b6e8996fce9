"""Stages of a model on several ranks. Behaviour: torch/distributed/pipelining. Refused where a name is used."""
from _stand_in import lacking

__getattr__ = lacking(__name__, "PipelineStage ScheduleGPipe Schedule1F1B ScheduleInterleaved1F1B ScheduleLoopedBFS "
                      "ScheduleInterleavedZeroBubble ScheduleZBVZeroBubble ScheduleDualPipeV SplitPoint pipeline Pipe pipe_split "
                      "build_stage schedules stage microbatch",
                      "gradients do not go from rank to rank within one backward; dist.send and dist.recv pass activations on")
