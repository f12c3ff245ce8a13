#!/usr/bin/env bash
# Builds a program for a Cortex-M4 that recognises the word in a .wav: FOLDER/words.elf.
#
#   examples/board/build.sh FOLDER [WAV]      [default: examples/words/samples/yes.wav]
#
# It needs arm-none-eabi-gcc and the target thumbv7em-none-eabihf of rustc. ARENITE is the program `arenite` [default:
# built from the tree].
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mkdir -p "$1" && cd "$1" && pwd)
arenite=${ARENITE:-cargo run --quiet --release --package arenite-cli --bin arenite --}
flags=(-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -std=c11 -O2 -ffreestanding -ffunction-sections
    -fdata-sections -Wall -Wextra -Werror -I "$folder" -I "$folder/include")

[ -d "$folder/lib" ] || ffi/micro/build.sh "$folder" cortex-m4
$arenite embed examples/words/words.tflite --target cortex-m4 -o "$folder"
cp "${2:-examples/words/samples/yes.wav}" "$folder/sound.wav"
objects=()
for source in examples/board/{main.c,board.c,sound.S} "$folder/words.c"; do
    objects+=("$folder/$(basename "${source%.*}").o")
    arm-none-eabi-gcc "${flags[@]}" -Wa,-I,"$folder" -c "$source" -o "${objects[-1]}"
done
arm-none-eabi-gcc "${flags[@]}" -nostdlib -Wl,--gc-sections,-z,noexecstack -T examples/board/board.ld "${objects[@]}" \
    "$folder/lib/libarenite_micro.a" -lgcc -o "$folder/words.elf"
arm-none-eabi-size "$folder/words.elf"
