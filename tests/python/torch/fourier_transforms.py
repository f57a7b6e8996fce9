"""torch.fft and torch.stft: numbers whose transforms are exact, shapes, modes, gradients and what is refused."""
import torch
from torch import fft

torch.set_printoptions(precision=4, sci_mode=False)


def refused(action):
    try:
        action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


def near(z):
    """Without the last digits, which the machine's sines decide; complex numbers as pairs."""
    return ((torch.view_as_real(z) if z.is_complex() else z) * 1000).round() / 1000 + 0.0


x = torch.arange(4.0)
print(fft.fft(x), fft.rfft(x), fft.fft(torch.arange(4)).dtype, fft.fft(x.double()).dtype)
print(near(fft.ifft(fft.fft(x)).real), near(fft.irfft(fft.rfft(x))), near(fft.irfft(fft.rfft(x[:3]), n=3)))
for norm in ("backward", "ortho", "forward"):
    print(norm, fft.fft(torch.ones(4), norm=norm).real, fft.ifft(torch.ones(4), norm=norm).real, fft.hfft(torch.ones(3), norm=norm))
print(fft.fft(x, n=2), fft.fft(x, n=8).shape, near(fft.ihfft(x)), near(fft.hfft(fft.ihfft(x))))
y = torch.arange(6.0).reshape(2, 3)
print(near(fft.fft2(y)), near(fft.fft(y, dim=0)), fft.fftn(y, s=(2, 2)).shape, fft.rfft2(y).shape, fft.rfftn(y, dim=0).shape)
print(near(fft.irfft2(fft.rfft2(y), s=y.shape)), near(fft.ifftn(fft.fftn(y)).real), near(fft.hfft2(fft.ihfft2(y), s=y.shape)))
print(fft.fftfreq(5), fft.fftfreq(4, d=0.5), fft.rfftfreq(5), fft.rfftfreq(4, 0.5, dtype=torch.float64))
print(fft.fftshift(torch.arange(5)), fft.ifftshift(torch.arange(5)), fft.fftshift(y, dim=1))

w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
fft.rfft(w).abs().pow(2).sum().backward()
print(near(w.grad))
w.grad = None
fft.fft(w).abs().pow(2).sum().backward()
print(near(w.grad), fft.fft(w).grad_fn.name(), fft.irfft(fft.rfft(w)).grad_fn.name(), fft.ifft(fft.fft(w)).grad_fn.name())

signal = torch.arange(8.0)
window = torch.ones(4)
frames = torch.stft(signal, 4, hop_length=2, window=window, return_complex=True)
print(frames.shape, near(frames[0].real), signal.stft(4, 2, window=window, center=False, return_complex=True).shape)
print(near(torch.istft(frames, 4, hop_length=2, window=window)), frames.istft(4, 2, window=window, length=6).shape)
print(near(torch.stft(torch.ones(2, 8), 4, window=torch.hann_window(4), normalized=True, return_complex=True)[0, :, 1].real))

refused(lambda: fft.rfft(fft.fft(x)))
refused(lambda: fft.fft(x, n=0))
refused(lambda: fft.fft(x, dim=1))
refused(lambda: fft.fft(x, norm="half"))
refused(lambda: fft.fftn(y, dim=(0, 0)))
refused(lambda: fft.fftn(y, s=(1, 2, 3)))
refused(lambda: fft.fftn(y, s=(1,), dim=(0, 1)))
refused(lambda: fft.rfftn(y, dim=()))
refused(lambda: fft.fft(torch.tensor(1.0)))
refused(lambda: fft.fft(x.half()))
refused(lambda: torch.stft(signal, 4, window=window))
refused(lambda: torch.stft(signal, 4, window=torch.ones(3), return_complex=True))
refused(lambda: torch.istft(torch.ones(3, 3), 4, window=window))
