#!/usr/bin/env bash
# A whole program under control: bash whole_program_test.sh HOCKET BANK LINES
set -euo pipefail
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

expect 1 "$hocket" run "$bank" -- careless
expect_line 'Assertion .sum == 100. failed'
expect_line 'there are 70'
[[ -e bank.schedule.json ]] || fail "no schedule was saved"

expect 1 "$hocket" replay bank.schedule.json "$bank" careless
expect_line 'bank: replayed, and it failed again'

# Every execution reads the same input, and a report comes out whatever the program does to the streams.
input=three
printf 'a\nb\nc\n' >three
expect 0 "$hocket" run "$lines"
expect_line 'passed every schedule there is'
input=two
printf 'a\nb\n' >two
expect 1 "$hocket" run "$lines"
expect_line 'the program ended with status 1'
expect_line '2 lines'
