#!/usr/bin/env bash
# Builds libarenite_micro.a and C programs with it, and compares their results with the large runtime's reference ops,
# byte by byte.
#
#   tests/micro/test.sh [--install] [--table] [SUITE]…
#
# Suites:
#   symbols   the library imports memcpy, memmove, memset, memcmp and arenite_micro_panic, and nothing else
#   host      models on this machine, in a program that allocates nothing; an op in C, in both runtimes
#   sweep     the conformance cases that the micro interpreter runs, embedded, on this machine
#   cortex-m  models on a Cortex-M4 (MPS2 AN386) emulated by QEMU; limits of code and stack; the sizes that
#             `arenite plan --micro --target cortex-m4` prints, and its table of layouts
#   rust      models as Rust source, on the same board
#   fuzz      a million damaged models in the micro interpreter, on this machine: none may panic
#
#   --install  install missing packages first: with rustup, and with apt-get as root on Debian 12 or later
#   --table    print a line per model: arena, code, stack, instructions
#   --layouts  rewrite the machine's table, core/micro/targets/cortex-m4.txt
#
# ARENITE_SHARED  the corpora [default: ../shared; without it, only the models in examples/digits]
# ARENITE         the program `arenite` [default: built from the tree]
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly target=thumbv7em-none-eabihf
readonly shared="${ARENITE_SHARED:-../shared}"
readonly corpus=(hello_world_f32 hello_world_int8 micro_speech_int8 kws_f32 kws_int8 vww_96_f32 vww_96_int8 resnet8_f32 resnet8_int8
    ad01_f32 ad01_int8 str_ww_int8 keyword_scrambled mnist_lstm_f32 mnist_lstm_int8)
# Limits on the board: the code of hello_world_int8, and the stack of each model.
readonly most_code=39800 most_stack=2048

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wants_table=false

