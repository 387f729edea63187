#!/usr/bin/env bash
# A schedule file is replayed whether or not the names in it are known: with debug information a file that was written
# without, and the other way round.
# Usage: replay_test.sh HOCKET PROGRAM, which is the samples' program of failures.
set -eu
hocket=$(realpath "$1")
program=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }

# search NAME, replay: with HOCKET_DEBUG_INFO as the caller sets it.
search() { "$program" "--gtest_filter=Failures.$1" >/dev/null 2>&1 || true; }
replay() { "$hocket" replay "Failures.$1.schedule.json" "$program" >output 2>&1 || true; grep -q 'failed again' output || { cat output >&2; fail "$2"; }; }

for test in DeadlockOfThreeLocks UseAfterFreeOfAContainersNode LostWakeUp; do
  HOCKET_DEBUG_INFO= search "$test"
  grep -q '"debug_info"' ./*.json && fail "$test has names from debug information that it may not read"
  replay "$test" "$test does not fail again where names are known"
  rm ./*.json
  search "$test"
  grep -q '"debug_info": true' ./*.json || fail "the file of $test does not say that names are from debug information"
  HOCKET_DEBUG_INFO= replay "$test" "$test does not fail again where names are not known"
  rm ./*.json
done
echo passed
