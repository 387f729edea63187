#!/usr/bin/env bash
# Catch2 and doctest under Hocket: bash all_tests_of_others_test.sh HOCKET PROGRAM
set -euo pipefail
hocket=$(realpath "$1")
program=$(realpath "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export HOCKET_OUT=$scratch COLUMNS=1000  # so that no line of a report is broken

fail() { printf 'FAILED: %s\n' "$*" >&2; cat output >&2; exit 1; }
run() { # command...: notes its exit status
  status=0
  timeout -k 1 60 "$@" >output 2>&1 </dev/null || status=$?
}
expect_line() { grep -qE -- "$1" output || fail "no line matches: $1"; }

# A failed assertion of a body is its failure, also without the search of all tests.
run "$program" --hocket_all_tests=2s
[[ $status -ne 0 ]] || fail "exit status 0"
expect_line '^an account keeps deposits under a lock: passed every schedule there is: 2 executions'
expect_line '^an account loses deposits without a lock: FAILED: '
expect_line '^assertion failed: REQUIRE\( account\.balance\(\) == 3 \)'
expect_line '^ +(with expansion|values): [12] == 3$'
expect_line '^ +(logged: )?after both deposits$'
! grep -qE '^    (… .*)?(doctest|Catch)::' output || fail "a stack has frames of the framework"
expect_line ' atomic\.load account\.balance_ → 0 +framework_program\.inc:11$'
! grep -qE 'C_A_T_C_H|DOCTEST_ANON|__mutex' output || fail "names that no person has written"
expect_line '^assertions of threads count: FAILED: '
expect_line '^assertion failed: CHECK\( count\.load\(\) == 0 \)'
expect_line '^globals are as they were: passed every schedule there is'
expect_line '^ +(.*ERROR: )?fails without concurrency: CHECK\( 1 \+ 1 == 3 \)|ERROR: fails without concurrency'
expect_line '^  alone it fails to add +FAILED, no concurrency$'
expect_line '^No concurrency, run once: alone it adds\.$'
expect_line '^  each section is searched +exhausted '
expect_line '^  each section is searched #2 +FAILED '
expect_line '^it searches itself: passed every schedule there is: 2 executions'
expect_line '^  it searches itself +its own search$'
expect_line '^  it takes many steps +sampled, long '
expect_line 'test cases: +[0-9]+ \| +[78] passed \| +4 failed'
if [[ $program == *catch2* ]]; then
  expect_line '^it uses a generator: not searched: it uses GENERATE$'
  expect_line '^  it uses a generator +skipped$'
fi

for schedule in an_account_loses_deposits_without_a_lock each_section_is_searched__2; do
  run "$hocket" replay $schedule.schedule.json "$program"
  [[ $status -eq 1 ]] || fail "the replay of $schedule ends with status $status"
  expect_line ': replayed, and it failed again$'
done

# After a crash the other tests run, each once, alone and with `hocket run`; a failure before it is told once.
case $program in
  *catch2*) chosen=('alone it fails to add,it searches*,it crashes*') ;;
  *) chosen=('-tc=alone it fails to add,it searches*,it crashes*') ;;
esac
export CRASH=1
for command in "$program" "$hocket run $program --"; do
  rm -f ./*.schedule.json
  run $command "${chosen[@]}"
  [[ $status -eq 1 ]] || [[ $program == *catch2* && $status -gt 0 && $status -lt 5 ]] || fail "exit status $status after a crash"
  expect_line 'got SIGSEGV in an execution; its schedule is saved in .*/it_crashes_if_asked.schedule.json'
  expect_line 'it crashes if asked: FAILED: '
  expect_line 'test cases: +4 \| +2 passed \| +2 failed'
  [[ $(grep -c '^it searches itself: passed every schedule there is' output) -eq 1 ]] || fail "it should be searched once"
  [[ $(grep -c '^it searches itself after that: passed every schedule there is' output) -eq 1 ]] || fail "the test after the crash should run once"
  [[ $(grep -cE 'CHECK\( 1 \+ 1 == 3 \)' output) -eq 1 ]] || fail "the failure before the crash should be told once"
done
unset CRASH

# Without the flag the framework runs its tests, and bodies take its assertions.
case $program in
  *catch2*) only='it searches itself' ;;
  *) only='-tc=it searches itself' ;;
esac
run "$program" "$only"
expect_line '^it searches itself: passed every schedule there is: 2 executions'
run env HOCKET_ALL_TESTS=off "$program"
! grep -q 'Hocket searched' output || fail "searches what was not asked for"
expect_line '^hocket: [0-9]+ tests ran once, with real threads, and were not searched: add --hocket_all_tests$'

# The names of tests, without running any.
run "$hocket" list "$program"
[[ $status -eq 0 ]] || fail "exit status $status"
expect_line '^test    it searches itself$'
expect_line '^test    an account loses deposits without a lock$'
[[ $(wc -l <output) -eq $(grep -c '^test    ' output) ]] || fail "something else is printed"
echo "Existing tests of $(basename "$program") are searched."
