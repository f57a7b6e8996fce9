"""Tensors of layout torch.sparse_coo: made, shown, combined, multiplied, with gradients; and what they have not."""
import copy
import io

import torch
import torch.nn.functional as F
from torch import nn


def refused(make):
    try:
        print("gave", make())
    except Exception as error:
        # The list of backends behind the first sentence differs from build to build.
        print(type(error).__name__, str(error).split(". ")[0].split(" This")[0].rstrip("."))


eye = torch.eye(3).to_sparse()
print(eye)
print(eye.shape, eye.layout, eye.dtype, eye.device, eye.is_sparse, eye.is_meta, eye._nnz(), eye.is_coalesced())
print(eye.indices(), eye.values(), eye.sparse_dim(), eye.dense_dim())
print(eye.to_dense(), torch.zeros(2, 2).to_sparse())
heads = torch.zeros(4, 6, dtype=torch.bool)
heads[2:] = True
print(heads.to_sparse())
print(heads.to_sparse().indices().T)

twice = torch.sparse_coo_tensor([[0, 0, 1], [1, 1, 0]], [1.0, 2.0, 5.0], (2, 3))
print(twice)
print(twice.coalesce())
print(twice.to_dense(), twice.is_coalesced())
refused(twice.indices)
refused(twice.values)
print(torch.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], (3, 2)).to_dense())
print(torch.sparse_coo_tensor((2, 3)), torch.sparse_coo_tensor([[0, 4]], [1, 2]).shape)
refused(lambda: torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0, 3.0], (3,)))
refused(lambda: torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3, 3)))
print(torch.zeros(2, 3, layout=torch.sparse_coo), torch.zeros_like(eye))
print(torch.sparse.FloatTensor(torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0]), torch.Size([2, 2])).to_dense())

# Products, as graph networks make them.
features = torch.arange(6.0).view(3, 2)
graph = torch.sparse_coo_tensor(torch.tensor([[0, 0, 1, 2], [0, 1, 2, 0]]), torch.tensor([1.0, 2.0, 3.0, 4.0]), (3, 3))
print(torch.sparse.mm(graph, features), torch.spmm(graph, features), graph @ features, graph.mm(features))
print(torch.mm(graph, features), graph @ torch.ones(3), torch.eye(3) @ graph)
print((graph @ graph).to_dense(), torch.sparse.addmm(torch.ones(3, 2), graph, features, alpha=2.0))
weight = nn.Parameter(torch.ones(2, 2))
out = torch.sparse.mm(graph, features @ weight)
print(out)
out.sum().backward()
print(weight.grad)
values = torch.tensor([1.0, 2.0], requires_grad=True)
learned = torch.sparse_coo_tensor([[0, 1], [1, 0]], values, (2, 2))
print(learned.requires_grad, torch.sparse.mm(learned, torch.ones(2, 2) * 3))
(torch.sparse.mm(learned, torch.tensor([[1.0, 2.0], [3.0, 4.0]])) ** 2).sum().backward()
print(values.grad)

# Item by item.
print(eye + eye, eye * 2, eye / 4, -eye, 2 * eye)
print(eye - eye)
print((eye + graph).to_dense(), (eye * graph.coalesce()).to_dense(), (graph * torch.full((3, 3), 2.0)).to_dense())
print(torch.ones(3, 3) + eye, torch.ones(3, 3) - eye)
print(eye.abs().values(), eye.pow(2).values(), torch.sqrt(eye).values(), F.relu(eye).values(), eye.t().shape)
print(graph.t().to_dense(), graph.transpose(0, 1).shape, eye.sum(), torch.sparse.sum(graph, 0), graph.sum(1).to_dense())
print(torch.sparse.softmax(graph, 1).to_dense())
print(torch.cat([eye, graph]).shape, torch.cat([eye, graph], 1).to_dense(), torch.stack([eye, eye]).shape)
print(graph[0].to_dense(), graph[-1].to_dense(), graph.index_select(0, torch.tensor([2, 0])).to_dense())
print(eye.to(torch.float64).values(), eye.half().dtype, eye.int().dtype, eye.type(), len(eye), eye.numel(), eye.dim())
print(F.linear(eye, torch.ones(2, 3)), nn.Linear(3, 2).eval()(eye).shape, eye.norm())
print(eye.clone().values(), eye.detach().requires_grad, eye.sparse_mask(eye).values())

# In modules.
net = nn.Module()
net.register_buffer("heads", heads.to_sparse(), persistent=False)
net.register_buffer("graph", graph)
print(net.half().graph.dtype, net.heads.dtype, net.float().graph.dtype, list(net.state_dict()))
again = copy.deepcopy(net)
print(again.heads.is_sparse, again.graph.to_dense().equal(graph.to_dense()), again.graph is net.graph)
print([(name, tuple(one.shape)) for name, one in net.named_buffers()])

file = io.BytesIO()
torch.save({"heads": heads.to_sparse(), "graph": graph}, file)
file.seek(0)
loaded = torch.load(file)
print(loaded["heads"], loaded["graph"].is_coalesced(), loaded["graph"].to_dense())
refused(lambda: eye.untyped_storage())

for make in (lambda: eye > 0, lambda: torch.sigmoid(eye), lambda: eye.view(9), lambda: eye.mean(), lambda: eye.tolist(),
             lambda: eye + torch.ones(3, 3), lambda: eye.numpy(), lambda: eye.data_ptr(), lambda: eye.reshape(9),
             lambda: torch.eye(2).indices(), lambda: torch.eye(2).coalesce(), lambda: F.softmax(eye, 0)):
    refused(make)
print(torch.strided, torch.sparse_coo, torch.zeros(1).layout, isinstance(torch.sparse_csr, torch.layout))
