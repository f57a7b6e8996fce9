"""Schemas of ATen's ops that arrange, choose, join, make and draw tensors, in the form that pointwise.py describes."""

_OPTIONS = "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
_LIKE = _OPTIONS + ", MemoryFormat? memory_format=None"

ROWS = """
clone(Tensor self, *, MemoryFormat? memory_format=None)
contiguous(Tensor self, *, MemoryFormat memory_format=torch.contiguous_format)
to.dtype(Tensor self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None)
to.dtype_layout(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None)
to.device(Tensor self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None)
to.other(Tensor self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None)
_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None)
copy(Tensor self, Tensor src, bool non_blocking=False)!
fill.Scalar(Tensor self, Scalar value)!
fill.Tensor(Tensor self, Tensor value)!
fill_diagonal_(Tensor self, Scalar fill_value, bool wrap=False)
view(Tensor self, int[] size)
view.dtype(Tensor self, ScalarType dtype)
_unsafe_view(Tensor self, int[] size)
reshape(Tensor self, int[] shape)
flatten.using_ints(Tensor self, int start_dim=0, int end_dim=-1)
unflatten.int(Tensor self, int dim, int[] sizes)
transpose.int(Tensor self, int dim0, int dim1)!
swapaxes(Tensor self, int axis0, int axis1)
swapdims(Tensor self, int dim0, int dim1)
permute(Tensor self, int[] dims)
movedim.int(Tensor self, int source, int destination)
movedim.intlist(Tensor self, int[] source, int[] destination)
moveaxis.int(Tensor self, int source, int destination)
moveaxis.intlist(Tensor self, int[] source, int[] destination)
squeeze(Tensor self)!
squeeze.dim(Tensor self, int dim)!
squeeze.dims(Tensor self, int[] dim)!
unsqueeze(Tensor self, int dim)!
expand(Tensor self, int[] size, *, bool implicit=False)
broadcast_to(Tensor self, int[] size)
broadcast_tensors(Tensor[] tensors) -> []
meshgrid.indexing(Tensor[] tensors, *, str indexing) -> []
select.int(Tensor self, int dim, int index)
slice.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1)
narrow(Tensor self, int dim, int start, int length)
narrow_copy(Tensor self, int dim, int start, int length)
diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1)
unfold(Tensor self, int dimension, int size, int step)
as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None)!
unbind.int(Tensor self, int dim=0) -> []
split.Tensor(Tensor self, int split_size, int dim=0) -> []
split.sizes(Tensor self, int[] split_size, int dim=0) -> []
split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> []
chunk(Tensor self, int chunks, int dim=0) -> []
unsafe_chunk(Tensor self, int chunks, int dim=0) -> []
tensor_split.sections(Tensor self, int sections, int dim=0) -> []
tensor_split.indices(Tensor self, int[] indices, int dim=0) -> []
tensor_split.tensor_indices_or_sections(Tensor self, Tensor tensor_indices_or_sections, int dim=0) -> []
hsplit.int(Tensor self, int sections) -> []
hsplit.array(Tensor self, int[] indices) -> []
vsplit.int(Tensor self, int sections) -> []
vsplit.array(Tensor self, int[] indices) -> []
dsplit.int(Tensor self, int sections) -> []
dsplit.array(Tensor self, int[] indices) -> []
cat(Tensor[] tensors, int dim=0)
concat(Tensor[] tensors, int dim=0)
concatenate(Tensor[] tensors, int dim=0)
stack(Tensor[] tensors, int dim=0)
hstack(Tensor[] tensors)
vstack(Tensor[] tensors)
dstack(Tensor[] tensors)
column_stack(Tensor[] tensors)
block_diag(Tensor[] tensors)
flip(Tensor self, int[] dims)
roll(Tensor self, int[1] shifts, int[1] dims=[])
repeat(Tensor self, int[] repeats)
tile(Tensor self, int[] dims)
repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, int? output_size=None)
repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, int? output_size=None)
repeat_interleave.Tensor(Tensor repeats, *, int? output_size=None)
tril(Tensor self, int diagonal=0)!
triu(Tensor self, int diagonal=0)!
diag(Tensor self, int diagonal=0)
diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1)
diagflat(Tensor self, int offset=0)
diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None)
cross(Tensor self, Tensor other, int? dim=None)
combinations(Tensor self, int r=2, bool with_replacement=False)
gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False)
scatter.src(Tensor self, int dim, Tensor index, Tensor src)!
scatter.value(Tensor self, int dim, Tensor index, Scalar value)!
scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce)!
scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce)!
scatter_add(Tensor self, int dim, Tensor index, Tensor src)!
scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True)!
index_select(Tensor self, int dim, Tensor index)
index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1)!
index_copy(Tensor self, int dim, Tensor index, Tensor source)!
index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value)!
index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value)!
index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True)!
select_scatter(Tensor self, Tensor src, int dim, int index)
slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1)
diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1)
as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None)
index.Tensor(Tensor self, Tensor?[] indices)
index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False)!
take(Tensor self, Tensor index)
take_along_dim(Tensor self, Tensor indices, int? dim=None)
put(Tensor self, Tensor index, Tensor source, bool accumulate=False)!
masked_select(Tensor self, Tensor mask)
masked_scatter(Tensor self, Tensor mask, Tensor source)!
sort(Tensor self, int dim=-1, bool descending=False) -> 2
sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> 2
argsort(Tensor self, int dim=-1, bool descending=False)
argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False)
topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> 2
searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None)
searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None)
bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False)
bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False)
histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0)
bincount(Tensor self, Tensor? weights=None, int minlength=0)
isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False)
isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False)
isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False)
sum_to_size(Tensor self, int[] size)
one_hot(Tensor self, int num_classes=-1)
trapezoid.x(Tensor y, Tensor x, *, int dim=-1)
trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1)
cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1)
cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1)
uniform_(Tensor self, float from=0.0, float to=1.0, *, Generator? generator=None)
normal_(Tensor self, float mean=0.0, float std=1.0, *, Generator? generator=None)
exponential_(Tensor self, float lambd=1.0, *, Generator? generator=None)
random_(Tensor self, *, Generator? generator=None)
random_.to(Tensor self, int to, *, Generator? generator=None)
random_.from(Tensor self, int from, int? to, *, Generator? generator=None)
bernoulli_.float(Tensor self, float p=0.5, *, Generator? generator=None)
bernoulli_.Tensor(Tensor self, Tensor p, *, Generator? generator=None)
bernoulli.p(Tensor self, float p, *, Generator? generator=None)
multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None)
normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None)
normal.Tensor_float(Tensor mean, float std=1.0, *, Generator? generator=None)
empty.memory_format(int[] size, $LIKE)
zeros(int[] size, $OPTIONS)
ones(int[] size, $OPTIONS)
full(int[] size, Scalar fill_value, $OPTIONS)
rand(int[] size, $OPTIONS)
randn(int[] size, $OPTIONS)
eye(int n, $OPTIONS)
eye.m(int n, int m, $OPTIONS)
arange(Scalar end, $OPTIONS)
arange.start(Scalar start, Scalar end, $OPTIONS)
arange.start_step(Scalar start, Scalar end, Scalar step=1, $OPTIONS)
linspace(Scalar start, Scalar end, int steps, $OPTIONS)
logspace(Scalar start, Scalar end, int steps, float base=10.0, $OPTIONS)
randint(int high, int[] size, $OPTIONS)
randint.low(int low, int high, int[] size, $OPTIONS)
randperm(int n, $OPTIONS)
zeros_like(Tensor self, $LIKE)
ones_like(Tensor self, $LIKE)
empty_like(Tensor self, $LIKE)
rand_like(Tensor self, $LIKE)
randn_like(Tensor self, $LIKE)
full_like(Tensor self, Scalar fill_value, $LIKE)
randint_like(Tensor self, int high, $LIKE)
randint_like.low_dtype(Tensor self, int low, int high, $LIKE)
new_zeros(Tensor self, int[] size, $OPTIONS)
new_ones(Tensor self, int[] size, $OPTIONS)
new_empty(Tensor self, int[] size, $OPTIONS)
new_full(Tensor self, int[] size, Scalar fill_value, $OPTIONS)
scalar_tensor(Scalar s, $OPTIONS)
empty_strided(int[] size, int[] stride, $OPTIONS)
tril_indices(int row, int col, int offset=0, $OPTIONS)
triu_indices(int row, int col, int offset=0, $OPTIONS)
hann_window(int window_length, $OPTIONS)
hann_window.periodic(int window_length, bool periodic, $OPTIONS)
hamming_window(int window_length, $OPTIONS)
blackman_window(int window_length, $OPTIONS)
bartlett_window(int window_length, $OPTIONS)
"""
ROWS = ROWS.replace("$LIKE", _LIKE).replace("$OPTIONS", _OPTIONS)
