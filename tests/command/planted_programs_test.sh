#!/usr/bin/env bash
# A program under test does not run programs that others could have changed, where it looks for those of Hocket.
# Usage: planted_programs_test.sh HOCKET_DEBUG_INFO PROGRAM
set -u
debug_info=$(realpath "$1")
program=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
export COLUMNS=500 PATH=/usr/bin:/bin PROGRAMS=$folder/programs
mkdir programs pages bin
cp "$program" bin/program
for name in hocket-debug-info hocket; do
  printf '#!/bin/sh\ntouch %s/was-run\n' "$folder" >"programs/$name"
  chmod 777 "programs/$name"
done

bin/program >output 2>&1
has output 'an increment was lost'
has output "$folder/programs/hocket-debug-info is not run, and variables have no names, as others could have changed it"
[[ $(grep -c 'is not run' output) == 1 ]] || fail "this is said once: $(<output)"

HOCKET_HTML=pages bin/program >output 2>&1
has output "$folder/programs/hocket is not run, as others could have changed it"
[[ ! -e was-run ]] || fail 'a program that everybody may change was run'

# It is passed over for one that nobody else may change.
cp "$debug_info" bin/hocket-debug-info
chmod 755 bin bin/hocket-debug-info
rm -f ./*.schedule.json
bin/program >output 2>&1
! grep -q 'is not run' output || fail "there is another one: $(<output)"
has output 'atomic.load hits'
[[ ! -e was-run ]] || fail 'a program that everybody may change was run'

((failures == 0)) && echo passed
exit $((failures != 0))
