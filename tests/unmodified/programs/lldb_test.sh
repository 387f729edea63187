#!/usr/bin/env bash
# tools/lldb/hocket.py in a replay: bash lldb_test.sh LLDB SCRIPT BUGS
# Exit status 77: debugging is not allowed here, or this LLDB has no Python.
set -euo pipefail
lldb=$1
script=$(realpath "$2")
bugs=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { printf 'FAILED: %s\n' "$*" >&2; cat output >&2; exit 1; }
expect_line() { grep -q -- "$1" output || fail "no line matches: $1"; }
skip() { printf 'skipped: %s\n' "$*"; exit 77; }
has_python() { "$lldb" -b -o 'script import lldb.embedded_interpreter; print(6 * 7)' 2>/dev/null | grep -q -x 42; }

# Debian's package looks for its modules in a folder where they are not.
for modules in "" $(compgen -G '/usr/lib/llvm-*/lib/python3*/dist-packages' | sort -V -r); do
  export PYTHONPATH=$modules
  ! has_python || break
done
has_python || skip "this LLDB has no Python"

"$bugs" --gtest_filter=Bugs.lock_order >output 2>&1 && fail "the bug was not found"
commands=()
for command in 'hocket threads' 'hocket thread' 'frame variable amount' 'hocket backtrace' 'hocket next' 'hocket threads' \
  'hocket why' 'hocket next' 'bt' 'hocket thread 1'; do
  commands+=(-k "$command")  # -o ends where the process stops by a signal
done
"$lldb" -b -o "command script import $script" -o run "${commands[@]}" -- "$bugs" --gtest_filter=Bugs.lock_order \
  --hocket_replay=Bugs.lock_order.schedule.json --hocket_break=1 >output 2>&1 </dev/null || true
grep -q 'stop reason = signal SIGTRAP' output || skip "LLDB cannot follow a process here: $(tail -n 1 output)"
expect_line '^The replay is at step 1 of 2, thread 1: mutex.lock samples::lock_order::savings\(\.mutex\)\? at .*lock_order.hpp:20\.$'
expect_line '^  0   main  *is about to perform mutex.lock at lock_order.hpp:20$'
expect_line '^\* 1   thread 1  *runs$'
expect_line '^0 main is about to perform mutex.lock$'
expect_line 'frame #[0-9]*: .* at lock_order.hpp:37'
expect_line 'fiber_main() '
expect_line '^(int) amount = 10$'
expect_line '^step 2 of 2, main: mutex.lock samples::lock_order::household'
expect_line '^  1   thread 1  *is about to perform mutex.lock at lock_order.hpp:21$'
expect_line '^deadlock: no thread can continue$'
expect_line 'hocket: stopped where it fails: deadlock: no thread can continue'
expect_line 'LLDB can select the running thread only; see: hocket backtrace 1$'
