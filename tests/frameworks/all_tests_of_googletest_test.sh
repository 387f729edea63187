#!/usr/bin/env bash
# --hocket_all_tests in programs of GoogleTest:
#   bash all_tests_of_googletest_test.sh HOCKET PROGRAM PROGRAM_WITHOUT_HOOKS PROGRAM_WITHOUT_SEARCHES
set -euo pipefail
hocket=$(realpath "$1")
program=$(realpath "$2")
plain=$(realpath "$3")
without_searches=$(realpath "$4")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export HOCKET_OUT=$scratch TERM=dumb

fail() { printf 'FAILED: %s\n' "$*" >&2; cat output >&2; exit 1; }
expect() { # expected exit status, command...
  local expected=$1 status=0
  shift
  "$@" >output 2>&1 </dev/null || status=$?
  [[ $status -eq $expected ]] || fail "$*: exit status $status instead of $expected"
}
expect_line() { grep -qE -- "$1" output || fail "no line matches: $1"; }
expect_no_line() { ! grep -qE -- "$1" output || fail "a line matches: $1"; }

# What becomes of each kind of test.
expect 1 "$program" --hocket_all_tests=4s --hocket_watchdog=300ms --gtest_output=xml:results.xml --hocket_report=report.json
expect_line '^\[  FAILED  \] Account.LosesDepositsWithoutALock$'
expect_line '^  Account.KeepsDepositsUnderALock +exhausted '
expect_line '^  Account.LosesDepositsWithoutALock +FAILED +'
expect_line '^check failed|^assertion failed: Expected equality'
expect_line '^fails without concurrency: exception std::runtime_error left main: out of numbers$'
expect_line '^googletest_program.cpp:[0-9]+: in the sum$|: in the sum$'
expect_line ' balance_ = 10[12]$'  # a member of the fixture
expect_line '^  Alone.FailsToAdd +FAILED, no concurrency$'
expect_line '^\[  SKIPPED \] Alone.IsSkipped$'
expect_line '^  Alone.IsSkipped +skipped$'
expect_line 'This test has death tests'
expect_line '^  Alone.DiesDeathTest +skipped$'
expect_line '^no data$'
expect_line '^  Crash.InSomeSchedules +FAILED, crashed$'
expect_line '^Crash.InSomeSchedules: an execution ended its process, which was ended by SIGSEGV$'
expect_line '^The schedule is saved in .*/Crash.InSomeSchedules.schedule.json$'
expect_line '^  Crash.ByExit +FAILED, crashed$'
expect_line '^  Computation.TakesLong +too slow$'
expect_line '^\[  SKIPPED \] Computation.TakesLong$'
[[ ! -e Computation.TakesLong.schedule.json ]] || fail "a computation that may be right is taken for a failure"
expect_line '^  Unready.IsNotRunWithoutItsFixture +FAILED, no concurrency$'
for test in Small/Sums.AreTheSameInEachOrder/1 Numbers/1.AreAddedAtOnce Worker.LivesAsLongAsTheProcess Globals.AreAsTheyWereBeforeEachExecution; do
  grep -A1 "^  $test" output | grep -q ' exhausted ' || fail "$test is not exhausted"
done
expect_line '^No concurrency, run once: Alone: Adds, AsksWhetherItHasFailed\.$'
expect_line '^  Stress.LosesNothingInManyRounds +sampled, long '
expect_line '^Stress.LosesNothingInManyRounds: one execution has 40 001 steps of 5 threads\.'
expect_line '^  Stress.RunsTooLong +too long$'
for test in OwnSearch.OfAHocketTest OwnSearchOfAFixture.IsMade OwnSearch.ByAFunction OwnSearch.OfAModel; do
  expect_line "^  $test +its own search\$"
  expect_line "^\[       OK \] $test "
done
expect_line '^OwnSearch.OfAHocketTest: passed every schedule there is: 2 executions'
[[ $(awk 'length > 80' output | grep -c '^  [A-Z][A-Za-z]*[./]') -eq 0 ]] || fail "a line of the summary has more than 80 columns"
grep -A1 'testcase name="LosesDepositsWithoutALock"' results.xml | grep -q 'failure message="[^"]*googletest_program.cpp:[0-9]*&#x0A;Account' ||
  fail "no XML"
[[ $(grep -c '<failure' results.xml) -eq 6 ]] || fail "$(grep -c '<failure' results.xml) failures in XML"

[[ $(grep -c '"verdict": "failed"' report.json) -eq 3 ]] || fail "not 3 failed searches in the report"
grep -q '"verdict": "passed exhaustively"' report.json || fail "no passed search in the report"

# A schedule that was saved is replayed, and tried again at first.
schedule=Account.LosesDepositsWithoutALock.schedule.json
grep -q '"whole_test": true' $schedule || fail "the schedule does not say that the body is a whole test"
expect 1 "$hocket" replay $schedule "$program"
expect_line 'replayed, and it failed again'
expect 1 "$program" --hocket_all_tests --gtest_filter='Account.*'
expect_line 'This saved failure still occurs'

# A signal that timeout(1) sends to all processes at once is no crash of a test.
status=0
timeout -s TERM 1 "$program" --hocket_all_tests=30s --gtest_filter=Stress.LosesNothingInManyRounds >output 2>&1 || status=$?
[[ $status -eq 124 ]] || fail "status $status after SIGTERM"
expect_line '^  Stress.LosesNothingInManyRounds +interrupted( |$)'

# Filters, shares, repetitions, and the time that is left.
for time in 2s 20s 100s; do  # in a slow build the first look takes seconds
  expect 0 "$hocket" run --all-tests=$time "$program" -- \
    --gtest_filter='Small/*:Numbers*:Globals.*:Account.Keeps*:Stress.LosesNothing*'
  ! grep -q '^\[----------\] There is time left' output || break
