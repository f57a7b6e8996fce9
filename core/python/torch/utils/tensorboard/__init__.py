"""Runs as files that TensorBoard shows. Behaviour: torch/utils/tensorboard.

Differs: nothing else has to be installed. Graphs of models, figures of matplotlib, videos, meshes and layouts of charts
are refused by their names."""
from torch.utils.tensorboard.writer import FileWriter, SummaryWriter
from torch.utils.tensorboard._records import RecordWriter
