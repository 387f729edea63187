#!/usr/bin/env bash
# tools/gdb/hocket.py in a replay: bash gdb_test.sh GDB SCRIPT BUGS
# Exit status 77: debugging is not allowed here.
set -euo pipefail
gdb=$1
script=$(realpath "$2")
bugs=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { printf 'FAILED: %s\n' "$*" >&2; cat output >&2; exit 1; }
expect_line() { grep -q -- "$1" output || fail "no line matches: $1"; }

"$bugs" --gtest_filter=Bugs.lock_order >output 2>&1 && fail "the bug was not found"
"$gdb" -q -nx -batch -x "$script" -ex 'hocket threads' -ex run -ex 'hocket threads' -ex 'hocket backtrace' \
  -ex 'hocket backtrace 7' --args "$bugs" --gtest_filter=Bugs.lock_order \
  --hocket_replay=Bugs.lock_order.schedule.json --hocket_break >output 2>&1 </dev/null || true
if grep -q 'ptrace' output; then
  cat output
  exit 77
fi
expect_line 'no execution is running'
expect_line '^  0   main  *is about to perform mutex.lock$'
expect_line '^\* 1   thread 1  *runs$'
expect_line '^0 main is about to perform mutex.lock$'
expect_line ' at .*samples/unmodified/lock_order.hpp:20$'
expect_line 'there is no thread 7; see: hocket threads'

"$bugs" --gtest_filter=Bugs.check_then_act >output 2>&1 && fail "the bug was not found"
"$gdb" -q -nx -batch -x "$script" -ex run -ex 'hocket threads' --args "$bugs" --gtest_filter=Bugs.check_then_act \
  --hocket_replay=Bugs.check_then_act.schedule.json --hocket_break >output 2>&1 </dev/null || true
expect_line '^  0   main  *waits in join for thread 1 to end$'
