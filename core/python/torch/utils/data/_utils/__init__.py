"""What a loader is made of."""
from torch.utils.data._utils import collate, fetch, pin_memory, worker
