#!/bin/sh
# cargo in the tests of the book: compiles nothing, and refuses what the book has no use for. The program is on the
# path, and the libraries of packages that the book builds are next to the test.
set -eu
clone=@CLONE@
built=@BUILT@

refuse() { echo "cargo in the tests of the book: $*" >&2; exit 1; }

# `provide FILE NAME`: a built library, as cargo would name it.
provide() {
  [ -f "$built/$1" ] || refuse "$1 is missing; does arenite-book depend on its package?"
  mkdir -p "$3/release"
  ln -f "$built/$1" "$3/release/$2" 2>/dev/null || cp "$built/$1" "$3/release/$2"
}

# The plugin of a reader, built from a copy of the template's sources.
own_plugin() {
  diff -r src "$clone/plugins/template/src" >&2 || refuse "the sources are not the template's"
  grep -q 'crate-type = \["cdylib"\]' Cargo.toml || refuse "Cargo.toml makes no cdylib"
  folder=$(sed -n 's/^arenite-abi = { path = "\(.*\)" }.*/\1/p' Cargo.toml | head -n 1)
  grep -q '^name = "arenite-abi"' "$folder/Cargo.toml" || refuse "arenite-abi is not in $folder"
  name=$(sed -n 's/^name = "\(.*\)"/\1/p' Cargo.toml | tr - _)
  provide libarenite_plugin_template.so "lib$name.so" target
}

command=$1
shift
case $command in
  run)
    case "$*" in
      "--release -p arenite-cli -- "*) ;;
      *) refuse "unexpected: cargo run $*" ;;
    esac
    shift 4
    exec arenite "$@" ;;
  install)
    [ "$*" = "--locked --path cli" ] || refuse "unexpected: cargo install $*"
    grep -q '^name = "arenite"' cli/Cargo.toml ;;
  build)
    [ "$*" != --release ] || { own_plugin; exit; }
    for argument in "$@"; do
      case $argument in
        --release | -p) ;;
        arenite-c) for end in so a; do provide "libarenite_c.$end" "libarenite_c.$end" "$clone/target"; done ;;
        arenite-*)
          library=lib$(echo "$argument" | tr - _).so
          provide "$library" "$library" "$clone/target" ;;
        *) refuse "unexpected: cargo build $*" ;;
      esac
    done ;;
  metadata) echo "{\"target_directory\":\"$clone/target\"}" ;;
  pkgid) echo "path+file://$clone#0.1.0" ;;
  *) refuse "unexpected: cargo $command $*" ;;
esac
