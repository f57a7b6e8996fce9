"""Builds every model of a checkout of pytorch-image-models and compares its parameters with the counts published there.

Its argument is the folder of the checkout. Models are built on the meta device, those that ask for values while they
are built really if they are small. Counts are millions with two decimals, in results/*.csv; some are of the model as it
is after its branches were merged."""
import csv
import glob
import sys

sys.path.insert(0, sys.argv[1])
import timm
import torch
from timm.utils import reparameterize_model

published = {}
for path in glob.glob(f"{sys.argv[1]}/results/*.csv"):
    with open(path) as file:
        for row in csv.DictReader(file):
            if row.get("model") and row.get("param_count"):
                name = row["model"].partition(".")[0]
                published.setdefault(name, set()).add(float(row["param_count"].replace(",", "")))


def count(model):
    return round(sum(parameter.numel() for parameter in model.parameters()) / 1e6, 2)


built, compared, different, failed = 0, 0, [], []
for name in timm.list_models():
    try:
        with torch.device("meta"):
            model = timm.create_model(name)
    except Exception as error:
        asks_for_values = isinstance(error, (RuntimeError, NotImplementedError)) and "meta" in str(error).lower()
        if not asks_for_values:
            failed.append(f"{name}: {type(error).__name__}: {error}")
        if not asks_for_values or min(published.get(name, [1000.0])) > 50:
            continue
        model = timm.create_model(name)
    built += 1
    counts = published.get(name)
    if not counts:
        continue
    compared += 1
    if not any(abs(count(model) - one) < 0.0051 for one in counts):
        merged = count(reparameterize_model(timm.create_model(name)))
        if not any(abs(merged - one) < 0.0051 for one in counts):
            different.append(f"{name}: {count(model)}, published {sorted(counts)}")
print(f"built {built}, compared {compared}")
print("different:", different)
print("failed:", failed)
