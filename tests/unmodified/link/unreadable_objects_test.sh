#!/usr/bin/env bash
# Gives hocket_check_hooks object files and archives that are cut off or hold nonsense: of each it has to say in one
# sentence that it cannot read it. Usage: unreadable_objects_test.sh CHECK_HOOKS OBJDUMP AR OBJECT_WITH_HOOKS
set -u
check_hooks=$1
objdump=$2
ar=$3
object=$(realpath "$4")
. "$(dirname "${BASH_SOURCE[0]}")/../../support/script_test.sh"
cp "$object" whole.o || exit 1

# check FILE: what is said of a link that took code from it.
check() {
  printf 'Linker script and memory map\n\n .text          0x0000000000001000       0x10 %s\n' "$1" >link.map
  "$check_hooks" link.map "$objdump" . 2>&1
}
# refuse FILE WHAT: that it cannot be read, and no more.
refuse() {
  local output status
  output=$(check "$1")
  status=$?
  [[ $status -eq 0 && $output == "hocket: warning: cannot read $1 ("?*'): perhaps hooks were lost there' ]] ||
    fail "$2: status $status, \"$output\""
}
random_bytes() { # how many, seed
  awk -v count="$1" -v seed="$2" 'BEGIN {
    srand(seed)
    for (n = 0; n < count; ++n) printf "\\%03o", int(256 * rand())
  }'
}

"$ar" rcs whole.a whole.o || exit 1
for file in whole.o 'whole.a(whole.o)'; do
  output=$(check "$file") && [[ -z $output ]] || fail "$file: \"$output\""
done
refuse 'whole.a(other.o)' 'no such member'
refuse 'whole.o(whole.o)' 'no archive'
refuse missing.o 'no such file'
refuse whole.a 'an archive in place of an object file'

for kind in o a; do
  file=cut.$kind
  [[ $kind == a ]] && file='cut.a(whole.o)'
  size=$(stat --format=%s "whole.$kind")
  for length in 0 1 4 7 8 16 63 64 65 100 128 500 $((size / 4)) $((size / 2)) $((size * 3 / 4)) $((size - 64)) $((size - 2)); do
    head --bytes="$length" "whole.$kind" >"cut.$kind"
    refuse "$file" "the first $length bytes of $size"
  done
done

for seed in 1 2 3 4 5 6 7 8; do
  { printf '\177ELF'; printf "$(random_bytes 3000 "$seed")"; } >random.o
  refuse random.o "random bytes after the first four, seed $seed"
  { head --bytes=16 whole.o; printf "$(random_bytes 3000 "$seed")"; } >random.o
  refuse random.o "random bytes after the first sixteen, seed $seed"
done

# A table of sections, at the end of the file, with offsets and sizes far outside of it.
table=$(od --address-radix=n --skip-bytes=40 --read-bytes=8 --format=u8 whole.o)
for field in 24 32 40; do  # of a section: the offset, the size, the number of another
  cp whole.o far.o
  for ((entry = table + 64; entry + 64 <= $(stat --format=%s whole.o); entry += 64)); do
    printf '\377\377\377\177' | dd of=far.o bs=1 seek=$((entry + field)) conv=notrunc status=none
  done
  refuse far.o "sections with 0x7fffffff at $field"
done

exit $((failures != 0))
