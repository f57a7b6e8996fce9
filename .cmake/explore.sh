#!/bin/sh
# Opens the explorer: a window where there is a display, otherwise the web explorer, whose address it prints.
# Usage: explore.sh PROGRAM
set -eu
if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec "$1"
fi
exec "$1" serve
