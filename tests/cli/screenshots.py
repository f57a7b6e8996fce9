#!/usr/bin/env python3
"""Pictures of the window's main screens, both themes, four sizes: screenshots.py PROGRAM FOLDER [CHECKPOINT...]"""
import itertools
import json
import math
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = ["1600x1000", "800x600", "360x740", "3840x2160"]
SCREENS = {
    "start": [],
    "cnn_summary": ["sample:small_cnn", "--tab", "summary"],
    "cnn_registries": ["sample:small_cnn", "--tab", "registries"],
    "cnn_hooks": ["sample:small_cnn", "--tab", "hooks"],
    "cnn_repr": ["sample:small_cnn", "--tab", "repr"],
    "gpt2": ["sample:gpt2"],
    "resnet": ["sample:resnet18", "--tab", "registries"],
}


def write_model(path, blocks, change):
    """A safetensors file of small float32 tensors; `change(name, i)` is added to their values."""
    shapes = {"embed.weight": (64, 48)}
    for block in range(blocks):
        shapes[f"layers.{block}.attn.qkv.weight"] = (96, 48)
        shapes[f"layers.{block}.mlp.fc.weight"] = (48, 96)
        shapes[f"layers.{block}.norm.bias"] = (48,)
    header, data = {}, bytearray()
    for name, shape in shapes.items():
        count = math.prod(shape)
        values = [math.sin(i / 37) * math.cos(i / 911) + change(name, i) for i in range(count)]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * count]}
        data += struct.pack(f"<{count}f", *values)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return str(path)


def screens_of_files(folder):
    base = write_model(folder / "base.safetensors", 12, lambda name, i: 0)
    tuned = write_model(folder / "tuned-on-something-with-a-long-name.safetensors", 13,
                        lambda name, i: 0.1 * math.sin(i / 5) if "attn" in name else 0)
    tensor = "layers.3.attn.qkv.weight"
    pair = f"#file={base}&with-file={tuned}"
    return {
        "compared": [base, tuned, "--compare"],
        "compared_row": [f"{pair}&select={tensor}"],
        "compared_trees": [f"{pair}&view=trees&select={tensor}"],
        "compared_parts": [f"#file={base}&part=layers.3&with-part=layers.4"],
        "compared_equal": [f"#file={base}&part=layers.3.norm.bias&with-part=layers.4.norm.bias"],
        "map": [base, "--tab", "map"],
        "map_values": [f"#file={base}&tab=map&colour=std"],
        "statistics": [base, "--tab", "statistics"],
        "tensor": [base, "--select", tensor],
        "safety": [base, "--tab", "safety"],
        "search": [base, "--search", "attn weight"],
        "search_nothing": [base, "--search", "nothing has this name"],
        "commands": [base, "--search", ">comp"],
    }


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as files:
        screens = SCREENS | screens_of_files(Path(files)) | {Path(path).stem: [path] for path in sys.argv[3:]}
        return take_pictures(program, folder, screens)


def take_pictures(program, folder, screens):
    failed = 0
    for (name, arguments), size, theme in itertools.product(screens.items(), SIZES, ["dark", "light"]):
        picture = folder / f"{name}_{theme}_{size}.png"
        made = subprocess.run(
            ["xvfb-run", "-a", "-s", "-screen 0 1600x1200x24", program, "open", *arguments, "--screenshot", picture,
             "--size", size, "--theme", theme], capture_output=True, text=True)
        if made.returncode != 0:
            failed += 1
            print(f"{picture}: {made.stderr.strip()}", file=sys.stderr)
    print(f"{len(screens) * len(SIZES) * 2 - failed} pictures in {folder}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
