# Functions that are made of others: frexp, histograms, random numbers, lists of tensors, windows, names that programs import.
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


def problem(call, *args, **kwargs):
    try:
        print("no problem:", call(*args, **kwargs))
    except Exception as error:
        print(type(error).__name__, "-", error)


x = torch.tensor([8.0, -0.75, 0.0, float("inf"), 3e38, 1e-40])
mantissa, exponent = torch.frexp(x)
print(mantissa[:4], exponent[:3], exponent.dtype, torch.ldexp(mantissa[:3], exponent[:3]))
y = torch.tensor([8.0, 3.0], requires_grad=True)
torch.frexp(y).mantissa.sum().backward()
print(y.grad, torch.frexp(y.detach()))
problem(torch.frexp, torch.tensor([1]))

hist, edges = torch.histogram(torch.tensor([1.0, 2.0, 1.0, 4.0]), bins=4, range=(0.0, 4.0), weight=torch.tensor([1.0, 2.0, 4.0, 8.0]))
print(hist, edges, torch.histogram(torch.tensor([1.0, 2.0, 1.0]), torch.tensor([0.0, 1.0, 3.0]), density=True).hist)
print(torch.histogramdd(torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]]), bins=[3, 3]).hist)
a = torch.tensor([0.5, 1.0, 5.0, 20.0])
print(torch.igamma(a, a), torch.igammac(a, a) + torch.igamma(a, a))
v = torch.tensor([1.0], requires_grad=True)
torch.igamma(torch.tensor([1.0]), v).backward()
print(torch.allclose(v.grad, torch.exp(-torch.ones(1))), torch.igammac(torch.tensor([0.0]), torch.tensor([1.0])))

# Draws follow from the draws of uniform and normal numbers.
torch.manual_seed(0)
u = torch.empty(4, dtype=torch.float64).uniform_()
torch.manual_seed(0)
print(torch.allclose(torch.empty(4).cauchy_(1, 2).double(), 1 + 2 * torch.tan(math.pi * (u - 0.5)), rtol=1e-5))
torch.manual_seed(0)
print(torch.equal(torch.empty(4).geometric_(0.25).double(), torch.ceil(torch.log(u) / math.log1p(-0.25))))
torch.manual_seed(0)
n = torch.tensor([torch.empty((), dtype=torch.float64).normal_().item() for _ in range(20)])
torch.manual_seed(0)
print(torch.allclose(torch.empty(20).log_normal_(1, 0.5), torch.exp(1 + 0.5 * n)), torch.empty(3, dtype=torch.int64).geometric_(0.5).min() >= 1)
torch.manual_seed(1)
rates = torch.tensor([0.0, 0.5, 4.0, 30.0, 500.0]).repeat(200, 1)
drawn = torch.poisson(rates)
print(drawn.dtype, drawn[:, 0].max(), ((drawn.mean(0) - rates[0]).abs() <= 0.3 * rates[0].sqrt() + 1e-6).all(), (drawn == drawn.floor()).all())
counts = torch.binomial(torch.tensor([10.0, 100.0, 7.0]).repeat(300, 1), torch.tensor([0.3, 0.5, 1.0]))
print(counts.mean(0).round(), counts.max(0).values <= torch.tensor([10.0, 100.0, 7.0]))
g = torch.Generator().manual_seed(5)
print(torch.equal(torch.poisson(rates[:2], generator=g), torch.poisson(rates[:2], generator=torch.Generator().manual_seed(5))))
problem(torch.poisson, torch.tensor([-1.0]))
problem(torch.empty(2).geometric_, 1.5)
problem(torch.empty(2).cauchy_, 0, -1)
problem(torch.empty(2).log_normal_, 0, 0)

# Lists of tensors.
params = [torch.ones(2), torch.full((1,), 2.0)]
print(torch._foreach_add(params, 1), torch._foreach_mul(params, [2.0, 3.0]), torch._foreach_norm(params))
torch._foreach_mul_(params, 0.5)
torch._foreach_add_(params, [torch.ones(2), torch.ones(1)], alpha=2)
torch._foreach_addcdiv_(params, params, [torch.full((2,), 2.0), torch.ones(1)], value=-1)
torch._foreach_lerp_(params, [torch.zeros(2), torch.zeros(1)], 0.5)
print(params, torch._foreach_sqrt([torch.tensor(4.0)]), torch._foreach_maximum([torch.tensor([1.0, 3.0])], 2.0))
torch._foreach_zero_(params)
print(params)
problem(torch._foreach_add, [], 1)

