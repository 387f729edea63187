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
expect_none() { ! grep -q -- "$1" output || fail "a line matches: $1"; }
find_bug() { "$bugs" --gtest_filter="Bugs.$1" >output 2>&1 && fail "the bug was not found" || true; }
# debug TEST FLAG COMMAND...: gdb's commands in a replay of the test.
debug() {
  local bug=$1 flag=$2 command
  shift 2
  local commands=()
  for command in "$@"; do commands+=(-ex "$command"); done
  "$gdb" -q -nx -batch -x "$script" "${commands[@]}" --args "$bugs" --gtest_filter="Bugs.$bug" \
    --hocket_replay="Bugs.$bug.schedule.json" "$flag" >output 2>&1 </dev/null || true
}

find_bug lock_order
debug lock_order --hocket_break 'hocket threads' run 'hocket threads' 'hocket backtrace' 'hocket backtrace 7' \
  'backtrace' 'hocket why' 'hocket thread 1' 'print amount' 'hocket thread' 'print amount'
if grep -q 'ptrace' output; then
  cat output
  exit 77
fi
expect_line 'no execution is running'
# It stands where it fails, in the thread that fails.
expect_line '^hocket: stopped where it fails: deadlock: no thread can continue$'
expect_line 'received signal SIGTRAP'
expect_line '^The replay is at step 2 of 2, main: mutex.lock samples::lock_order::household\(\.mutex\)\? at .*lock_order.hpp:20\.$'
expect_line '^\* 0   main  *waits for samples::lock_order::savings\(\.mutex\)\? since step 2 at .*lock_order.hpp:21; thread 1 holds it'
# A thread that waits says for what, and who holds it.
expect_line '^  1   thread 1  *waits for samples::lock_order::household\(\.mutex\)\? since step 1 at lock_order.hpp:21; main holds it since step 2 at '
expect_line '^1 thread 1 waits for samples::lock_order::household'
expect_line ' at .*samples/unmodified/lock_order.hpp:21$'
expect_line 'there is no thread 7; see: hocket threads'
# Both stacks are whole.
expect_none 'previous frame inner'
expect_none 'Backtrace stopped'
expect_none '0x0000000000000000 in'
[[ $(grep -c 'fiber_main' output) == 2 ]] || fail "not every stack reaches its end"
expect_line '^    main waits for samples::lock_order::savings\(\.mutex\)\? since step 2 at .*lock_order.hpp:21; thread 1 holds it'
# The variables of each thread.
expect_line '^\$1 = 10$'
expect_line '^\$2 = 20$'

debug lock_order --hocket_break=1 run 'backtrace' 'hocket threads' 'hocket next' 'print amount' 'hocket next x' 'hocket next' \
  'hocket threads'
expect_line '^hocket: stopped before step 1 of 2, thread 1: mutex.lock samples::lock_order::savings\(\.mutex\)\? at .*lock_order.hpp:20$'
expect_line '^#0 .* hocket_thread_stops ()$'
expect_line '^\* 1   thread 1  *runs$'
expect_none 'Backtrace stopped'
expect_line '^hocket: stopped before step 2 of 2, main: mutex.lock samples::lock_order::household\(\.mutex\)\? at .*lock_order.hpp:20$'
expect_line '^\$1 = 20$'
expect_line 'hocket next takes a number of steps, as in: hocket next 3'
expect_line '^hocket: stopped where it fails: deadlock: no thread can continue$'

# From the beginning, without a place to stop at.
debug lock_order --hocket_break=0 'tbreak hocket_gdb_replay_begins' run 'hocket next 2' 'hocket why' 'hocket next'
expect_line '^hocket: stopped before step 2 of 2, main'
expect_line '^deadlock: no thread can continue$'
expect_none 'stopped where it fails'
expect_line 'exited with code 01'

find_bug check_then_act
debug check_then_act --hocket_break=12 run 'hocket threads'
# In optimised code the line is one of a function that was expanded there.
expect_line '^  0   main  *waits in join for thread 1 to end \(in samples::check_then_act::body\|at check_then_act.hpp:49$\)'
