#!/usr/bin/env bash
# A program that has names of POSIX for variables of its own: taken_names_test.sh HOCKET TAKEN_NAMES
set -euo pipefail
hocket=$(realpath "$1")
program=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() { printf 'FAILED: %s\n' "$*" >&2; cat output >&2; exit 1; }
expect() { # expected exit status, text, command...
  local expected=$1 text=$2 status=0
  shift 2
  "$@" >output 2>&1 </dev/null || status=$?
  [[ $status -eq $expected ]] || fail "$*: exit status $status instead of $expected"
  grep -q -- "$text" output || fail "$*: no line matches: $text"
}

for restore in snapshot fork; do
  expect 0 'passed every schedule there is' "$hocket" run --restore $restore "$program"
  expect 1 'the program ended with status 5' "$hocket" run --restore $restore --out new/folder "$program" -- careless
  expect 1 'replayed, and it failed again' "$hocket" replay new/folder/taken_names.schedule.json "$program" -- careless
  expect 1 'This saved failure still occurs' "$hocket" run --restore $restore --out new/folder "$program" -- careless
  expect 1 'its schedule is saved in .*/taken_names.schedule.json' "$hocket" run --restore $restore "$program" -- crash
  grep -q 'taken_names_main.c:[0-9]*  main' output || fail "should say where it is"
  rm -r new taken_names.schedule.json
done
expect 0 'passed a sample' "$hocket" run --strategy random --executions 100 --report report.json "$program"
grep -q '"verdict": "passed sample"' report.json || fail "there is no report"
