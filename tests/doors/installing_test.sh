#!/usr/bin/env bash
# Installs Hocket by the lines of README.md, from what git tracks and nothing else, and builds the example with it.
# Usage: installing_test.sh
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/hocket"
(cd "$source" && git ls-files -z | xargs -0 cp --parents -t "$work/hocket")
# The block with the line that installs.
lines=$(awk '/^```/ {if (inside && text ~ /cmake --install/) printf "%s", text; inside = !inside; text = ""; next} inside {text = text $0 "\n"}' \
  "$source/README.md")
[[ $(wc -l <<<"$lines") -eq 3 ]] || { echo "FAILED: README.md does not say in three lines how to install Hocket"; exit 1; }
cd "$work/hocket"
while read -r line; do
  echo "+ $line"
  bash -e -o pipefail -c "${line//DIRECTORY/$work/prefix}"
done <<<"$lines"
rm -rf "$work/hocket"

# Whoever can write there later must not get what is installed to run a program.
if grep -rlF "$work/hocket/build" "$work/prefix"; then
  echo "FAILED: these installed files name the folder in which they were built"
  exit 1
fi
"$work/prefix/bin/hocket" --version
cp -r "$source/samples/package_example" "$work/example"
cd "$work/example"
cmake -S . -B build "-DCMAKE_PREFIX_PATH=$work/prefix"
cmake --build build
ctest --test-dir build --output-on-failure --no-tests=error
