"""Data as pipes, one behind the other. Behaviour: torch/utils/data/datapipes. Data frames, streams of archives and graphs of
pipes are refused by name."""
from torch.utils.data.datapipes import iter, map