# `step NAME`: begins a step, and prints how long the one before took.
step() {
    finish_step
    step_name=$*
    step_begun=$SECONDS
    printf '\n== %s\n' "$step_name"
}
finish_step() {
    [ -z "${step_name:-}" ] || printf -- '-- %s: %d s\n' "$step_name" $((SECONDS - step_begun))
    step_name=
}
fail() {
    printf 'tests/micro/test.sh: %s\n' "$*" >&2
    exit 1
}
usage() { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' tests/micro/test.sh; }
has() { command -v "$1" >/dev/null; }

install() {
    local packages=()
    [ ! -x "$(command -v rustup)" ] || rustup target add $target
    has arm-none-eabi-gcc || packages+=(gcc-arm-none-eabi)
    has qemu-system-arm || packages+=(qemu-system-arm)
    has cc || packages+=(gcc libc6-dev)
    [ ${#packages[@]} -gt 0 ] || return 0
    [ "$(id -u)" = 0 ] || fail "--install needs root for: apt-get install ${packages[*]}"
    apt-get update -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${packages[@]}"
}

# `library NAME [ARGUMENT]…`: builds the library once, into $folder/NAME.
library() {
    [ ! -d "$folder/$1" ] || return 0
    step "the library for $1"
    ffi/micro/build.sh "$folder/$1" "${@:2}"
}

# The undefined symbols of the library at $1.
needed() {
    nm "$1" 2>/dev/null | awk '
        NF == 2 && ($1 == "U" || $1 == "w") { needs[$2] }
        NF == 3 { has[$3] }
        END { for (name in needs) if (!(name in has)) print name }' | sort
}

symbols() {
    local found wanted
    library host --messages --subgraphs --sparse
    step "symbols that the library imports"
    found=$(needed "$folder/host/lib/libarenite_micro.a")
    wanted=$(printf '%s\n' arenite_micro_panic memcmp memcpy memmove memset)
    echo "$found"
    [ -z "$(comm -23 <(echo "$found") <(echo "$wanted"))" ] || fail "the library imports more than: $wanted"
}

# The values of a .npy file, as raw bytes.
values() { tail -c +$((11 + $(od -An -tu2 -j8 -N2 "$1"))) "$1"; }

# `prepare_model MODEL CASE WORK`: prepares model, inputs and ops for the programs, and the results of the reference
# ops.
prepare_model() {
    local inputs=() file at=0 work=$3
    mkdir -p "$work"
    cp "$1" "$work/model.tflite"
    : >"$work/inputs.bin"
    while file=$2/in_$at.npy && [ -e "$file" ]; do
        inputs+=(--input "$at=$file")
        values "$file" >>"$work/inputs.bin"
        at=$((at + 1))
    done
    "$arenite" inspect "$1" --ops c >"$work/ops.h"
    "$arenite" run "$1" "${inputs[@]}" --delegate none --output-dir "$work/answers" >"$work/log" 2>&1 ||
        fail "$1: $(cat "$work/log")"
    answers "$work"
}

# The expected output of the C program, from the files of `arenite run`.
answers() {
    local file at=0
    while file=$1/answers/out_$at.npy && [ -e "$file" ]; do
        echo "output $at $(values "$file" | od -An -v -tx1 | tr -d ' \n')"
        at=$((at + 1))
    done >"$1/expected"
}

# `compare NAME WORK`: compares the program's output with the expected one.
compare() {
    grep '^output' "$2/written" | cmp -s - "$2/expected" || {
        head -c 600 "$2/written" >&2
        fail "$1: the bytes differ from the reference ops"
    }
}

# The program `arenite`.
find_arenite() {
    arenite=${ARENITE:-${arenite:-}}
    [ -z "$arenite" ] || return 0
    step "the program arenite"
    cargo build --quiet --release -p arenite-cli
    arenite=$(built)/release/arenite
}

# `zeros TYPE SHAPE BYTES`: a .npy file.
zeros() {
    local header="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
    head -c "$3" /dev/zero
}

# Calls $1 with the name and the folder of each model, as many at a time as there are processors, and prints what the
# calls printed, in order.
each_model() {
    local name at names=(digits_f32 digits_i8) processes=() failed=()
    [ ! -d "$shared/models" ] || names+=("${corpus[@]}" person_detect)
    for name in "${names[@]}"; do
        while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n || true; done
        mkdir -p "$folder/$name"
        { prepare "$name" "$folder/$name"; "$1" "$name" "$folder/$name"; } >"$folder/$name/printed" 2>&1 &
        processes+=($!)
    done
    for at in "${!names[@]}"; do
        wait "${processes[at]}" || failed+=("${names[at]}")
        cat "$folder/${names[at]}/printed"
    done
    [ ${#failed[@]} = 0 ] || fail "failed: ${failed[*]}"
}

# `prepare NAME WORK`: prepares a model by its name, once.
prepare() {
    [ ! -e "$2/expected" ] || return 0
    case $1 in
        digits_*) prepare_model "examples/digits/$1.tflite" "$(echo examples/digits/cases/"${1#digits_}"*)" "$2" ;;
        person_detect) # has no stored inputs
            zeros '|i1' '1, 96, 96, 1' 9216 >"$2/in_0.npy"
            prepare_model "$shared/models/$1.tflite" "$2" "$2"
            ;;
        *) prepare_model "$shared/models/$1/model.tflite" "$shared/models/$1" "$2" ;;
    esac
}

# `build_and_run NAME WORK SOURCE…`: builds a program for this machine, runs it, compares.
build_and_run() {
    local flags=(-std=c11 -O1 -Wall -Wextra -Werror -I "$2" -I "$folder/host/include" -I tests/micro)
    cc "${flags[@]}" -ffunction-sections -Wl,--gc-sections -Wa,-I,"$2" "${@:3}" tests/micro/{host.c,data.S} \
        "$folder/host/lib/libarenite_micro.a" -o "$2/program"
    ! nm "$2/program" | grep -wE 'malloc|calloc|realloc|free' || fail "$1: the program allocates"
    "$2/program" >"$2/written" || fail "$1: $(cat "$2/written")"
    compare "$1" "$2"
}

# `on_host NAME WORK [SOURCE]…`: runs a model, and then in every other way that the library offers.
on_host() {
    build_and_run "$1" "$2" tests/micro/run.c "${@:3}"
    printf '%-20s %s\n' "$1" "$(grep ^arena "$2/written")"
    [ $# = 2 ] || return 0
    build_and_run "$1" "$2" tests/micro/turns.c
    printf '%-20s %s\n' "" "$(grep ^turns "$2/written")"
    embedded_on_host "$1" "$2"
}

# `embed NAME WORK [ARGUMENT]…`: the model as C in WORK/embedded.
embed() {
    mkdir -p "$2/embedded" "$2/plugins"
    "$arenite" embed "$2/model.tflite" --name model -o "$2/embedded" "${@:3}" >"$2/log" || fail "$1: $(cat "$2/log")"
}

# `embedded_on_host NAME WORK [SOURCE]…`: embeds a model and runs it.
embedded_on_host() {
    local work=$2/embedded
    embed "$1" "$2" --plugin-dir "$2/plugins"
    cp "$2"/{model.tflite,inputs.bin,expected} "$work"
    cc -std=c99 -O1 -Wall -Wextra -Werror -I "$folder/host/include" -c "$work/model.c" -o "$work/model.o"
    build_and_run "$1, embedded" "$work" tests/micro/embedded.c "$work/model.o" "${@:3}"
    printf '%-20s %s\n' "" "$(grep ^embedded "$work/written")"
}

host() {
    local name
    find_arenite
    library host --messages --subgraphs --sparse
    step "models, in a program without malloc"
    each_model on_host
    refused keyword_scrambled_8bit
    step "an op in C, in both runtimes"
    op_in_c
    control_models
    build_and_run loop "$folder/loop" tests/micro/run.c
    for name in loop variable random; do
        echo "$name, with a state"
        embedded_on_host $name "$folder/$name"
    done
    ramp_model
    embedded_on_host ramp "$folder/ramp" tests/micro/ramp.c
    ! "$arenite" embed "$folder/ramp/model.tflite" --plugin-dir "$folder/ramp/plugins" --lang rust -o "$folder/ramp" \
        2>"$folder/ramp/log" || fail "Rust source cannot call an op in C"
    grep -q 'node 0.*; use --lang c' "$folder/ramp/log" || fail "an op in C as Rust source: $(cat "$folder/ramp/log")"
}

# A model that the large runtime refuses must be refused here, at the same node.
refused() {
    local work=$folder/$1 model=$shared/models/$1.tflite
    [ -e "$model" ] || return 0
    mkdir -p "$work"
    "$arenite" run "$model" --delegate none >"$work/log" 2>&1 && fail "$1: the large runtime runs the model"
    cp "$model" "$work/model.tflite"
    : >"$work/inputs.bin"
    "$arenite" inspect "$model" --ops c >"$work/ops.h"
    : >"$work/expected"
    (on_host "$1" "$work") >"$work/written_too" 2>&1 && fail "$1: the micro interpreter runs the model"
    grep -o 'node [0-9]*' "$work/log" | head -n 1 | grep -qFf - "$work/written" || fail "$1: $(cat "$work/written" "$work/log")"
    echo "$1: $(cat "$work/written")"
}

# Embeds conformance cases, compiles them into one program, and compares their bytes.
sweep() {
    local work=$folder/sweep
    step "embedded conformance cases"
    [ -d "$shared/conformance" ] || {
        echo "skipped: there is no $shared/conformance"
        return 0
    }
    library host --messages --subgraphs --sparse
    cargo run --quiet --release --package arenite-tests --bin embed_cases -- "$work" "$shared/conformance" >"$work.log"
    head -n 1 "$work.log"
    if $wants_table; then cat "$work.log"; fi
    find "$work" -name '*.c' -print0 | xargs -0 -P "$(nproc)" -n 40 sh -c \
        'for file; do cc -std=c99 -O0 -Wall -Wextra -Werror -I "$0" -I tests/micro -I "$(dirname "$file")" -c "$file" -o "${file%.c}.o" || exit 255; done' \
        "$folder/host/include"
    cc -std=c99 -O1 -Wall -Wextra -Werror -I "$folder/host/include" -I tests/micro tests/micro/sweep.c "$work"/*.o \
        "$folder/host/lib/libarenite_micro.a" -o "$work/program"
    (cd "$work" && ./program) || fail "embedded cases differ"
}

op_in_c() {
    local work=$folder/weigh
    mkdir -p "$work/plugins"
    cp tests/micro/weigh_ops.h "$work/ops.h"
    "$arenite" new-model "$work/model.tflite" 'between:FLOAT32[1,8] = Weigh(x:FLOAT32[1,8])' \
        'y:FLOAT32[1,8] = Weigh(between)' >"$work/log"
    cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I core/abi/include -I ffi/micro/include tests/micro/weigh.c \
        -o "$work/plugins/libweigh.so"
    # Eight floats, 1.0 in each.
    { zeros '<f4' '1, 8' 0; for _ in 1 2 3 4 5 6 7 8; do printf '\x00\x00\x80\x3f'; done; } >"$work/in_0.npy"
    values "$work/in_0.npy" >"$work/inputs.bin"
    "$arenite" run "$work/model.tflite" --plugin-dir "$work/plugins" --input "0=$work/in_0.npy" --delegate none \
        --output-dir "$work/answers" >"$work/log" 2>&1 || fail "the op in C: $(cat "$work/log")"
    answers "$work"
    on_host weigh "$work" -DWITH_EXTERNAL tests/micro/weigh.c
}

# A model with an op in C that can be embedded, in $folder/ramp.
ramp_model() {
    local work=$folder/ramp
    mkdir -p "$work/plugins"
    [ ! -e "$work/expected" ] || return 0
    cc -std=c11 -Wall -Wextra -Werror -shared -fPIC -I core/abi/include tests/micro/ramp.c -o "$work/plugins/libramp.so"
    "$arenite" new-model "$work/model.tflite" 'y:FLOAT32[1,8] = Ramp(x:FLOAT32[1,8])' >"$work/log"
    # Eight floats, 1.0 in each.
    { zeros '<f4' '1, 8' 0; for _ in 1 2 3 4 5 6 7 8; do printf '\x00\x00\x80\x3f'; done; } >"$work/in_0.npy"
    values "$work/in_0.npy" >"$work/inputs.bin"
    "$arenite" run "$work/model.tflite" --plugin-dir "$work/plugins" --input "0=$work/in_0.npy" --delegate none \
        --output-dir "$work/answers" >"$work/log" 2>&1 || fail "the op in C: $(cat "$work/log")"
    answers "$work"
}

# Models with a loop, with a variable and with random numbers, in $folder.
control_models() {
    local name work
    for name in loop variable random; do
        work=$folder/$name
        [ ! -e "$work/expected" ] || continue
        mkdir -p "$work"
        # The loop swaps [1, 2, 3] and [4, 5, 6] five times; the variable doubles.
        if [ $name = loop ]; then
            zeros '<i4' '' 4 >"$work/in_0.npy"
            { zeros '<f4' '3,' 0; printf '\x00\x00\x80\x3f\x00\x00\x00\x40\x00\x00\x40\x40'; } >"$work/in_1.npy"
            { zeros '<f4' '3,' 0; printf '\x00\x00\x80\x40\x00\x00\xa0\x40\x00\x00\xc0\x40'; } >"$work/in_2.npy"
        elif [ $name = random ]; then
            zeros '<f4' '1, 3' 12 >"$work/in_0.npy"
        fi
        prepare_model tests/micro/control/$name.tflite "$work" "$work"
    done
}

readonly board_flags=(-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -std=c11 -Os -ffreestanding -ffunction-sections
    -fdata-sections -Wall -Wextra -Werror)

# `image WORK SOURCE…`: builds WORK/image.elf from files in tests/micro and from the library, or $archive in its place,
# and writes its output on the board to WORK/written.
image() {
    local part objects=() work=$1 library=${archive:-$folder/board/lib/libarenite_micro.a}
    for part in "${@:2}" mps2_an386/port.c; do
        [ -e "$part" ] || part=tests/micro/$part
        objects+=("$work/$(basename "${part%.*}").o")
        arm-none-eabi-gcc "${board_flags[@]}" -I "$work" -I "$folder/board/include" -I tests/micro -Wa,-I,"$work" \
            -c "$part" -o "${objects[-1]}"
    done
    arm-none-eabi-gcc "${board_flags[@]}" -nostdlib -Wl,--gc-sections,-z,noexecstack -T tests/micro/mps2_an386/board.ld \
        "${objects[@]}" "$library" -o "$work/image.elf"
    timeout 120 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -icount shift=0 -chardev stdio,id=text \
        -semihosting-config enable=on,target=native,chardev=text -kernel "$work/image.elf" >"$work/written" </dev/null
}

# The sizes that `arenite plan` prints for the board, in the program's format.
told() {
    "$arenite" plan "$1" --micro --target cortex-m4 --json |
        sed 's/.*"arena_bytes":\([0-9]*\),"head_bytes":\([0-9]*\).*"bookkeeping_bytes":\([0-9]*\),"ops_bytes":\([0-9]*\),"variables_bytes":\([0-9]*\),"constants_bytes":\([0-9]*\).*/arena bytes \1 head \2 bookkeeping \3 ops \4 variables \5 constants \6/'
}

# Checks the table of the board's layouts.
layouts() {
    local work=$folder/layouts table=core/micro/targets/cortex-m4.txt
    mkdir -p "$work"
    {
        echo '#include <arenite_micro.h>'
        sed -n 's/^extern const ArOpV1 \(.*\);/    \&\1,/p' ffi/micro/include/arenite_micro_ops.h |
            { echo 'static const ArOpV1 *const ops[] = {'; cat; echo '};'; }
    } >"$work/ops.h"
    image "$work" layouts.c || fail "the program that prints layouts failed: $(cat "$work/written")"
    if $wants_layouts; then cp "$work/written" $table; fi
    diff "$work/written" $table >&2 || fail "$table is out of date; run tests/micro/test.sh --layouts cortex-m"
}

# The code in a program: everything but the program itself, its data and the tables of an embedded model.
code() { arm-none-eabi-size -A "$1" | awk '$1 ~ /^\.(text|rodata|ARM|data|init)/ { n += $2 } END { print n }'; }

# `embedded_on_board NAME WORK [SOURCE]…`: embeds a model and runs it on the board.
embedded_on_board() {
    local work=$2/embedded
    embed "$1" "$2" --target cortex-m4 --plugin-dir "$2/plugins"
    cp "$2"/{model.tflite,inputs.bin,expected} "$work"
    image "$work" embedded.c data.S "$work/model.c" "${@:3}" || fail "$1, embedded: $(cat "$work/written")"
    compare "$1, embedded" "$work"
    echo "code $(code "$work/image.elf")" >>"$work/written"
    echo "flash of the model $(arm-none-eabi-size -A "$work/model.o" | awk '$1 ~ /^\.rodata/ { n += $2 } END { print n }')" >>"$work/written"
}

on_board() {
    local stack
    case $1 in
        digits_i8 | hello_world_int8)
            image "$2" turns.c data.S || fail "$1: $(cat "$2/written")"
            compare "$1" "$2"
            printf '%-20s %s\n' "$1" "$(grep ^turns "$2/written")"
            ;;
    esac
    image "$2" run.c data.S || fail "$1: $(cat "$2/written")"
    compare "$1" "$2"
    stack=$(awk '$1 == "cost" { print $3 }' "$2/written")
    [ "$stack" -le $most_stack ] || fail "$1: $stack bytes of stack, more than $most_stack"
    told "$2/model.tflite" | diff <(grep ^arena "$2/written") - >&2 || fail "$1: arenite plan prints other sizes"
    echo "code $(code "$2/image.elf")" >>"$2/written"
    embedded_on_board "$1" "$2"
    if $wants_table; then
        printf '%-20s %s\n' "$1" "$(cat "$2"/{,embedded/}written | grep -v ^output | tr '\n' ' ')"
    else
        echo "$1"
    fi
}

# The folder of what Cargo builds.
built() { cargo metadata --format-version 1 --no-deps | sed 's/.*"target_directory":"\([^"]*\)".*/\1/'; }

# The models of tests/embedded: on the board they give the same bytes as on this machine, where `cargo test` compares
# them with the reference ops.
rust() {
    local work=$folder/rust archive
    step "models as Rust source, on a Cortex-M4"
    mkdir -p "$work"
    cargo run --quiet -p arenite-test-embedded --bin outputs >"$work/expected"
    cargo rustc --quiet -p arenite-test-embedded-board --profile micro --target $target --crate-type staticlib
    archive=$(built)/$target/micro/libarenite_test_embedded_board.a
    image "$work" rust.c || fail "models as Rust source: $(cat "$work/written")"
    grep output "$work/written" | diff - "$work/expected" >&2 || fail "models as Rust source: other bytes than on this machine"
    ! arm-none-eabi-nm "$work/image.elf" | grep -E 'arenite_(model|planners)' || fail "the program contains the reader or a planner"
    echo "$(wc -l <"$work/expected") outputs of $(cut -d ' ' -f 1 "$work/expected" | uniq | wc -l) models; $(grep stack "$work/written")"
}

fuzz() {
    step "damaged models"
    cargo run --quiet --release -p arenite-tests --bin micro_fuzz -- --models 1000000
}

# `example PROGRAM [ARGUMENT]…`: builds and runs a program of examples/board: its output is in $folder/example/printed.
example() {
    local work=$folder/example
    [ -d "$work" ] || cp -r "$folder/board" "$work"
    ARENITE=$arenite examples/board/build.sh "$work" "$@" >"$work.log" || fail "examples/board: $(cat "$work.log")"
    examples/board/run.sh "$work" "$1" >"$work/printed" || fail "examples/board: $(cat "$work/printed")"
}

examples() {
    local word
    step "examples/board"
    for word in yes stop; do
        example keyword "examples/words/samples/$word.wav"
        [ "$(cat "$folder/example/printed")" = $word ] || fail "examples/board hears $(cat "$folder/example/printed"), not $word"
        echo "keyword hears $word"
    done
    example hello_world
    diff "$folder/example/printed" tests/micro/sine.txt >&2 || fail "examples/board draws another sine"
    echo "hello_world draws a sine"
}

cortex_m() {
    local name
    find_arenite
    library board $target
    step "models on a Cortex-M4, emulated"
    layouts
    each_model on_board
    ramp_model
    embedded_on_board ramp "$folder/ramp" ramp.c
    echo "ramp, an op in C"
    control_models
    for name in loop variable random; do
        embedded_on_board $name "$folder/$name"
        echo "$name, with a state"
    done
    examples
    local written=$folder/hello_world_int8/written code
    [ -e "$written" ] || return 0
    code=$(awk '$1 == "code" { print $2 }' "$written")
    echo "hello_world_int8: $code bytes of code, at most $most_code"
    [ "$code" -le $most_code ] || fail "hello_world_int8 has grown"
}

suites=()
wants_install=false
wants_layouts=false
for argument; do
    case $argument in
        --install) wants_install=true ;;
        --table) wants_table=true ;;
        --layouts) wants_layouts=true ;;
        symbols | host | sweep | rust | fuzz) suites+=("$argument") ;;
        cortex-m) suites+=(cortex_m) ;;
        -h | --help) usage && exit ;;
        *) fail "unknown suite '$argument'; known: symbols, host, sweep, cortex-m, rust, fuzz" ;;
    esac
done
if $wants_install; then install; fi
for suite in "${suites[@]:-symbols}"; do "$suite"; done
finish_step
