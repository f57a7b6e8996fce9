"""Layers that are made of others. Behaviour: torch/nn/modules/adaptive.py."""
import warnings
from collections import namedtuple

import torch

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(torch.nn.Module):
    """Softmax over many classes, of which the frequent ones cost least (Grave et al., 2016).

    Shapes: input (N, in_features) or (in_features), target (N) or (); output like target, loss ().
    Errors: ValueError  cutoffs are no ascending integers below n_classes; RuntimeError  shapes do not fit."""

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if cutoffs != sorted(cutoffs) or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1 or \
                len(set(cutoffs)) != len(cutoffs) or any(int(c) != c for c in cutoffs):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where "
                             "each value is between 1 and n_classes-1")
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, cutoffs + [n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = torch.nn.Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = torch.nn.ModuleList()
        for i in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (i + 1)))
            classes = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(torch.nn.Sequential(torch.nn.Linear(in_features, hidden, bias=False, **made),
                                                 torch.nn.Linear(hidden, classes, bias=False, **made)))

    def reset_parameters(self):
        self.head.reset_parameters()
        for to_hidden, to_classes in self.tail:
            to_hidden.reset_parameters()
            to_classes.reset_parameters()

    def forward(self, input_, target_):
        if target_.dim() == 1:
            if input_.size(0) != target_.size(0):
                raise RuntimeError("Input and target should have the same size in the batch dimension.")
            if input_.dim() != 2:
                raise RuntimeError(f"1D target tensor expects 2D input tensors, but found inputs with size {input_.size()}")
        elif target_.dim() == 0:
            if input_.dim() != 1:
                raise RuntimeError(f"0D target tensor expects 1D input tensors, but found inputs with size {input_.size()}")
        else:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        is_batched = target_.dim() > 0
        input = input_ if is_batched else input_.unsqueeze(0)
        target = target_ if is_batched else target_.unsqueeze(0)
        used = 0
        output = input.new_zeros(target.size(0))
        head_places = target.new_empty(target.size(0))
        limits = [0, *self.cutoffs]
        for i in range(len(limits) - 1):
            rows = ((target >= limits[i]) & (target < limits[i + 1])).nonzero().squeeze()
            if rows.numel() == 0:
                continue
            rows = rows.reshape(-1)
            if i == 0:
                head_places.index_copy_(0, rows, target[rows])
            else:
                inside = target[rows] - limits[i]
                log_probs = torch.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
                head_places.index_fill_(0, rows, self.shortlist_size + i - 1)
                output = output.index_copy(0, rows, log_probs.gather(1, inside.unsqueeze(1)).squeeze(1))
            used += rows.numel()
        if used != target.size(0):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")
        head_log_probs = torch.log_softmax(self.head(input), dim=1)
        output = output + head_log_probs.gather(1, head_places.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if is_batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input, head_output):
        head_log_probs = torch.log_softmax(head_output, dim=1)
        parts = [head_log_probs[:, :self.shortlist_size]]
        for i in range(self.n_clusters):
            parts.append(torch.log_softmax(self.tail[i](input), dim=1) + head_log_probs[:, self.shortlist_size + i].unsqueeze(1))
        return torch.cat(parts, 1)

    def log_prob(self, input):
        """(N, n_classes)"""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        """(N): the class of the greatest probability."""
        return self.log_prob(input).argmax(1)


AdaptiveLogSoftmaxWithLoss.__module__ = "torch.nn.modules.adaptive"


class Container(torch.nn.Module):
    """A module with the given children, from before Module could hold any."""

    def __init__(self, **kwargs):
        warnings.warn("`nn.Container` is deprecated. All of it's functionality is now implemented in `nn.Module`. Subclass "
                      "that instead.", FutureWarning, stacklevel=2)
        super().__init__()
        for name, child in kwargs.items():
            self.add_module(name, child)
