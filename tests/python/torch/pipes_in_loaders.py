# Behaviour: torch/utils/data/graph.py, graph_settings.py; torch/utils/data/dataloader.py with IterDataPipe.
import warnings

import torch
from torch.utils.data import DataLoader, default_collate
from torch.utils.data.datapipes.iter import IterableWrapper
from torch.utils.data.graph import traverse_dps
from torch.utils.data.graph_settings import apply_sharding, apply_shuffle_settings, get_all_graph_pipes

warnings.simplefilter("ignore")

source = IterableWrapper(range(20))
shuffled = source.shuffle(buffer_size=20)
pipe = shuffled.sharding_filter()
graph = traverse_dps(pipe)
print([str(one) for one in get_all_graph_pipes(graph)])
print(list(graph)[0] == id(pipe), list(graph[id(pipe)][1]) == [id(shuffled)])
print([str(one) for one in get_all_graph_pipes(traverse_dps(source.zip(source.map(str))))])

# A loader shuffles, with the seed of the epoch, which all workers share.
for workers in (0, 2):
    loader = DataLoader(pipe, batch_size=None, shuffle=True, num_workers=workers)
    epochs = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        epochs.append([int(one) for one in loader])
    print(sorted(epochs[0]) == list(range(20)), epochs[0] == epochs[1], epochs[0] == epochs[2], epochs[0] == sorted(epochs[0]))
    print(sorted(int(one) for one in DataLoader(pipe, batch_size=None, shuffle=False, num_workers=workers)) == list(range(20)))

# Each worker has its share; those that outlive an epoch, too.
loader = DataLoader(IterableWrapper(range(6)).sharding_filter(), batch_size=None, num_workers=2, persistent_workers=True)
print([int(one) for one in loader], [int(one) for one in loader])
print(apply_sharding(pipe, 4, 1) is pipe, len(pipe))

try:
    apply_sharding(pipe.sharding_filter(), 2, 0)
except RuntimeError as error:
    print(str(error).partition(".")[0])

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    made = apply_shuffle_settings(source, shuffle=True)
print(type(made).__name__, str(told[0].message).partition(".")[0])
try:
    DataLoader(torch.utils.data.ChainDataset([source]), shuffle=True)
except ValueError as error:
    print(error)
