"""torch.utils.model_zoo: the older name of torch.hub's downloads. Behaviour: torch/utils/model_zoo.py."""
from torch.hub import load_state_dict_from_url

load_url = load_state_dict_from_url
