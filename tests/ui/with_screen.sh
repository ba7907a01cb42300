#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with_screen.sh COMMAND...   inside a Blender root: run COMMAND on a virtual screen, software OpenGL.
export XDG_RUNTIME_DIR=/tmp/xdg DISPLAY=:61 LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe LP_NUM_THREADS=1
mkdir -p -m 700 "$XDG_RUNTIME_DIR"
mkdir -p -m 1777 /tmp/.X11-unix
Xvfb "$DISPLAY" -screen 0 "${SCREEN_SIZE:-1280x800}x24" +extension GLX +render -noreset -nolisten tcp \
  >/tmp/xvfb.log 2>&1 &
screen=$!
tries=0
while [ ! -S /tmp/.X11-unix/X61 ]; do
  tries=$((tries + 1))
  if [ $tries -gt 200 ]; then
    echo "the virtual screen did not start:" >&2
    cat /tmp/xvfb.log >&2
    exit 1
  fi
  sleep 0.05
done
"$@"
status=$?
kill $screen
exit $status