# Tensor methods.
t = torch.arange(6.0).reshape(2, 3)
print(t.clone().apply_(lambda one: one * 2), t.clone().map_(t, lambda one, other: one + other))
print(t.clone().put_(torch.tensor([0, 4]), torch.tensor([9.0, 8.0])), t.renorm(2, 0, 1.0).norm(dim=1), t.dim_order(), t.t().dim_order())
print(torch.empty_strided((2, 3), (1, 2)).stride(), torch.empty_permuted((2, 3, 4), (0, 2, 1)).stride(), t.new_empty_strided((1, 2), (2, 1)).shape)
print(torch.nonzero_static(t, size=7, fill_value=-1)[4:], torch.unsafe_chunk(t, 2, 1)[1].shape, t.double().float_power_(2)[1])
problem(t.float_power_, 2)
problem(t.rename, "a", "b")
print(torch.segment_reduce(torch.arange(5.0), "sum", lengths=torch.tensor([2, 0, 3])), torch.segment_reduce(torch.arange(4.0), "max", lengths=torch.tensor([1, 3])))
cell = nn.GRUCell(2, 3)
h = torch.gru_cell(torch.ones(1, 2), torch.zeros(1, 3), cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
print(torch.allclose(h, cell(torch.ones(1, 2), torch.zeros(1, 3))))
cell = nn.LSTMCell(2, 3)
h, c = torch.lstm_cell(torch.ones(1, 2), (torch.zeros(1, 3), torch.ones(1, 3)), cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
print(all(map(torch.allclose, (h, c), cell(torch.ones(1, 2), (torch.zeros(1, 3), torch.ones(1, 3))))))
print(isinstance(3, torch.SymInt), torch._assert(True, "fine"), torch.get_device(t))
problem(torch._assert, False, "not fine")
problem(torch.quantize_per_tensor, t, 0.1, 0, None)

# Adaptive softmax: the whole distribution sums to 1, and the losses are its logarithms.
torch.manual_seed(0)
adaptive = nn.AdaptiveLogSoftmaxWithLoss(8, 20, cutoffs=[4, 10], div_value=2.0)
rows, target = torch.randn(5, 8), torch.tensor([0, 3, 5, 12, 19])
result = adaptive(rows, target)
log_probs = adaptive.log_prob(rows)
print(adaptive)
print(result.output.shape, torch.allclose(log_probs.exp().sum(1), torch.ones(5)), torch.allclose(result.output, log_probs.gather(1, target[:, None])[:, 0], atol=1e-6))
print(torch.allclose(result.loss, -result.output.mean()), torch.equal(adaptive.predict(rows), log_probs.argmax(1)), adaptive(rows[0], target[0]).output.shape)
result.loss.backward()
print(all(parameter.grad is not None for parameter in adaptive.parameters()))
problem(adaptive, rows, torch.tensor([0, 1, 2, 3, 20]))
problem(nn.AdaptiveLogSoftmaxWithLoss, 8, 20, [10, 4])

# Names that programs import.
from torch.nn.init import _calculate_fan_in_and_fan_out
from torch.optim.lr_scheduler import _LRScheduler
from torch.optim.optimizer import required
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, update_bn

print(_calculate_fan_in_and_fan_out(torch.empty(4, 3, 5, 5)), required)
problem(_calculate_fan_in_and_fan_out, torch.empty(3))


class Halves(_LRScheduler):
    def get_lr(self):
        return [group["lr"] / 2 if self.last_epoch else group["lr"] for group in self.optimizer.param_groups]


weights = nn.Parameter(torch.ones(3))
sgd = optim.SGD([weights], lr=0.8)
halves = Halves(sgd)
for _ in range(3):
    sgd.step()
    halves.step()
print(halves.get_last_lr())
net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
averaged = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.5))
averaged.update_parameters(net)
with torch.no_grad():
    net[0].weight.add_(1)
averaged.update_parameters(net)
print(torch.allclose(averaged.module[0].weight, net[0].weight - 0.5), averaged.n_averaged)
data = torch.arange(16.0).reshape(4, 2, 2)
update_bn(data, net)
outputs = net[0](data.reshape(8, 2))
print(torch.allclose(net[1].running_mean, outputs.mean(0), atol=1e-5), net[1].num_batches_tracked, net[1].momentum)
problem(get_ema_multi_avg_fn, 2.0)

# Windows.
from torch.signal import windows

print(torch.allclose(windows.hann(8, sym=False), torch.hann_window(8), atol=1e-6), torch.allclose(windows.blackman(7), torch.blackman_window(7, periodic=False), atol=1e-6))
print(torch.allclose(windows.kaiser(6, beta=8.0), torch.kaiser_window(6, periodic=False, beta=8.0), atol=1e-5), windows.bartlett(5), windows.gaussian(3, std=1.0))
print(windows.exponential(3), windows.cosine(2), windows.general_cosine(1, a=[1.0]), windows.nuttall(0).shape)
problem(windows.gaussian, -1)
problem(windows.exponential, 3, tau=0)
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors

flat = _flatten_dense_tensors([torch.ones(2, 2), torch.zeros(3)])
print(flat, [part.shape for part in _unflatten_dense_tensors(flat, [torch.ones(2, 2), torch.zeros(3)])])
problem(torch.onnx.export, net, data, "x.onnx")
from torch import special

p = torch.tensor([0.5, -0.25])
print(special.chebyshev_polynomial_t(p, 3), special.chebyshev_polynomial_u(p, 2), special.hermite_polynomial_h(p, torch.tensor([0, 2])))
print(special.laguerre_polynomial_l(p, 2), special.legendre_polynomial_p(p, 2), special.hermite_polynomial_he(p, 3), special.legendre_polynomial_p(p, -1))
print(special.spherical_bessel_j0(torch.tensor([0.0, 0.25, 1.0])), special.gammainc(torch.tensor(1.0), torch.tensor(1.0)))
values = torch.tensor([1.2345, -2.5, 1234.0])
print(values.round(decimals=2), torch.round(values, decimals=-2), torch.round(values), special.round(values, decimals=1), values.round(decimals=0))
problem(torch.tensor([1]).round, decimals=1)
