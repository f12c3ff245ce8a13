#!/usr/bin/env bash
# Runs FOLDER/words.elf, which build.sh has built, on a Cortex-M4 that QEMU emulates: examples/board/run.sh FOLDER.
set -euo pipefail
exec timeout 120 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -chardev stdio,id=text \
    -semihosting-config enable=on,target=native,chardev=text -kernel "$1/words.elf" </dev/null
