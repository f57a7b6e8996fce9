"""Denoising diffusion of points on a circle. Paper: Ho et al. 2020.

    nnscope summary examples/diffusion.py --call 'Denoiser()' --input 64,2 --input 64:long
"""
import torch
import torch.nn as nn

STEPS = 40
betas = torch.linspace(1e-3, 0.2, STEPS)
kept = torch.cumprod(1 - betas, dim=0)


class Denoiser(nn.Module):
    """Tells the noise in points (n, 2) that were blurred for `step` (n) steps."""

    def __init__(self, width=128):
        super().__init__()
        self.time = nn.Embedding(STEPS, width)
        self.point = nn.Linear(2, width)
        self.body = nn.Sequential(nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                  nn.Linear(width, 2))

    def forward(self, points, step):
        return self.body(self.point(points) + self.time(step))


@torch.no_grad()
def sample(model, count):
    x = torch.randn(count, 2)
    for step in reversed(range(STEPS)):
        noise = model(x, torch.full((count,), step))
        x = (x - betas[step] / torch.sqrt(1 - kept[step]) * noise) / torch.sqrt(1 - betas[step])
        if step > 0:
            x = x + torch.sqrt(betas[step]) * torch.randn_like(x)
    return x


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(1000):
        angle = torch.rand(256) * 2 * torch.pi
        points = torch.stack([torch.cos(angle), torch.sin(angle)], dim=1)
        step = torch.randint(STEPS, (256,))
        noise = torch.randn_like(points)
        level = kept[step][:, None]
        told = model(torch.sqrt(level) * points + torch.sqrt(1 - level) * noise, step)
        loss = nn.functional.mse_loss(told, noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    radii = sample(model, 200).norm(dim=1)
    print("points lie near the circle:", (radii - 1).abs().mean().item() < 0.25)
