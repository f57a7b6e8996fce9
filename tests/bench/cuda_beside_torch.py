#!/usr/bin/env python3
"""Runs bin/cuda_bench and does the same with PyTorch on the same GPU, one after the other, and prints the ratios.

Usage: cuda_beside_torch.py PATH_OF_CUDA_BENCH"""
import statistics
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

torch.manual_seed(0)
BF16, F32 = torch.bfloat16, torch.float32


def measured(body):
    """Microseconds of one call: the median of 15 rounds of some 20 ms."""
    def one_round(calls):
        start = time.perf_counter()
        for _ in range(calls):
            body()
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / calls
    for _ in range(3):
        once = one_round(3)
    calls = min(max(int(0.02 / once), 1), 2000)
    return statistics.median(one_round(calls) for _ in range(15)) * 1e6


def random(*shape, dtype):
    return torch.randn(*shape, device="cuda", dtype=dtype)


def classes(count, most):
    return torch.arange(count, device="cuda") * 7919 % most


def ops():
    for size in (1024, 4096, 8192):
        x, y = random(size, size, dtype=BF16), random(size, size, dtype=BF16)
        yield f"gemm/bf16/{size}", lambda: x @ y
    x, y = random(4096, 4096, dtype=F32), random(4096, 4096, dtype=F32)
    torch.backends.cuda.matmul.allow_tf32 = False
    yield "gemm/f32/4096", lambda: x @ y
    torch.backends.cuda.matmul.allow_tf32 = True
    yield "gemm/tf32/4096", lambda: x @ y
    torch.backends.cuda.matmul.allow_tf32 = False
    bias, x, y = random(4096, dtype=BF16), random(8192, 4096, dtype=BF16), random(4096, 4096, dtype=BF16)
    yield "addmm/bf16/8192x4096x4096", lambda: torch.addmm(bias, x, y)
    a, b, row, c = random(16384, 4096, dtype=BF16), random(16384, 4096, dtype=BF16), random(4096, dtype=BF16), random(16384, 4096, dtype=F32)
    yield "add/bf16/64Mi", lambda: a + b
    yield "add_row/bf16/64Mi", lambda: a + row
    yield "gelu/bf16/64Mi", lambda: F.gelu(a)
    yield "exp/bf16/64Mi", lambda: a.exp()
    yield "mul/f32/64Mi", lambda: c * 1.5
    yield "add_transposed/f32/64Mi", lambda: c.t().clone(memory_format=torch.contiguous_format)
    yield "to_bf16/f32/64Mi", lambda: c.to(BF16)
    yield "sum/f32/64Mi", lambda: c.sum()
    yield "sum_rows/f32/16384x4096", lambda: c.sum(1)
    yield "sum_columns/f32/16384x4096", lambda: c.sum(0)
    yield "sum_columns/bf16/16384x4096", lambda: a.sum(0)
    yield "softmax/bf16/16384x4096", lambda: a.softmax(-1)
    yield "softmax/f32/16384x4096", lambda: c.softmax(-1)
    wide = random(4096, 50257, dtype=BF16)
    yield "softmax/bf16/4096x50257", lambda: wide.softmax(-1)
    yield "layer_norm/bf16/16384x4096", lambda: F.layer_norm(a, (4096,), row, row)
    small, w, v = random(65536, 768, dtype=BF16), random(768, dtype=BF16), random(768, dtype=BF16)
    yield "layer_norm/bf16/65536x768", lambda: F.layer_norm(small, (768,), w, v)
    logits, target = random(4096, 50257, dtype=F32), classes(4096, 50257)
    yield "cross_entropy/f32/4096x50257", lambda: F.cross_entropy(logits, target)
    table, indices = random(50257, 768, dtype=BF16), classes(16384, 50257)
    yield "embedding/bf16/16384x768", lambda: F.embedding(indices, table)
    grad = random(16384, 768, dtype=BF16)
    yield "embedding_backward/bf16/16384x768", lambda: torch.ops.aten.embedding_dense_backward(grad, indices, 50257, -1, False)
    aten = torch.ops.aten
    for name, dtype in (("bf16", BF16), ("f32", F32)):
        rows, weight, mean = random(16384, 768, dtype=dtype), random(768, dtype=dtype), random(16384, 1, dtype=F32)
        yield f"layer_norm/{name}/16384x768", lambda: F.layer_norm(rows, (768,), weight, weight)
        yield f"layer_norm_backward/{name}/16384x768", lambda: aten.native_layer_norm_backward(
            rows, rows, (768,), mean, mean, weight, weight, (True, True, True))
        yield f"sum_columns/{name}/16384x768", lambda: rows.sum(0)
    of_heads = random(16, 1024, 12, 64, dtype=BF16).transpose(1, 2)
    room = torch.empty(of_heads.shape, device="cuda", dtype=BF16)
    yield "copy_heads/bf16/16x1024x12x64", lambda: room.copy_(of_heads)
    scores = random(196608, 1024, dtype=BF16)
    yield "softmax/bf16/196608x1024", lambda: scores.softmax(-1)
    one, logs = torch.ones((), device="cuda"), F.log_softmax(logits, -1)
    total = torch.tensor(4096.0, device="cuda")
    # Of both ops that it is made of there.
    yield "cross_entropy_backward/f32/4096x50257", lambda: aten._log_softmax_backward_data(
        aten.nll_loss_backward(one, logs, target, None, 1, -100, total), logs, 1, F32)


