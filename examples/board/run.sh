#!/usr/bin/env bash
# Runs a program that build.sh has built, on a Cortex-M4 that QEMU emulates: examples/board/run.sh FOLDER [PROGRAM].
set -euo pipefail
exec timeout 120 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -chardev stdio,id=text \
    -semihosting-config enable=on,target=native,chardev=text -kernel "$1/${2:-keyword}.elf" </dev/null
