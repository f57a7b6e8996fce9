"""Parametrizations of torch.nn.utils. Behaviour: torch/nn/utils/parametrize.py, ParametrizationList; parametrizations.py."""
import torch
import torch.nn.functional as F


class ParametrizationList:
    def forward(self):
        if self.is_tensor:
            x = self[0](self.original)
        else:
            x = self[0](*[getattr(self, f"original{i}") for i in range(self.ntensors)])
        place = 1
        while hasattr(self, str(place)):
            x = self[place](x)
            place += 1
        return x


class _WeightNorm:
    def forward(self, weight_g, weight_v):
        return torch._weight_norm(weight_v, weight_g, self.dim)


class _SpectralNorm:
    def _unit(self, vector, **given):
        return F.normalize(vector, dim=0, eps=self.eps, **given)

    def _power_method(self, weight_mat, steps):
        with torch.no_grad():
            for _ in range(steps):
                self._u = self._unit(torch.mv(weight_mat, self._v), out=self._u)
                self._v = self._unit(torch.mv(weight_mat.H, self._u), out=self._v)

    def forward(self, weight):
        if weight.ndim == 1:
            return self._unit(weight)
        others = [d for d in range(weight.ndim) if d != self.dim]
        weight_mat = weight if self.dim == 0 else weight.permute(self.dim, *others)
        weight_mat = weight_mat.flatten(1)
        if self.training:
            self._power_method(weight_mat, self.n_power_iterations)
        u = self._u.clone(memory_format=torch.contiguous_format)
        v = self._v.clone(memory_format=torch.contiguous_format)
        sigma = torch.vdot(u, torch.mv(weight_mat, v))
        return weight / sigma


class _Orthogonal:
    def _by_reflections(self, X):
        A = X.tril(diagonal=-1)
        tau = 2. / (1. + (A * A).sum(dim=-2))
        Q = torch.linalg.householder_product(A, tau)
        return Q * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)

    def _by_skew_matrix(self, X, n, k):
        """The map of a square skew matrix, of which the first k columns count."""
        X = X.tril()
        if n > k:
            X = torch.cat([X, X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)], dim=-1)
        A = X - X.mH
        if self.orthogonal_map == "cayley":
            Id = torch.eye(n, dtype=A.dtype, device=A.device)
            Q = torch.linalg.solve(torch.add(Id, A, alpha=-0.5), torch.add(Id, A, alpha=0.5))
        else:
            Q = torch.matrix_exp(A)
        return Q[..., :k] if n > k else Q

    def forward(self, X):
        is_wide = X.size(-2) < X.size(-1)
        if is_wide:
            X = X.mT
        if self.orthogonal_map == "householder":
            Q = self._by_reflections(X)
        else:
            Q = self._by_skew_matrix(X, X.size(-2), X.size(-1))
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if is_wide else Q
