#!/usr/bin/env bash
# Searches with several processes at the same time: hocket run --jobs.
# Usage: jobs_test.sh HOCKET PROGRAM    the program that shards_program.cpp makes
set -u
hocket=$(realpath "$1") program=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
export TMPDIR=$folder/temporary
mkdir "$TMPDIR"
ln -s "$program" searched

passes=(--test '*Passes' ./searched)
fails=(--test '*OfATestThatFails' ./searched)
long=(--preemptions unbounded --test '*OfALongSearch' ./searched)

# refused WORDS COMMAND...: the command ends with status 2, and one sentence with the words.
refused() {
  local words=$1
  shift
  ends 2 refused.log "$@"
  has refused.log "$words"
  [[ $(wc -l <refused.log) -eq 1 ]] || fail "should be one sentence: $*: $(<refused.log)"
}

# nothing_is_left AFTER: no process that was started here, and no file for temporary use.
nothing_is_left() {
  ! (cd / && find /proc -maxdepth 2 -name cwd -lname "$folder" 2>/dev/null | grep -v "/$$/") >left.log ||
    fail "processes are left after $1: $(<left.log)"
  [[ -z $(ls -A "$TMPDIR") ]] || fail "files are left after $1: $(ls -AR "$TMPDIR")"
}

# wait_for_searches N: until so many jobs are searching.
wait_for_searches() {
  for _ in {1..600}; do
    [[ $(cat "$TMPDIR"/*/*/report.json 2>/dev/null | grep -c 'did not end') -eq $1 ]] && break
    sleep 0.1
  done
  sleep 0.3
}

# What several processes say together is what one says.
ends 0 whole.log "$hocket" run --strategy icb --report whole.json "${passes[@]}"
grep -vE '^(\[|Note: Google|$)' whole.log | sed 's/, in .*//' >whole.txt
for jobs in 1 2 3 4; do
  ends 0 "jobs-$jobs.log" "$hocket" run --jobs "$jobs" --strategy icb --report "jobs-$jobs.json" "${passes[@]}"
  diff <(numbers whole.json) <(numbers "jobs-$jobs.json") >&2 || fail "$jobs jobs should run what one runs"
  grep -vE '^(\[|Note: Google|$)' "jobs-$jobs.log" | sed 's/, in .*//' | diff whole.txt - >&2 ||
    fail "$jobs jobs should say what one says"
done
for parts in 1 2 5 23; do
  ends 0 "parts-$parts.log" "$hocket" run --jobs 2 --parts $parts --strategy icb --report "parts-$parts.json" "${passes[@]}"
  diff <(numbers whole.json) <(numbers "parts-$parts.json") >&2 || fail "$parts parts that are run in turn should run what one process runs"
done
ends 0 all.log "$hocket" run -j 3 --preemptions unbounded "${passes[@]}"
has all.log ': passed every schedule there is: '
has all.log 'hocket: 3 jobs search with icb, which can take longer than the default strategy with one job'
ends 0 auto.log "$hocket" run --jobs auto --time 5s "${passes[@]}"
ends 0 zero.log "$hocket" run --jobs=0 "${passes[@]}"
nothing_is_left 'searches that pass'

# A failure is told once and whole, and saved once.
for jobs in 1 2 3 4; do
  rm -rf saved
  ends 1 failing.log "$hocket" run --jobs "$jobs" --strategy icb --out saved --report failing.json "${fails[@]}"
  [[ $(grep -c 'check failed: an increment is lost' failing.log) -eq 1 ]] || fail "should be told once: $(<failing.log)"
  for words in ': FAILED: ' 'Without this preemption the test passes: ' 'All 2 schedules with fewer preemptions passed.' \
    'FAILS: an increment is lost' 'hocket: 1 search: 1 failed; the first failure again:'; do
    has failing.log "$words"
  done
  [[ $(ls saved | wc -l) -eq 1 ]] || fail "should be saved once with $jobs jobs: $(ls saved)"
  again=$(tail -1 failing.log)
  ends 1 again.log bash -c "$again"
  [[ $again == *" replay saved/$(ls saved) ./searched" ]] || fail "should say what replays it: $(<failing.log)"
  ends 1 saved.log "$hocket" run --jobs "$jobs" --strategy icb --out saved "${fails[@]}"
  has saved.log 'This saved failure still occurs.'
  [[ $(ls saved | wc -l) -eq 1 ]] || fail "the saved failure should stay: $(ls saved)"
done
has failing.json '"shards": 16'

# The failure with the fewest preemptions, though other processes meet one with more.
for jobs in 1 2 3 4; do
  rm -rf saved
  ends 1 least.log "$hocket" run --jobs "$jobs" --strategy icb --out saved --test '*TwoFailures' ./searched
  has least.log 'check failed: it needs one preemption'
  grep -qE 'Found with (1 preemption |2 preemptions .* 1 is enough)' least.log || fail "should need one: $(<least.log)"
done
rm -rf saved
ends 1 both.log "$hocket" run --jobs 3 --keep-going --out saved --test '*TwoFailures' ./searched
has both.log 'check failed: it needs one preemption'
has both.log 'check failed: it needs two preemptions'
[[ $(ls saved | wc -l) -eq 2 ]] || fail "each failure should be saved once: $(ls saved)"

