#!/usr/bin/env python3
"""Pictures of the window's main screens, both themes, three sizes: screenshots.py PROGRAM FOLDER [CHECKPOINT...]"""
import itertools
import subprocess
import sys
from pathlib import Path

SIZES = ["1600x1000", "800x600", "390x844"]
SCREENS = {
    "start": [],
    "cnn_summary": ["sample:small_cnn", "--tab", "summary"],
    "cnn_registries": ["sample:small_cnn", "--tab", "registries"],
    "cnn_hooks": ["sample:small_cnn", "--tab", "hooks"],
    "cnn_repr": ["sample:small_cnn", "--tab", "repr"],
    "gpt2": ["sample:gpt2"],
    "resnet": ["sample:resnet18", "--tab", "registries"],
}


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    screens = SCREENS | {Path(path).stem: [path] for path in sys.argv[3:]}
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
