#!/usr/bin/env bash
# Each function that the C library exports is one of these: Hocket has an entry point for it, or it is in
# interpose/unmodified/untracked/calls.txt, or neutral.txt says why it needs neither. So what a new C library adds is looked at.
# Usage: exports_test.sh HOCKET_UNMODIFIED_OBJECT LIBC
set -euo pipefail
export LC_ALL=C
object=$(realpath "$1") libc=$(realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/../../../interpose/unmodified/untracked"

# What programs can be linked with: @@ is the version for that; a name with GLIBC_PRIVATE is for glibc's own libraries.
mapfile -t exported < <(nm -D --defined-only "$libc" | awk '$2 ~ /^[TWi]$/ && $3 ~ /@@/ && $3 !~ /PRIVATE/ {sub(/@.*/, "", $3); print $3}' | sort -u)
declare -A followed=()
while read -r name; do followed[$name]=1; done < <(nm --defined-only "$object" | awk '$2 ~ /^[TWt]$/ {sub(/^__wrap_/, "", $3); print $3}')
mapfile -t patterns < <(sed -n -E '/^#/!s/^[^|]+ \| //p' neutral.txt | tr ' ' '\n' | sed '/^$/d')
missing=()
entries=0
for name in "${exported[@]}"; do
  [[ -z ${followed[$name]:-} ]] || { ((++entries)); continue; }
  found=
  for pattern in "${patterns[@]}"; do
    # shellcheck disable=SC2053  # a pattern
    [[ $name == $pattern ]] && { found=1; break; }
  done
  [[ -n $found ]] || missing+=("$name")
done
echo "$entries of ${#exported[@]} functions of the C library have entry points"
((${#exported[@]} > 1500 && entries > 500)) || { echo "FAILED: these are too few"; exit 1; }
if ((${#missing[@]} > 0)); then
  echo "FAILED: nothing says what becomes of these when a body calls them: ${missing[*]}"
  exit 1
fi
