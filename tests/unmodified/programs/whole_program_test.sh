#!/usr/bin/env bash
# A whole program under control: bash whole_program_test.sh HOCKET BANK LINES
set -euo pipefail
export COLUMNS=1000  # so that no line of a report is broken
hocket=$(realpath "$1")
bank=$(realpath "$2")
lines=$(realpath "$3")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

input=/dev/null  # of the commands that follow
fail() { printf 'FAILED: %s\n' "$*" >&2; cat output >&2; exit 1; }
expect() { # expected exit status, command...
  local expected=$1 status=0
  shift
  "$@" >output 2>&1 <"$input" || status=$?
  [[ $status -eq $expected ]] || fail "$*: exit status $status instead of $expected"
}
expect_line() { grep -q -- "$1" output || fail "no line matches: $1"; }

expect 0 "$hocket" run --preemptions unbounded "$bank"
expect_line 'passed every schedule there is'
! grep -q 'there are' output || fail "shows what a passing program prints"
! grep -q '\[hocket\]' output || fail "logs without being asked"

# Where addresses are few, fewer are reserved, and the executions still do not see each other.
expect 0 bash -c 'ulimit -v 4000000 && exec "$@"' few "$hocket" run --preemptions unbounded "$bank"
expect_line 'passed every schedule there is'

# What a search decides and spends, in spdlog's format.
logged='^\[[-0-9]* [0-9:.]*\] \[hocket\]'
expect 0 "$hocket" run --log debug "$bank"
expect_line "$logged \[info\] bank: strategy auto (.*), to bound 2$"
expect_line "$logged \[info\] bank: memory model "
expect_line "$logged \[debug\] bank: before each execution is restored: globals and heaps, from a snapshot"
expect_line "$logged \[info\] bank: bound of 0 preemptions done in .*: [0-9 ]* executions, .*, 0 that failed$"
expect_line "$logged \[info\] bank: passed exhaustively after .*: [0-9 ]* executions of "
expect 1 "$hocket" run --log info "$bank" -- careless
expect_line "$logged \[info\] bank: the failure is saved in bank.schedule.json$"
! grep -q '\[debug\]' output || fail "logs more than was asked for"
expect 1 env HOCKET_LOG=info "$bank" careless
expect_line "$logged \[info\] bank: first tries .*bank.schedule.json$"
expect_line "$logged \[info\] bank: it fails again$"
rm bank.schedule.json

# What executions print that are cut short stays in the buffers of the C library, and must not come out later.
expect 0 "$hocket" run --strategy hb-cache --preemptions unbounded "$bank"
! grep -q 'there are' output || fail "shows what executions have printed that were cut short"

expect 1 "$hocket" run --keep-going "$bank" -- careless
[[ $(grep -c 'there are' output) -eq 1 ]] || fail "shows more than the failing execution has printed"
rm bank.schedule.json

expect 1 "$hocket" run "$bank" -- careless
expect_line 'Assertion .sum == 100. failed'
expect_line 'there are 70'
[[ -e bank.schedule.json ]] || fail "no schedule was saved"

# The line that replays it can be pasted, whatever the arguments are.
replay() { # whether the program is run by hocket: what the report says to do
  local line
  line=$(grep -A1 'To see it again' output | tail -n 1)
  [[ $line == *"$1"* ]] || fail "unexpected: $line"
  expect 1 bash -c "$line"
  expect_line 'bank: replayed, and it failed again'
}
replay "replay bank.schedule.json $bank -- careless"
rm bank.schedule.json
expect 1 "$hocket" run "$bank" -- careless "it's" '$2 "now"'
replay "-- careless 'it'\\''s' '\$2 \"now\"'"
rm bank.schedule.json
expect 1 "$bank" careless 'two words'
replay "HOCKET_REPLAY=bank.schedule.json $bank careless 'two words'"

expect 2 "$hocket" replay bank.schedule.json "$lines"
expect_line '^lines: not searched: .*bank.schedule.json is a schedule of the test "bank", and this is the test "lines"$'
expect 3 env HOCKET_TEST=cash "$bank"
expect_line '^bank: not searched: HOCKET_TEST asks for the test "cash", and this is the test "bank"$'

expect 1 "$hocket" replay bank.schedule.json "$bank" careless
expect_line 'bank: replayed, and it failed again'
rm bank.schedule.json

# Each execution in a process of its own.
expect 0 "$hocket" run --restore fork --preemptions unbounded "$bank"
expect_line 'passed every schedule there is: 2 executions'
! grep -q 'there are' output || fail "shows what a passing program prints"
expect 1 "$hocket" run --restore fork "$bank" -- careless
expect_line 'there are 70'
replay "replay bank.schedule.json $bank -- careless"
expect 1 "$hocket" run --restore fork "$bank" -- careless
expect_line 'This saved failure still occurs'
rm bank.schedule.json

# Memory that nobody has at the end.
expect 0 "$hocket" run --detect leaked-memory "$bank"
expect 1 "$hocket" run --detect leaked-memory "$bank" -- forgetful
expect_line 'leak: a block of 4 bytes allocated at bank.c:[0-9]* by main was never freed'

# Every execution reads the same input, and a report comes out whatever the program does to the streams.
input=three
printf 'a\nb\nc\n' >three
expect 0 "$hocket" run "$lines"
expect_line 'passed every schedule there is'
input=two
printf 'a\nb\n' >two
expect 1 "$hocket" run --restore fork "$lines"
expect_line 'the program ended with status 1'
rm ./*.schedule.json
expect 1 "$hocket" run "$lines"
expect_line 'the program ended with status 1'
expect_line '2 lines'

# A program that always ends with another status than 0 is no failure if that is not looked for; what else fails is.
rm ./*.schedule.json
expect 0 "$hocket" run --detect=-exit-status "$lines"
expect_line 'passed every schedule there is'
expect 1 "$hocket" run --detect=-exit-status "$bank" -- careless
expect_line 'Assertion .sum == 100. failed'

# What comes through a pipe is kept for all of them.
rm ./*.schedule.json
through_pipe() { { sleep 0.2; cat two; } | "$hocket" run "$lines"; }
expect 1 through_pipe
expect_line 'the program ended with status 1'
expect_line '2 lines'
rm ./*.schedule.json
through_pipe() { cat three | "$hocket" run "$lines"; }
expect 0 through_pipe
expect_line 'passed every schedule there is'
through_pipe() { sleep 2 | "$hocket" run "$bank"; }
expect 0 through_pipe
expect_line '^hocket: nothing has come through the pipe to standard input for a second'
