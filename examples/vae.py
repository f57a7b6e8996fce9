"""A variational autoencoder. Paper: Kingma and Welling 2014.

    nnscope summary examples/vae.py --call 'VAE()' --input 16,784
"""
import torch
import torch.nn as nn
from torch.distributions import Normal, kl_divergence


class VAE(nn.Module):
    def __init__(self, pixels=784, hidden=400, latent=20):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.ReLU(), nn.Linear(hidden, 2 * latent))
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, pixels))

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        latent = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(latent), mean, log_variance

    def loss(self, x):
        logits, mean, log_variance = self(x)
        posterior = Normal(mean, torch.exp(0.5 * log_variance))
        prior = Normal(torch.zeros_like(mean), torch.ones_like(mean))
        told = nn.functional.binary_cross_entropy_with_logits(logits, x, reduction="sum")
        return (told + kl_divergence(posterior, prior).sum()) / len(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    model = VAE()
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters")
    small = VAE(pixels=16, hidden=32, latent=2)
    images = torch.eye(4).repeat_interleave(4, dim=1).repeat(8, 1)
    optimizer = torch.optim.Adam(small.parameters(), lr=5e-3)
    losses = []
    for step in range(300):
        loss = small.loss(images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print("the bound went down by half:", sum(losses[-10:]) < 0.5 * sum(losses[:10]))