done
expect_line '^\[----------\] There is time left to search 1 test further\.$'
expect_line '^  Stress.LosesNothingInManyRounds +sampled, long'
expect_no_line 'Account.Loses'
searched=$(sed -n 's/^Hocket searched \([0-9]*\) of .*/\1/p' output)
expect_line "^hocket: $searched searches: "  # each test once, however often it was searched
expect 0 env GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0 HOCKET_ALL_TESTS=1 "$program" --gtest_filter='Small/*'
expect_line '^Hocket searched 1 of 1 test in '
expect 0 "$program" --hocket_all_tests --gtest_filter='Small/*' --gtest_repeat=2
[[ $(grep -c '^\[       OK \] Small/Sums.AreTheSameInEachOrder/0' output) -eq 2 ]] || fail "not repeated"
expect 0 "$program" --hocket_all_tests --hocket_seal='*' --gtest_filter='Account.Keeps*'
expect_line '^Left out of 1 test: preemptions in \*\.$'
expect 0 "$program" --hocket_all_tests=0 --gtest_filter='Small/*'
expect_no_line 'Hocket searched'

# A misspelt flag is refused also where GoogleTest's own main() reads the command line.
expect 2 "$program" --hocket-all-tests
expect_line '^hocket: there is no flag --hocket-all-tests; did you mean --hocket_all_tests\? --help lists the flags$'

# The names of tests, without running any.
expect 0 "$hocket" list "$program"
expect_line '^search  OwnSearch\.OfAHocketTest$'
expect_line '^test    Account\.'
expect_line '^test    Small/Sums\.AreTheSameInEachOrder/0$'
expect_no_line 'RUN'

# The time is a budget: the bound rises as long as there is some, and not longer.
begin=$SECONDS
expect 1 "$without_searches" --hocket_all_tests=4s --gtest_filter=-Race.*:Grind.*
[[ $((SECONDS - begin)) -lt 30 ]] || fail "4 s took $((SECONDS - begin)) s"
expect_line '^  Turns.FailIfThereAreThree +FAILED '
expect_line '^  Sleeps.OrderTheThreads +exhausted '
executions=$(sed -nE 's/^Clerks.TakeTheSameLocks: passed .*: ([0-9]+) executions.*/\1/p' output)
expect_line "^  Clerks.TakeTheSameLocks +exhausted +$executions "  # as many, although others were pruned
expect_no_line '^Failed$|: Failure$'  # the report says it
expect_line '^Sleeps and timeouts of 1 test ended only where no thread could go on:'
expect_line '^  Crowd.HasThreeHundredThreads +too many threads$'
expect_line '^\[  SKIPPED \] Crowd.HasThreeHundredThreads$'
expect 1 "$without_searches" --hocket_all_tests --hocket_timeouts=any --gtest_filter=Sleeps.*
rm -- *.schedule.json  # which would be tried first
expect 0 "$without_searches" --hocket_all_tests --hocket_preemptions=2 --gtest_filter=Turns.*
expect_line '^  Turns.FailIfThereAreThree +covered to bound 2 '
expect 1 "$without_searches" --hocket_all_tests --gtest_filter=Race.*
expect_line '^A data race ends the search of its test: --hocket_keep_going looks for what else$'
expect 1 "$without_searches" --hocket_all_tests --hocket_keep_going --gtest_filter=Race.*
expect_line 'Expected equality'

# An execution is left when the time is over, a search's and a first one.
expect 0 "$without_searches" --hocket_all_tests=4s --gtest_filter=Grind.*
expect_line '^  Grind.TakesLong +too slow$'
expect_line '^  Grind.TakesLongInSomeSchedules +sampled '
seconds=$(sed -nE 's/^Hocket searched 1 of 2 tests in ([0-9]+)(\.[0-9]+)? s\.$/\1/p' output)
[[ -n $seconds && $seconds -le 5 ]] || fail "4 s took longer"

# --hocket_time is the most for one test, in whichever round.
expect 0 "$without_searches" --hocket_all_tests=20s --hocket_time=50ms --hocket_strategy=random --gtest_filter=Sleeps.*
expect_no_line 'There is time left'

# The schedule of a whole test is made shorter.
rm -f -- *.schedule.json
expect 1 "$program" --hocket_all_tests=3s --hocket_minimize=0 --hocket_strategy=random --gtest_filter='Account.Loses*'
cp $schedule longer
expect 1 "$hocket" minimize $schedule "$program"  # the status of a replay that fails again
expect_line '^Found with [0-9]+ preemptions\. 1 is enough, as in the schedule below'
! cmp -s longer $schedule || fail "the file is as it was"

# The flag is forgotten.
expect 0 "$without_searches" --gtest_filter=Turns.*
expect_line '^hocket: 1 test ran once, with real threads, and was not searched: add --hocket_all_tests$'
expect 0 "$program" --gtest_filter=Small/*:OwnSearch.OfAHocketTest:Alone.Adds  # some are searched
expect_line '^hocket: 2 tests ran once, with real threads, and were not searched: add --hocket_all_tests$'
expect 1 "$hocket" run "$without_searches" -- --gtest_filter=Turns.*
expect_line '^  Turns.FailIfThereAreThree +FAILED '

# Where nothing is under control, nothing can be searched.
expect 2 "$plain" --hocket_all_tests
expect_line '^hocket: --hocket_all_tests needs a program whose code is instrumented: call hocket_instrument'
echo "Existing tests of GoogleTest are searched."
