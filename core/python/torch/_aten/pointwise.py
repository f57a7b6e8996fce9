"""Schemas of ATen's ops that go item by item, of reductions and of products.

A row: name.overload(parameters), "!" behind it where an op of that name and "_" writes into its first argument, and
"-> N" where it gives several tensors ("-> []": a list). Behaviour: aten/src/ATen/native/native_functions.yaml."""

# One tensor in, one out; "!" as above.
UNARY = """abs! acos! acosh! angle asin! asinh! atan! atanh! bitwise_not! ceil! conj conj_physical! cos! cosh! deg2rad! digamma! erf! erfc!
erfinv! exp! exp2! expm1! fix! floor! frac! i0! imag isfinite isinf isnan isneginf isposinf isreal lgamma! log! log10! log1p! log2!
logical_not! neg! negative! numpy_T positive rad2deg! real reciprocal! relu! relu6! round! rsqrt! selu! sgn! sigmoid! sign! signbit
silu! sin! sinc! sinh! sqrt! square! tan! tanh! trunc! mish! hardsigmoid! hardswish! log_sigmoid special_entr special_erfcx
special_i0e special_i1 special_i1e special_log_ndtr special_ndtr special_ndtri mT mH detach! zero! alias lift_fresh_copy
resolve_conj resolve_neg adjoint matrix_H fliplr flipud msort nanmedian median ravel trace det logdet inverse
matrix_exp linalg_matrix_exp erf bernoulli t! argwhere nonzero view_as_real view_as_complex corrcoef absolute! atleast_1d atleast_2d atleast_3d"""

# Two tensors; the second may be a number.
OPERANDS = """mul! div! true_divide! floor_divide! atan2!"""

# The same, with overloads Tensor and Scalar.
COMPARISONS = """eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor remainder fmod bitwise_left_shift bitwise_right_shift copysign"""

# Two tensors.
PAIRS = """maximum minimum fmax fmin hypot logaddexp logaddexp2 nextafter! heaviside! gcd! lcm! ldexp! logical_and! logical_or!
logical_xor! mm bmm mv dot vdot inner outer matmul kron prelu _prelu_kernel linalg_matmul igamma! igammac! ger complex:real,imag
polar:abs,angle view_as expand_as reshape_as type_as"""

