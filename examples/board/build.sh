#!/usr/bin/env bash
# Builds a program for a Cortex-M4: FOLDER/PROGRAM.elf.
#
#   examples/board/build.sh FOLDER hello_world       draws a sine
#   examples/board/build.sh FOLDER [keyword [WAV]]   recognises the word in a .wav
#
# The default is examples/words/samples/yes.wav.
#
# It needs arm-none-eabi-gcc and the target thumbv7em-none-eabihf of rustc. ARENITE is the program `arenite` [default:
# built from the tree].
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mkdir -p "$1" && cd "$1" && pwd)
program=${2:-keyword}
arenite=${ARENITE:-cargo run --quiet --release --package arenite-cli --bin arenite --}
flags=(-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -std=c11 -O2 -ffreestanding -ffunction-sections
    -fdata-sections -Wall -Wextra -Werror -I "$folder" -I "$folder/include")

sources=(examples/board/{"$program",board}.c)
case $program in
    keyword)
        model=examples/words/words.tflite
        cp "${3:-examples/words/samples/yes.wav}" "$folder/sound.wav"
        sources+=(examples/board/sound.S)
        ;;
    hello_world) model=examples/sine/sine.tflite ;;
    *) echo "examples/board/build.sh: unknown program '$program'; known: keyword, hello_world" >&2; exit 2 ;;
esac
[ -d "$folder/lib" ] || ffi/micro/build.sh "$folder" cortex-m4
$arenite embed $model --target cortex-m4 -o "$folder"
sources+=("$folder/$(basename "${model%.tflite}").c")
objects=()
for source in "${sources[@]}"; do
    objects+=("$folder/$(basename "${source%.*}").o")
    arm-none-eabi-gcc "${flags[@]}" -Wa,-I,"$folder" -c "$source" -o "${objects[-1]}"
done
arm-none-eabi-gcc "${flags[@]}" -nostdlib -Wl,--gc-sections,-z,noexecstack -T examples/board/board.ld "${objects[@]}" \
    "$folder/lib/libarenite_micro.a" -lgcc -o "$folder/$program.elf"
arm-none-eabi-size "$folder/$program.elf"
