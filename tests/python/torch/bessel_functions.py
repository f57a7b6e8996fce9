# Bessel functions and Airy's beside values of tables (Abramowitz and Stegun, chapters 9 and 10) and identities.
import math

import torch

x = torch.tensor([0.0, 1e-3, 0.5, 1.0, 2.5, 8.0, 24.9, 25.1, 100.0, 1e4], dtype=torch.float64)
for name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1",
             "scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):
    print(name, ["%.11g" % one for one in getattr(torch.special, name)(x).tolist()])
print("airy_ai", ["%.10g" % one for one in torch.special.airy_ai(torch.tensor([-20.0, -8.0, -6.5, -1.0, 0.0, 0.5, 1.0, 1.6, 5.0, 30.0], dtype=torch.float64)).tolist()])
# J and Y together: J1 Y0 - J0 Y1 = 2 / (pi x).
away = torch.linspace(0.01, 60, 500, dtype=torch.float64)
wronskian = torch.special.bessel_j1(away) * torch.special.bessel_y0(away) - torch.special.bessel_j0(away) * torch.special.bessel_y1(away)
print((wronskian * math.pi * away / 2 - 1).abs().max() < 1e-12)
# I and K: I0 K1 + I1 K0 = 1 / x.
near = torch.linspace(0.01, 20, 300, dtype=torch.float64)
both = torch.special.i0(near) * torch.special.modified_bessel_k1(near) + torch.special.i1(near) * torch.special.modified_bessel_k0(near)
print((both * near - 1).abs().max() < 1e-12)
odd = torch.tensor([-3.0, 3.0])
print(torch.special.bessel_j1(odd), torch.special.bessel_j0(odd), torch.special.bessel_y0(odd), torch.special.bessel_j0(torch.tensor([1, 2])))
special = torch.tensor([math.inf, -math.inf, math.nan])
for name in ("bessel_j0", "bessel_y0", "modified_bessel_k0", "airy_ai"):
    print(name, getattr(torch.special, name)(special))
out = torch.empty(2)
print(torch.special.modified_bessel_k0(torch.tensor([1.0, 2.0]), out=out) is out, out)