# A body that ends its process, with a handler of the signal and without.
for signal in 11 9; do
  rm -rf saved
  SIGNAL_OF_JOBS=$signal ends 1 death.log "$hocket" run --jobs 2 --out saved --html pages --test '*OfADeath' ./searched
  has death.log 'FAILED: '
  has death.log 'Found with 1 preemption '
  [[ $(ls saved | wc -l) -eq 1 ]] || fail "the death should be saved once: $(ls saved)"
  has death.log "The pages are listed in $folder/pages/index.html"
  nothing_is_left "signal $signal"
done

# Signals to all processes, and to the command alone. What they have found so far is told.
for signal in INT TERM; do
  rm -f stopped.json
  env --default-signal=INT "$hocket" run --jobs 3 --report stopped.json "${long[@]}" >stopped.log 2>&1 &
  command=$!
  wait_for_searches 3
  kill -$signal $command
  wait $command
  status=$?
  [[ $status -eq 3 ]] || fail "should end with 3 after $signal, and not with $status: $(<stopped.log)"
  has stopped.log "stopped by $([[ $signal == INT ]] && echo Ctrl-C || echo SIGTERM) before everything was covered"
  has stopped.json '"verdict": "stopped"'
  nothing_is_left "$signal"
done
ends 3 timeout.log timeout --preserve-status -s TERM 3 "$hocket" run --jobs 2 "${long[@]}"
nothing_is_left timeout
"$hocket" run --jobs 2 "${long[@]}" >twice.log 2>&1 &
command=$!
wait_for_searches 2
kill -TERM $command
sleep 0.15
kill -TERM $command 2>/dev/null
wait $command
status=$?
[[ $status -eq 3 || $status -eq 143 ]] || fail "should be stopped by two signals, and not end with $status: $(<twice.log)"
((status == 3)) || rm -rf "$TMPDIR"/*  # the command was ended while it joined the reports
nothing_is_left 'two signals'

# Limits.
ends 3 limit.log "$hocket" run --jobs 2 --executions 101 --report limit.json "${long[@]}"
has limit.json '"executions": 101'
has limit.log 'stopped by the limit of '
ends 3 time.log "$hocket" run --jobs 2 --time 300ms --require-bound "${long[@]}"
has time.log 'stopped by the time limit of 300 ms in each shard before'
ends 0 rising.log "$hocket" run --jobs 2 --time 3s --test '*OfALongSearch' ./searched
has rising.log 'OfALongSearch: passed every schedule with at most '
ends 3 memory.log "$hocket" run --jobs 2 --memory 64K "${long[@]}"
has memory.log 'stopped by the memory limit of 32 768 bytes in each shard'

# Programs with other tests; what only their output says is shown, once.
ends 0 mixed.log "$hocket" run --jobs 2 --test '*Passes:JobsPlain.*' ./searched
has_not mixed.log JobsPlain
JOBS_FAIL=1 ends 1 mixed.log "$hocket" run --jobs 2 --test '*Passes:JobsPlain.*' ./searched
[[ $(grep -c 'JobsPlain.IsNoSearch (' mixed.log) -eq 1 ]] || fail "should show the test that fails once: $(<mixed.log)"
has mixed.log 'hocket: every search passed, but ./searched ended with status 1'

GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0 ends 0 part.log "$hocket" run --jobs 2 --strategy icb --report part.json ./searched -- --gtest_filter='*Passes'
[[ -s part.shard-1-of-2.json ]] || fail "should be the report of GoogleTest's shard: $(ls)"
[[ $(grep -c 'the report of this shard is ' part.log) -eq 1 ]] || fail "should name it once: $(<part.log)"

# What cannot be split, and no tests at all.
refused 'a search with cb-por cannot be split among 2 jobs; with auto, icb, ' "$hocket" run --jobs 2 --strategy cb-por "${passes[@]}"
refused '--jobs splits each search into shards itself; ' "$hocket" run --jobs 2 --shard 1/2 "${passes[@]}"
refused '--parts splits a search that ends by itself; ' "$hocket" run --jobs 2 --parts 4 --strategy icb --time 1s "${passes[@]}"
refused '--parts splits a search that ends by itself; ' "$hocket" run --jobs 2 --parts 4 --strategy random "${passes[@]}"
refused '--show-output is of one process; ' "$hocket" run --jobs 2 --show-output "${passes[@]}"
refused '3 executions cannot be divided among 4 jobs; ' "$hocket" run --jobs 4 --executions 3 "${passes[@]}"
for count in -1 2000 two; do
  refused "\"$count\" is not a number of jobs; " "$hocket" run "--jobs=$count" "${passes[@]}"
done
refused 'cannot run ./none (No such file or directory); check the path' "$hocket" run --jobs 2 --strategy icb ./none
refused '/bin/true ran no search; ' "$hocket" run --jobs 2 --strategy icb /bin/true
echo letter >letter.txt
refused 'letter.txt is another file than a report, and stays; ' "$hocket" run --jobs 2 --strategy icb --report letter.txt "${passes[@]}"
ends 1 other.log "$hocket" run --jobs 2 --test 'Jobs.OfAnotherStrategy:*Passes' ./searched
[[ $(grep -c 'a search with dpor cannot be split into shards' other.log) -eq 1 ]] || fail "should be told once: $(<other.log)"
nothing_is_left 'refusals'

exit $((failures != 0))
