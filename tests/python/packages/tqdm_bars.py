# What programs ask of a progress bar.
import io

from tqdm import tqdm, trange
from tqdm.auto import tqdm as auto
from tqdm.contrib import tenumerate

out = io.StringIO()
print(list(tqdm([1, 2, 3], file=out)), out.getvalue().startswith("\r100%|##########| 3/3 [00:00<"), auto is tqdm)
out = io.StringIO()
with tqdm(total=4, desc="epoch", file=out) as bar:
    for _ in range(3):
        bar.update()
    bar.set_description("train")
    bar.set_postfix(loss=0.123456, acc=1, name="a")
print(bar.n, out.getvalue().startswith("\rtrain:  75%|#######5  | 3/4 ["), out.getvalue().endswith(", acc=1, loss=0.123, name=a]\n"))
print(sum(trange(5, disable=True)), len(tqdm(range(7), disable=True)))
out = io.StringIO()
print([i for i, _ in tenumerate("ab", file=out)], list(tqdm(iter("ab"), leave=False)))
tqdm.write("a line")
for item in tqdm(range(3), file=out):
    if item == 1:
        break
