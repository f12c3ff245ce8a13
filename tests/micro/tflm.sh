#!/usr/bin/env bash
# Measures the models of test.sh with TensorFlow Lite Micro on the same emulated board: code, arena, stack and
# instructions.
#
#   tests/micro/tflm.sh SOURCES BUILD [MODEL]…
#
# SOURCES  a checkout of tensorflow/tflite-micro whose folder third_party has flatbuffers (of the version that its
#          schema requires), gemmlowp and ruy
# BUILD    the folder for build outputs
# MODEL    names in the corpora [default: all models of test.sh]
#
# Built like BUILD_TYPE=release of its Makefile: reference kernels with -O2, the rest with -Os, without error texts.
#
# ARENITE_SHARED  the corpora [default: ../shared]
# ARENITE         the program `arenite` [default: the one on the path]
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" && exit 2; }
sources=$(cd "$1" && pwd)
build=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
cd "$(dirname "$0")"
readonly models="${ARENITE_SHARED:-../../../shared}/models"
[ $# -gt 0 ] || set -- hello_world_f32 hello_world_int8 micro_speech_int8 kws_f32 kws_int8 vww_96_f32 vww_96_int8 resnet8_f32 \
    resnet8_int8 ad01_f32 ad01_int8 str_ww_int8 keyword_scrambled mnist_lstm_f32 mnist_lstm_int8

readonly machine=(-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffunction-sections -fdata-sections -w)
readonly flags=("${machine[@]}" -std=c++17 -fno-rtti -fno-exceptions -fno-threadsafe-statics -fno-unwind-tables
    -fno-asynchronous-unwind-tables -DNDEBUG -DTF_LITE_STATIC_MEMORY -DTF_LITE_STRIP_ERROR_STRINGS -DTF_LITE_DISABLE_X86_NEON
    -I "$sources" -I "$sources/third_party/flatbuffers/include" -I "$sources/third_party/gemmlowp" -I "$sources/third_party/ruy")
readonly kernels=(activations add conv depthwise_conv dequantize fully_connected kernel_util logistic lstm_eval micro_tensor_utils mul pad
    pooling quantize reduce reshape softmax svdf transpose unidirectional_sequence_lstm)

# `compile SOURCE LEVEL`, unless the object exists.
compile() {
    local object
    object=$build/$(echo "${1#"$sources"/}" | tr / _).o
    [ -e "$object" ] || arm-none-eabi-g++ "${flags[@]}" "$2" -c "$1" -o "$object"
}

library() {
    local source kernel
    for source in "$sources"/tensorflow/{lite/{micro,micro/{arena_allocator,memory_planner,tflite_bridge},core/{api,c}},lite/kernels{,/internal{,/reference}}}/*.cc \
        "$sources"/tensorflow/compiler/mlir/lite/{schema,core/api}/*.cc; do
        case $source in
            *_test.cc | *test_helper* | */mock_* | */fake_* | */recording* | */hexdump.cc | */debug_log.cc) ;;
            */system_setup.cc | */micro_time.cc | */micro_profiler.cc) ;;
            *) compile "$source" -Os ;;
        esac
    done
    for kernel in "${kernels[@]}"; do
        for source in "$sources/tensorflow/lite/micro/kernels/$kernel"{,_common}.cc; do
            [ ! -e "$source" ] || compile "$source" -O2
        done
    done
    rm -f "$build/libtflm.a"
    arm-none-eabi-ar rc "$build/libtflm.a" "$build"/*.cc.o
}

# Functions that newlib refers to and that are never called here.
readonly absent=(-Wl,--defsym={_exit,_sbrk,_write,_read,_close,_lseek,_fstat,_isatty,_kill,_getpid,__dso_handle}=0)

run() {
    local work=$build/$1 model=$models/$1 ops file
    mkdir -p "$work"
    cp -f "$model/model.tflite" "$work"
    for file in "$model"/in_*.npy; do
        tail -c +$((11 + $(od -An -tu2 -j8 -N2 "$file"))) "$file"
    done >"$work/inputs.bin"
    # fully_connected::FullyConnected: without the path it is the resolver's name, with three exceptions.
    ops=$("${ARENITE:-arenite}" inspect "$model/model.tflite" --ops c --json | grep -o '::[A-Za-z0-9]*"' | tr -d ':"' |
        sed 's/Conv2d/Conv2D/; s/Pool2d/Pool2D/; s/SequenceLstm/SequenceLSTM/; s/.*/resolver.Add&();/' | tr '\n' ' ')
    arm-none-eabi-g++ "${flags[@]}" -Os "-DADD_OPS=$ops" -I . -c tflm.cc -o "$work/run.o"
    arm-none-eabi-gcc "${machine[@]}" -Os -ffreestanding -c mps2_an386/port.c -o "$work/port.o"
    arm-none-eabi-gcc "${machine[@]}" -Wa,-I,"$work" -c data.S -o "$work/data.o"
    arm-none-eabi-g++ "${machine[@]}" -nostartfiles --specs=nano.specs -Wl,--gc-sections,-z,noexecstack "${absent[@]}" \
        -T mps2_an386/board.ld "$work"/{run,port,data}.o "$build/libtflm.a" -lm -o "$work/image.elf"
    timeout 120 qemu-system-arm -M mps2-an386 -display none -monitor none -serial none -icount shift=0 -chardev stdio,id=text \
        -semihosting-config enable=on,target=native,chardev=text -kernel "$work/image.elf" >"$work/written" </dev/null || true
    printf '%-20s %s code %s\n' "$1" "$(tr '\n' ' ' <"$work/written")" \
        "$(arm-none-eabi-size -A "$work/image.elf" | awk '$1 ~ /^\.(text|rodata|ARM|data|init)/ { n += $2 } END { print n }')"
}

library
for model; do run "$model"; done
