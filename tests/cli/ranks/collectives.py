"""Every collective of torch.distributed on three ranks; what each prints is in collectives.rank0.txt and so on."""
import torch, torch.nn as nn, torch.distributed as dist
dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()

def full(value, n=2, dtype=torch.float32):
    return torch.full((n,), value, dtype=dtype)

x = full(rank + 1.0)
work = dist.all_reduce(x, async_op=True)
print("all_reduce", type(work).__name__, work.wait(), x.tolist(), work.is_completed(), work.is_success())
for name in ["PRODUCT", "MIN", "MAX"]:
    x = full(rank + 1.0); dist.all_reduce(x, op=getattr(dist.ReduceOp, name)); print(name, x.tolist())
x = full(rank + 1, dtype=torch.int64); dist.all_reduce(x, op=dist.ReduceOp.BOR); print("BOR", x.tolist())
m = (torch.arange(6.0) * (rank + 1)).reshape(2, 3).t()
dist.all_reduce(m); print("strided", m.tolist(), m.is_contiguous())
x = full(float(rank)); dist.broadcast(x, src=1); print("broadcast", x.tolist())
x = full(float(rank)); dist.reduce(x, dst=2); print("reduce", x.tolist() if rank == 2 else "-")
parts = [torch.zeros(2) for _ in range(size)]; dist.all_gather(parts, full(float(rank))); print("all_gather", [p.tolist() for p in parts])
out = torch.zeros(size * 2); dist.all_gather_into_tensor(out, full(float(rank))); print("into", out.tolist())
out = torch.zeros(size, 2); dist.all_gather_into_tensor(out, full(float(rank))); print("stacked", out.tolist())
got = [torch.zeros(1) for _ in range(size)] if rank == 0 else None
dist.gather(full(float(rank), 1), got, dst=0); print("gather", got and [g.item() for g in got])
out = torch.zeros(1); dist.scatter(out, [full(float(i * 10), 1) for i in range(size)] if rank == 0 else None, src=0); print("scatter", out.item())
out = torch.zeros(2); dist.reduce_scatter(out, [full(float(i + rank)) for i in range(size)]); print("reduce_scatter", out.tolist())
out = torch.zeros(1); dist.reduce_scatter_tensor(out, torch.arange(float(size)) * (rank + 1)); print("rs_tensor", out.tolist())
out = torch.zeros(size); dist.all_to_all_single(out, torch.arange(float(size)) + 10 * rank); print("a2a", out.tolist())
outs = [torch.zeros(1) for _ in range(size)]; dist.all_to_all(outs, [full(float(rank * 10 + i), 1) for i in range(size)]); print("a2a list", [o.item() for o in outs])
splits_in = [i + 1 for i in range(size)]; out = torch.zeros((rank + 1) * size)
dist.all_to_all_single(out, torch.full((sum(splits_in),), float(rank)), [rank + 1] * size, splits_in); print("uneven", out.tolist())
if rank == 0:
    dist.send(full(7.0), dst=1); dist.send(full(8.0), dst=2, tag=5)
    w = dist.isend(full(9.0), 1); w.wait()
elif rank == 1:
    y = torch.zeros(2); print("recv", dist.recv(y, src=0), y.tolist()); print(dist.irecv(y, 0).wait(), y.tolist())
else:
    y = torch.zeros(2); print("any", dist.recv(y, tag=5), y.tolist())
right, left = (rank + 1) % size, (rank - 1) % size
y = torch.zeros(2)
for req in dist.batch_isend_irecv([dist.P2POp(dist.isend, full(float(rank)), right), dist.P2POp(dist.irecv, y, left)]): req.wait()
print("ring", y.tolist())
objs = [None] * size; dist.all_gather_object(objs, {"rank": rank, "t": torch.ones(rank + 1)}); print("objects", [(o["rank"], o["t"].numel()) for o in objs])
lst = ["a", {"b": 2}, 3] if rank == 1 else [None] * 3; dist.broadcast_object_list(lst, src=1); print(lst)
g = [None] * size if rank == 2 else None; dist.gather_object((rank, "x" * rank), g, dst=2); print(g)
o = [None]; dist.scatter_object_list(o, [i * 100 for i in range(size)] if rank == 0 else None, src=0); print(o)
if rank == 0: dist.send_object_list([1, "two"], dst=2)
if rank == 2:
    l = [None, None]; print(dist.recv_object_list(l, src=0), l)
group = dist.new_group([0, 2])
if rank != 1:
    x = full(float(rank + 1)); dist.all_reduce(x, group=group); print("group", x.tolist(), dist.get_rank(group), dist.get_world_size(group), dist.get_group_rank(group, 2), dist.get_global_rank(group, 1))
    x = full(float(rank)); dist.broadcast(x, src=2, group=group); print(x.tolist())
else:
    print("outside", group == dist.GroupMember.NON_GROUP_MEMBER, dist.get_rank(group))
own, all_groups = dist.new_subgroups_by_enumeration([[0], [1, 2]]); print(dist.get_process_group_ranks(own), len(all_groups))
dist.barrier(); dist.monitored_barrier()
f = dist.all_reduce(full(1.0), async_op=True).get_future().then(lambda fut: fut.value()[0] * 2); print("future", f.wait().tolist())
print(dist.get_backend(), dist.is_initialized(), dist.group.WORLD is not None, dist.get_process_group_ranks(None))
for bad in [lambda: dist.all_reduce(5), lambda: dist.all_reduce(torch.ones(1), op=dist.ReduceOp.AVG), lambda: dist.init_process_group("gloo"),
            lambda: dist.gather(torch.ones(1), [torch.ones(1)] * size, dst=(rank + 1) % size), lambda: dist.send(torch.ones(1), dst=rank), lambda: dist.Backend(3)]:
    try: bad(); print("fine")
    except Exception as e: print(type(e).__name__, e)
# SyncBatchNorm is BatchNorm over the whole batch.
torch.manual_seed(0)
whole = torch.randn(4 * size, 3, 5).double()
plain, sync = nn.BatchNorm1d(3).double(), nn.SyncBatchNorm(3).double()
a = whole.clone().requires_grad_(); b = whole[4 * rank:4 * rank + 4].clone().requires_grad_()
ya, yb = plain(a), sync(b)
(ya ** 3).sum().backward(); (yb ** 3).sum().backward()
s = slice(4 * rank, 4 * rank + 4)
wg = sync.weight.grad.clone(); dist.all_reduce(wg)
print("sync", torch.allclose(ya[s], yb), torch.allclose(a.grad[s], b.grad), torch.allclose(plain.running_var, sync.running_var), torch.allclose(plain.running_mean, sync.running_mean), torch.allclose(wg, plain.weight.grad))
store = dist.distributed_c10d._get_default_store()
store.set(f"k{rank}", f"v{rank}"); print(store.get(f"k{left}"), store.add("n", 0) >= 0)
dist.destroy_process_group(); print(dist.is_initialized())
dist.init_process_group("gloo"); x = full(1.0); dist.all_reduce(x); print("again", x.tolist()); dist.destroy_process_group()
