"""numpy.fft: transforms, sizes, axes, norms, types."""
import numpy as np

print(np.fft.fft([1, 2, 3, 4]), np.fft.ifft([10, -2 + 2j, -2, -2 - 2j]), np.fft.rfft([0, 1, 0, 0]), np.fft.irfft([1, -1j, -1]))
print(np.fft.fft([1, 0, 0, 0]), np.fft.fft([1, 2, 3, 4], 2), np.fft.fft([1, 2], n=4), np.fft.hfft([1, 2, 3]))
print(np.fft.fft(np.eye(2), axis=0), np.fft.fft2([[1, 2], [3, 4]]), np.fft.ifft2(np.eye(2), norm="forward"))
print(np.fft.fftn(np.arange(8).reshape(2, 2, 2))[0], np.fft.fftn(np.eye(2), axes=(0,)), np.fft.rfft2(np.ones((2, 2))))
x = np.arange(24.).reshape(2, 3, 4)
for forward, back in (("fftn", "ifftn"), ("rfftn", "irfftn"), ("fft2", "ifft2"), ("rfft2", "irfft2"), ("fft", "ifft"), ("rfft", "irfft"),
                      ("ihfft", "hfft")):
    for norm in (None, "ortho", "forward"):
        made = getattr(np.fft, forward)(x, norm=norm)
        print(forward, norm, made.shape, made.dtype, np.allclose(getattr(np.fft, back)(made, norm=norm), x))
print(np.fft.irfft2(np.fft.rfft2(x[0, :, :3]), s=(3, 3)).round(9) + 0.0, np.fft.irfft(np.fft.rfft([1., 2, 3]), 3))
for name in ("float32", "float64", "int8", "complex64", "complex128"):
    a = np.ones(4, name)
    print(name, np.fft.fft(a).dtype, np.fft.ifft(a).dtype, np.fft.irfft(a).dtype, np.fft.fft2(np.ones((2, 2), name)).dtype)
print(np.fft.fftfreq(5), np.fft.fftfreq(4, 0.5), np.fft.rfftfreq(5, 0.1), np.fft.rfftfreq(4))
print(np.fft.fftshift(np.arange(5)), np.fft.ifftshift(np.arange(5)), np.fft.fftshift(np.arange(6).reshape(2, 3), axes=1))
for wrong in (lambda: np.fft.fft([]), lambda: np.fft.fft([1], norm="x"), lambda: np.fft.rfft([1j]), lambda: np.fft.fft([1, 2], 0),
              lambda: np.fft.fft2([[1]], s=(1,), axes=(0, 1)), lambda: np.fft.fftfreq(1.5)):
    try:
        wrong()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error if isinstance(error, ValueError) else "")
