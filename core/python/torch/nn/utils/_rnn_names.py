"""The class of packed sequences. Behaviour: torch/nn/utils/rnn.py."""
import torch

PackedSequence = type(torch.nn.utils.rnn.pack_sequence([torch.zeros(1)]))