def layers():
    aten = torch.ops.aten
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False

    def convolution(name, dtype, shape, kernel, padding, groups):
        x, w = random(*shape, dtype=dtype), random(*kernel, dtype=dtype)
        yield f"conv2d/{name}", lambda: F.conv2d(x, w, padding=padding, groups=groups)
        backward = lambda mask: aten.convolution_backward(x, x, w, None, (1, 1), (padding, padding), (1, 1), False, (0, 0), groups, mask)
        yield f"conv2d_weight/{name}", lambda: backward((False, True, False))
        yield f"conv2d_input/{name}", lambda: backward((True, False, False))
    yield from convolution("bf16/64x64x56x56_3x3", BF16, (64, 64, 56, 56), (64, 64, 3, 3), 1, 1)
    yield from convolution("f32/64x64x56x56_3x3", F32, (64, 64, 56, 56), (64, 64, 3, 3), 1, 1)
    yield from convolution("bf16/64x256x28x28_1x1", BF16, (64, 256, 28, 28), (256, 256, 1, 1), 0, 1)
    yield from convolution("bf16/64x256x28x28_depthwise", BF16, (64, 256, 28, 28), (256, 1, 3, 3), 1, 256)
    images = random(64, 64, 112, 112, dtype=BF16)
    yield "max_pool2d/bf16/64x64x112x112", lambda: F.max_pool2d(images, 3, 2, 1, return_indices=True)
    yield "avg_pool2d/bf16/64x64x112x112", lambda: F.avg_pool2d(images, 2)
    weight, mean, spread = random(64, dtype=F32), random(64, dtype=F32), torch.ones(64, device="cuda")
    yield "batch_norm/bf16/64x64x112x112", lambda: F.batch_norm(images, mean, spread, weight, mean, True, 0.1, 1e-5)
    yield "batch_norm_backward/bf16/64x64x112x112", lambda: aten.native_batch_norm_backward(
        images, images, weight, mean, spread, mean, spread, True, 1e-5, (True, True, True))
    rows, gain = random(16384, 4096, dtype=BF16), random(4096, dtype=BF16)
    yield "rms_norm/bf16/16384x4096", lambda: F.rms_norm(rows, (4096,), gain, 1e-5)
    for width in (64, 128):
        q, k, v = (random(8, 768 // width, 1024, width, dtype=BF16) for _ in range(3))
        yield f"sdpa_causal/bf16/8x{768 // width}x1024x{width}", lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True)
        made = aten._scaled_dot_product_flash_attention(q, k, v, 0.0, True)
        yield f"sdpa_causal_backward/bf16/8x{768 // width}x1024x{width}", lambda: aten._scaled_dot_product_flash_attention_backward(
            q, q, k, v, made[0], made[1], made[2], made[3], 1024, 1024, 0.0, True, made[6], made[7])
    numbers = random(16384, 4096, dtype=F32)
    yield "cumsum/f32/16384x4096", lambda: numbers.cumsum(-1)


def choices():
    aten, mi = torch.ops.aten, 1 << 20
    line, everything = random(16 * mi, dtype=F32), random(64 * mi, dtype=F32)
    rows, short_rows = random(16384, 4096, dtype=F32), random(16384, 1024, dtype=F32)
    yield "sort/f32/16Mi", lambda: line.sort(stable=True)
    yield "sort/f32/16384x1024", lambda: short_rows.sort(stable=True)
    yield "topk50/f32/16384x4096", lambda: rows.topk(50)
    yield "topk100/f32/64Mi", lambda: everything.topk(100)
    yield "median/f32/64Mi", lambda: everything.median()
    positive = everything.relu()
    yield "nonzero/f32/64Mi", lambda: positive.nonzero()
    yield "cummax/f32/16384x4096", lambda: rows.cummax(-1)
    bounds = random(mi, dtype=F32).sort()[0]
    yield "searchsorted/f32/16Mi_in_1Mi", lambda: torch.searchsorted(bounds, line)
    target, places = random(mi, dtype=F32), classes(16 * mi, mi)
    yield "scatter_add/f32/16Mi_to_1Mi", lambda: target.scatter_add(0, places, line)
    images, small = random(64, 64, 112, 112, dtype=BF16), random(64, 64, 56, 56, dtype=BF16)
    yield "reflection_pad2d/bf16/64x64x112x112", lambda: F.pad(images, (1, 1, 1, 1), "reflect")
    yield "upsample_bilinear2d/bf16/64x64x56x56", lambda: F.interpolate(small, (112, 112), mode="bilinear")
    sampled, grid = random(64, 64, 56, 56, dtype=F32), random(64, 56, 56, 2, dtype=F32)
    yield "grid_sample/f32/64x64x56x56", lambda: aten.grid_sampler_2d(sampled, grid, 0, 0, False)
    yield "grid_sample_backward/f32/64x64x56x56", lambda: aten.grid_sampler_2d_backward(sampled, sampled, grid, 0, 0, False, (True, True))


def steps():
    shapes = [(50257, 768), (1024, 768), (768,), (768,)]
    shapes += [(2304, 768), (2304,), (768, 768), (768,), (3072, 768), (3072,), (768, 3072), (768,), (768,), (768,), (768,), (768,)] * 12
    params = [random(*shape, dtype=F32).requires_grad_() for shape in shapes]
    for param in params:
        param.grad = torch.randn_like(param)
    for kind in (torch.optim.SGD, torch.optim.AdamW):
        optimizer = kind(params, lr=1e-5, fused=True)
        yield f"step/f32/{kind.__name__}/gpt2", optimizer.step
    for kind in (torch.optim.RMSprop, torch.optim.NAdam):
        optimizer = kind(params, lr=1e-5, foreach=True)
        yield f"step/f32/{kind.__name__}/gpt2", optimizer.step


def training(batch, width):
    torch.backends.cuda.matmul.allow_tf32 = False
    layers = [torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, 10)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    x, target = random(batch, width, dtype=F32), classes(batch, 10)

    def backward():
        optimizer.zero_grad()
        F.cross_entropy(model(x), target).backward()

    def step():
        backward()
        optimizer.step()
    yield f"mlp_backward/f32/SGD/{batch}x{width}", backward
    yield f"mlp_step/f32/SGD/{batch}x{width}", step


def main():
    run = subprocess.run([sys.argv[1]], capture_output=True, text=True)
    ours = {}
    for line in run.stdout.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] != "#":
            ours[words[0]] = float(words[1])
        else:
            print(line)
    if run.returncode != 0:
        print(run.stderr)
    print(f"PyTorch {torch.__version__} on {torch.cuda.get_device_name()}; ratio: PyTorch's time over ours, more than 1 is faster than it")
    print(f"{'what':36} {'ours us':>10} {'torch us':>10} {'ratio':>6}")
    from itertools import chain
    for name, body in chain(ops(), layers(), choices(), steps(), training(256, 512), training(4096, 2048)):
        theirs = measured(body)
        own = ours.get(name)
        print(f"{name:36} {own if own else '-':>10} {theirs:10.2f} {theirs / own if own else float('nan'):6.2f}", flush=True)


if __name__ == "__main__":
    main()
