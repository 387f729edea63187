#!/usr/bin/env bash
# Tests that a body which ends the process costs no other test its verdict.
# Usage: crashes_test.sh PATH_OF_PROGRAM [PATH_OF_HOCKET]
set -u
program=$(realpath "$1")
hocket=${2:+$(realpath "$2")}
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"

# run STATUS ARGUMENT...: runs the program in an empty folder, through the command `through`, if there is one; what it
# prints is in the file `output`.
through=()
run() {
  local wanted=$1 status
  shift
  rm -rf ./* && mkdir the_folder
  "${through[@]}" "$program" "$@" >output 2>&1
  status=$?
  [[ $status -eq $wanted ]] || fail "status $status instead of $wanted: $*: $(<output)"
}
# has FILE TEXT...: each text is in the file.
has() {
  local file=$1 text
  shift
  for text; do grep -qF -- "$text" "$file" || fail "should be in $file: $text: $(<"$file")"; done
}
# counts FILE NUMBER PATTERN
counts() {
  local count
  count=$(grep -c -- "$3" "$1")
  [[ $count -eq $2 ]] || fail "$count lines instead of $2 should match $3: $(<"$1")"
}

passes=(A.Passes B.SearchesNothing C.FindsTheProcessAsItWas ZDeathTest.MayDie Z.Passes)
fails=(A.Fails B.GetsSegv B.Aborts B.Overflows B.Throws B.ChangesTheProcess AFixture.MayExit D.ExitsAtOnce
  D.CrashesBeforeTheFirstStep D.CrashesInTheFirstSchedule D.Loops D.AbortsInMalloc Z.Fails)

# Without a crash this is how often the body runs, and the lowest number that a file gets.
run 0 --gtest_filter=A.Passes
executions=$(wc -c <A.Passes.executions)
all=$((${#passes[@]} + ${#fails[@]} + 1))
killed=$("$program" --gtest_list_tests --gtest_filter='*_K.*' | grep -c '^  ')

# all_verdicts TEST...: all verdicts are there, in every form, and these tests fail, too. No search is made twice, and
# nothing is printed twice.
all_verdicts() {
  local failing=("${fails[@]}" "$@") known=$((all + killed + ($# == 0))) test
  HOCKET_REPORT=report.json run 1 --gtest_output=xml:report.xml
  for test in "${passes[@]}"; do counts output 1 "^\[       OK \] $test "; done
  for test in "${failing[@]}"; do counts output 1 "^\[  FAILED  \] $test ("; done
  has output "[  SKIPPED ] A.IsSkipped" 'not today' "[  PASSED  ] ${#passes[@]} tests." \
    "[  FAILED  ] ${#failing[@]} tests, listed below:"
  counts output 1 'it searches nothing'
  counts output 2 'set up'
  has report.xml "<testsuites tests=\"$known\" failures=\"${#failing[@]}\""
  counts report.xml $known '<testcase '
  counts report.xml ${#failing[@]} '<failure '
  counts report.json $((all - 3 + $#)) '"test": '
  counts report.json ${#failing[@]} '"verdict": "failed"'
  [[ $(wc -c <A.Passes.executions) -eq $executions ]] || fail "should not run A.Passes again: $(wc -c <A.Passes.executions)"

  # The last line counts each search once, the one after which the program began again among them.
  grep -q "^hocket: $((16 + $#)) searches: ${#failing[@]} failed, " output || fail "should count all failures: $(tail -n 3 output)"

  # Each failure says what happened, and has a whole schedule.
  has output 'SIGSEGV: thread 2 got SIGSEGV in an execution' 'stack overflow: thread 2: stack overflow in a logical thread' \
    'exit: thread 2 called exit() inside a test body' 'exit: thread 2 called _exit() inside a test body' \
    'SIGSEGV: main got SIGSEGV in an execution' 'It fails before the first step.' \
    'stuck: thread 2 has run for 200 ms without reaching an operation' 'thread 2 failed:'
  [[ $(ls ./*.schedule.json | wc -l) -eq ${#failing[@]} ]] || fail "should save each failure once: $(ls)"
  grep -l '"complete": false' ./*.schedule.json && fail "these schedules should be complete"
}
if [[ -n $hocket ]]; then
  through=("$hocket" run --)
  mapfile -t killing < <("$program" --gtest_list_tests --gtest_filter='*_K.*' | sed -n 's/^  /DISABLED_K./p')
  GTEST_ALSO_RUN_DISABLED_TESTS=1 GTEST_FILTER='-*_L.*' all_verdicts "${killing[@]}"
  through=()
fi
all_verdicts

# They come again in a replay, and in the next search, which keeps going.
for test in B.GetsSegv D.CrashesBeforeTheFirstStep D.CrashesInTheFirstSchedule D.ExitsAtOnce; do
  cp "$test.schedule.json" "$test.before"
  HOCKET_REPLAY=$test.schedule.json "$program" --gtest_filter="$test" >again 2>&1 && fail "should die again: $(<again)"
  has again "the failure that is saved in $test.schedule.json came again"
  cmp -s "$test.schedule.json" "$test.before" || fail "the replay should leave the file as it is: $test"
done
"$program" --gtest_filter=B.GetsSegv:D.CrashesInTheFirstSchedule:Z.Passes >again 2>&1 && fail "should fail again"
has again '[  FAILED  ] B.GetsSegv' '[  FAILED  ] D.CrashesInTheFirstSchedule' '[       OK ] Z.Passes'
[[ $(ls ./*.schedule.json | wc -l) -eq ${#fails[@]} ]] || fail "should save nothing again: $(ls)"

run 1 --gtest_filter=B.GetsSegv
has output 'hocket: 1 search: 1 failed; the first failure again:'

# GoogleTest's options mean what they always do.
run 1 --gtest_repeat=2 --gtest_filter=A.Passes:B.GetsSegv:Z.Passes
counts output 2 '^\[       OK \] Z.Passes '
counts output 2 '^\[  FAILED  \] B.GetsSegv ('
run 1 --gtest_shuffle --gtest_output=json:report.json --gtest_filter='?.*'
has report.json '"tests": 17' '"failures": 12'
counts output 17 '^\[ RUN      \] '
counts output 17 '^\[       OK \] \|^\[ .*ED *\] .* ('
GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0 run 1
grep '^\[       OK\|^\[  FAILED  \] .* (' output >first
shard=$(wc -l <first)
GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=1 run 1
shard=$((shard + $(grep -c '^\[       OK\|^\[  FAILED  \] .* (' output)))
[[ $shard -eq $((all - 1)) ]] || fail "two shards should be all tests: $shard: $(<output)"
HOCKET_NO_SAVED=1 run 1 --gtest_filter=B.*:A.Passes --gtest_output=xml:"$folder/the_folder/"
counts the_folder/*.xml 7 '<testcase '

# Without a file there is no schedule, but there is a verdict.
HOCKET_OUT=/dev/null/none run 1 --gtest_filter=B.GetsSegv:Z.Passes
has output 'SIGSEGV in an execution; its schedule could not be saved' '[  FAILED  ] B.GetsSegv' '[       OK ] Z.Passes'

# A child process may die in ways of which it cannot tell.
if [[ $program == *unmodified* ]]; then
  export HOCKET_RESTORE=fork
  HOCKET_REPORT=report.json run 1 --gtest_also_run_disabled_tests --gtest_filter='B.*:D.Exits*:*_K.*:Z.Passes'
  has output '[  FAILED  ] B.GetsSegv' '[  FAILED  ] D.ExitsAtOnce' '[       OK ] Z.Passes' \
    'the process got SIGKILL, as the system sends it when memory runs out, in an execution of DISABLED_K.IsKilled; its schedule is saved in'
  counts report.json $((6 + killed)) '"verdict": "failed"'
  [[ $(ls DISABLED_K.*.schedule.json | wc -l) -eq $killed ]] || fail "a schedule is missing: $(ls) $(<output)"

  # The program goes when its supervisor goes.
  if [[ -n $hocket ]]; then
    TMPDIR=$PWD GTEST_ALSO_RUN_DISABLED_TESTS=1 "$hocket" run --test=DISABLED_L.TakesLong "$program" >output 2>&1 &
    sleep 1
    child=$(tr -d ' ' </proc/$!/task/$!/children)
    kill -9 $!
    for ((n = 0; n < 50; ++n)); do grep -q '^State:.[^Z]' "/proc/$child/status" 2>/dev/null || break; sleep 0.1; done
    [[ $n -lt 50 ]] || { kill -9 "$child"; fail "the program outlives its supervisor"; }
  fi
  unset HOCKET_RESTORE
fi

((failures == 0)) && echo passed
exit $((failures != 0))