ROWS = """
add.Tensor(Tensor self, Operand other, *, Scalar alpha=1)!
sub.Tensor(Tensor self, Operand other, *, Scalar alpha=1)!
rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1)
rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1)
div.Tensor_mode(Tensor self, Operand other, *, str? rounding_mode)!
pow.Tensor_Tensor(Tensor self, Tensor exponent)
pow.Tensor_Scalar(Tensor self, Scalar exponent)
pow.Scalar(Scalar self, Tensor exponent)
remainder.Scalar_Tensor(Scalar self, Tensor other)
float_power.Tensor_Tensor(Tensor self, Tensor exponent)
float_power.Tensor_Scalar(Tensor self, Scalar exponent)
float_power.Scalar(Scalar self, Tensor exponent)
xlogy.Tensor(Tensor self, Tensor other)!
xlogy.Scalar_Other(Tensor self, Scalar other)
xlogy.Scalar_Self(Scalar self, Tensor other)
special_xlog1py(Tensor self, Tensor other)
special_xlog1py.other_scalar(Tensor self, Scalar other)
special_xlog1py.self_scalar(Scalar self, Tensor other)
special_zeta(Tensor self, Tensor other)
special_zeta.other_scalar(Tensor self, Scalar other)
special_zeta.self_scalar(Scalar self, Tensor other)
polygamma(int n, Tensor self)
mvlgamma(Tensor self, int p)
logit(Tensor self, float? eps=None)!
nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None)!
round.decimals(Tensor self, *, int decimals)!
clamp(Tensor self, Scalar? min=None, Scalar? max=None)!
clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None)!
clamp_min(Tensor self, Scalar min)!
clamp_min.Tensor(Tensor self, Tensor min)!
clamp_max(Tensor self, Scalar max)!
clamp_max.Tensor(Tensor self, Tensor max)!
lerp.Scalar(Tensor self, Tensor end, Scalar weight)!
lerp.Tensor(Tensor self, Tensor end, Tensor weight)!
addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1)!
addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1)!
where.self(Tensor condition, Tensor self, Tensor other)
where.ScalarSelf(Tensor condition, Scalar self, Tensor other)
where.ScalarOther(Tensor condition, Tensor self, Scalar other)
where.Scalar(Tensor condition, Scalar self, Scalar other)
where(Tensor condition) -> []
masked_fill.Scalar(Tensor self, Tensor mask, Scalar value)!
masked_fill.Tensor(Tensor self, Tensor mask, Tensor value)!
isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)
rot90(Tensor self, int k=1, int[] dims=[0, 1])
sum(Tensor self, *, ScalarType? dtype=None)
sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)
nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
mean(Tensor self, *, ScalarType? dtype=None)
mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None)
prod(Tensor self, *, ScalarType? dtype=None)
prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None)
var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False)
var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False)
var(Tensor self, bool unbiased=True)
std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False)
std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False)
std(Tensor self, bool unbiased=True)
var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> 2
var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> 2
var_mean(Tensor self, bool unbiased=True) -> 2
std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> 2
std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> 2
std_mean(Tensor self, bool unbiased=True) -> 2
max(Tensor self)
max.dim(Tensor self, int dim, bool keepdim=False) -> 2
max.other(Tensor self, Tensor other)
min(Tensor self)
min.dim(Tensor self, int dim, bool keepdim=False) -> 2
min.other(Tensor self, Tensor other)
amax(Tensor self, int[1] dim=[], bool keepdim=False)
amin(Tensor self, int[1] dim=[], bool keepdim=False)
aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> 2
argmax(Tensor self, int? dim=None, bool keepdim=False)
argmin(Tensor self, int? dim=None, bool keepdim=False)
any(Tensor self)
any.dim(Tensor self, int dim, bool keepdim=False)
any.dims(Tensor self, int[]? dim=None, bool keepdim=False)
all(Tensor self)
all.dim(Tensor self, int dim, bool keepdim=False)
all.dims(Tensor self, int[]? dim=None, bool keepdim=False)
count_nonzero(Tensor self, int? dim=None)
count_nonzero.dim_IntList(Tensor self, int[] dim)
logsumexp(Tensor self, int[1] dim, bool keepdim=False)
median.dim(Tensor self, int dim, bool keepdim=False) -> 2
nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> 2
mode(Tensor self, int dim=-1, bool keepdim=False) -> 2
kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> 2
quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear')
quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear')
nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear')
nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear')
cumsum(Tensor self, int dim, *, ScalarType? dtype=None)!
cumprod(Tensor self, int dim, *, ScalarType? dtype=None)!
cummax(Tensor self, int dim) -> 2
cummin(Tensor self, int dim) -> 2
logcumsumexp(Tensor self, int dim)
cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None)
frexp.Tensor(Tensor self) -> 2
norm.Scalar(Tensor self, Scalar p=2)
norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False)
norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype)
norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype)
dist(Tensor self, Tensor other, Scalar p=2)
renorm(Tensor self, Scalar p, int dim, Scalar maxnorm)!
linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None)
linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None)
linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None)
linalg_cross(Tensor self, Tensor other, *, int dim=-1)
linalg_vecdot(Tensor x, Tensor y, *, int dim=-1)
linalg_diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1)
linalg_matrix_power(Tensor self, int n)
matrix_power(Tensor self, int n)
linalg_multi_dot(Tensor[] tensors)
linalg_vander(Tensor x, *, int? N=None)
linalg_tensorinv(Tensor self, int ind=2)
linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None)
linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> 3
linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> 2
linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False)
linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> 3
linalg_lu_factor(Tensor A, *, bool pivot=True) -> 2
linalg_lu(Tensor A, *, bool pivot=True) -> 3
lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> 3
linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False)
lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots)
_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> 3
linalg_solve(Tensor A, Tensor B, *, bool left=True)
linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> 2
linalg_inv_ex(Tensor A, *, bool check_errors=False) -> 2
linalg_slogdet(Tensor A) -> 2
slogdet(Tensor self) -> 2
linalg_inv(Tensor A)
linalg_det(Tensor A)
linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> 2
linalg_cholesky(Tensor self, *, bool upper=False)
cholesky(Tensor self, bool upper=False)
cholesky_solve(Tensor self, Tensor input2, bool upper=False)
cholesky_inverse(Tensor self, bool upper=False)
linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False)
triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> 2
linalg_qr(Tensor A, str mode='reduced') -> 2
qr(Tensor self, bool some=True) -> 2
geqrf(Tensor self) -> 2
linalg_householder_product(Tensor input, Tensor tau)
orgqr(Tensor self, Tensor input2)
ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False)
linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> 3
linalg_svdvals(Tensor A, *, str? driver=None)
svd(Tensor self, bool some=True, bool compute_uv=True) -> 3
linalg_eigh(Tensor self, str UPLO='L') -> 2
linalg_eigvalsh(Tensor self, str UPLO='L')
linalg_eig(Tensor self) -> 2
linalg_eigvals(Tensor self)
linalg_pinv(Tensor self, float rcond, bool hermitian=False)
linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False)
linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False)
linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False)
pinverse(Tensor self, float rcond=1e-15)
linalg_matrix_rank(Tensor self, float tol, bool hermitian=False)
linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False)
linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False)
linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False)
linalg_lstsq(Tensor self, Tensor b, float? rcond=None, *, str? driver=None) -> 4
linalg_cond(Tensor self, Scalar? p=None)
linalg_cond.p_str(Tensor self, str p)
addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1)!
addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1)!
addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1)!
addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)!
baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)!
einsum(str equation, Tensor[] tensors, *, int[]? path=None)
__and__.Tensor(Tensor self, Tensor other)
__and__.Scalar(Tensor self, Scalar other)
__or__.Tensor(Tensor self, Tensor other)
__or__.Scalar(Tensor self, Scalar other)
__xor__.Tensor(Tensor self, Tensor other)
__xor__.Scalar(Tensor self, Scalar other)
__lshift__.Tensor(Tensor self, Tensor other)
__lshift__.Scalar(Tensor self, Scalar other)
__rshift__.Tensor(Tensor self, Tensor other)
__rshift__.Scalar(Tensor self, Scalar other)
__iand__.Tensor(Tensor self, Tensor other)
__iand__.Scalar(Tensor self, Scalar other)
__ior__.Tensor(Tensor self, Tensor other)
__ior__.Scalar(Tensor self, Scalar other)
__ixor__.Tensor(Tensor self, Tensor other)
__ixor__.Scalar(Tensor self, Scalar other)
_fft_c2c(Tensor self, int[] dim, int normalization, bool forward)
_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided)
_fft_c2r(Tensor self, int[] dim, int normalization, int last_dim_size)
fft_fft(Tensor self, int? n=None, int dim=-1, str? norm=None)
fft_ifft(Tensor self, int? n=None, int dim=-1, str? norm=None)
fft_rfft(Tensor self, int? n=None, int dim=-1, str? norm=None)
fft_irfft(Tensor self, int? n=None, int dim=-1, str? norm=None)
fft_hfft(Tensor self, int? n=None, int dim=-1, str? norm=None)
fft_ihfft(Tensor self, int? n=None, int dim=-1, str? norm=None)
fft_fft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)
fft_ifft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)
fft_rfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)
fft_irfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)
fft_hfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)
fft_ihfft2(Tensor self, int[1]? s=None, int[1] dim=[-2, -1], str? norm=None)
fft_fftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)
fft_ifftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)
fft_rfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)
fft_irfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)
fft_hfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)
fft_ihfftn(Tensor self, int[1]? s=None, int[1]? dim=None, str? norm=None)
fft_fftshift(Tensor self, int[1]? dim=None)
fft_ifftshift(Tensor self, int[1]? dim=None)
stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode='reflect', bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None)
istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False)
"""
