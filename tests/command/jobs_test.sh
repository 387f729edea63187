#!/usr/bin/env bash
# A test program that splits its searches itself: --hocket_jobs, and hocket run --jobs.
# Usage: jobs_test.sh HOCKET PROGRAM    the program that shards_program.cpp makes
set -u
hocket=$(realpath "$1") program=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
export PATH=$(dirname "$hocket"):$PATH
ln -s "$program" searched
export JOBS_AT_ONCE=1

# nothing_is_left AFTER: no process that was started here.
nothing_is_left() {
  ! (cd / && find /proc -maxdepth 2 -name cwd -lname "$folder" 2>/dev/null | grep -v "/$$/") >left.log ||
    fail "processes are left after $1: $(<left.log)"
}

# search TEST JOBS...: what is searched, with these options.
search() {
  local test=$1 jobs=$2
  shift 2
  ./searched "--gtest_filter=$test" --hocket_strategy=icb "--hocket_jobs=$jobs" "$@"
}

# What several processes say together is what one says, in the report, in the output and in GoogleTest's file.
for jobs in 1 2 3; do
  ends 0 "$jobs.log" search '*Passes' $jobs --hocket_report=$jobs.json --gtest_output=xml:$jobs.xml --hocket_log=info
  grep '^Shards.OfATestThatPasses: passed' $jobs.log | sed 's/, in .*//' >$jobs.txt
  diff 1.txt $jobs.txt >&2 || fail "$jobs jobs should say what one says"
  diff <(numbers 1.json) <(numbers $jobs.json) >&2 || fail "$jobs jobs should run what one runs"
  [[ $(grep -c '<testcase' $jobs.xml) -eq 1 ]] || fail "should have one test: $(<$jobs.xml)"
  has_not $jobs.json '"shard'
done
has_not 1.log 'goes on with'
has 3.log 'goes on with icb in 3 processes'

# A failure is told once, and saved once, with as few preemptions. So is a body that ends the process.
for strategy in icb auto; do
  for test in '*OfATestThatPasses' '*OfATestThatFails' '*OfTwoFailures' '*OfADeath 11' '*OfADeath 9'; do
    read -r filter SIGNAL_OF_JOBS <<<"$test"
    export SIGNAL_OF_JOBS
    for jobs in 1 2 3; do
      rm -rf saved
      ./searched --gtest_filter="$filter" --hocket_strategy=$strategy --hocket_jobs=$jobs --hocket_out=saved \
        --hocket_report=shared.json --hocket_log=info >shared.log 2>&1
      echo "$? $(grep -c ': FAILED: ' shared.log)" >found-$jobs.txt
      ls saved 2>/dev/null | wc -l >>found-$jobs.txt
      grep -oE '"(verdict|strategy|bound)": [^,]*' shared.json >>found-$jobs.txt
      grep -oE 'All [0-9]+ schedules with fewer preemptions passed' shared.log >>found-$jobs.txt
      diff found-1.txt found-$jobs.txt >&2 || fail "$jobs jobs should find what one finds: $strategy $test: $(<shared.log)"
      nothing_is_left "$strategy of $test"
    done
    has shared.log "goes on with $strategy in 3 processes"
  done
done
rm -rf saved
ends 1 both.log search '*OfTwoFailures' 3 --hocket_keep_going --hocket_out=saved
has both.log 'check failed: it needs one preemption'
has both.log 'check failed: it needs two preemptions'
[[ $(ls saved | wc -l) -eq 2 ]] || fail "each failure should be saved once: $(ls saved)"

# wait_for_jobs N: until so many processes search, besides the supervisor and the one that waits for them.
wait_for_jobs() {
  for _ in {1..600}; do
    [[ $(pgrep -fc "$folder/searched|^./searched") -ge $(($1 + 2)) ]] && break
    sleep 0.1
  done
  sleep 0.3
}

# Signals to one process and to all of them, and the end of one job that somebody else has killed.
for signal in INT TERM; do
  for which in one group; do
    strategy=$([[ $which == one ]] && echo auto || echo icb)
    env --default-signal=INT setsid ./searched --gtest_filter='*OfALongSearch' --hocket_strategy=$strategy \
      --hocket_preemptions=unbounded --hocket_jobs=2 --hocket_report=stopped.json >stopped.log 2>&1 &
    command=$!
    wait_for_jobs 2
    [[ $which == one ]] && kill -$signal $command || kill -$signal -- -$command
    wait $command
    has stopped.log "stopped by $([[ $signal == INT ]] && echo Ctrl-C || echo SIGTERM) before everything was covered"
    has stopped.json '"verdict": "stopped"'
    nothing_is_left "$signal to $which"
  done
done
for strategy in icb auto; do
  ./searched --gtest_filter='*OfALongSearch' --hocket_strategy=$strategy --hocket_preemptions=unbounded --hocket_jobs=2 \
    --hocket_time=60s >killed.log 2>&1 &
  command=$!
  wait_for_jobs 2
  kill -9 "$(pgrep -P "$(pgrep -P $command)" | tail -1)"
  wait $command
  has killed.log 'stopped by the end of a process that ran a part of it, which was ended by SIGKILL'
  nothing_is_left "the end of a job of $strategy"
done

# Limits, and what one process does.
ends 0 limit.log search '*OfALongSearch' 2 --hocket_executions=101 --hocket_report=limit.json
has limit.json '"executions": 101'
has limit.log 'stopped by the limit of 101 executions'
ends 0 rising.log search '*OfALongSearch' 2 --hocket_time=2s
has rising.log 'OfALongSearch: passed every schedule with at most '
ends 0 shard.log search '*Passes' 2 --hocket_shard=1/2 --hocket_log=info
has shard.log 'is not split among jobs, as it is a shard itself'
ends 0 memory.log search '*OfALongSearch' 2 --hocket_preemptions=unbounded --hocket_memory=64K
has memory.log 'stopped by the memory limit of 65 536 bytes'
HOCKET_COVERAGE=1 ends 0 coverage.log search '*Passes' 2 --hocket_log=info
has coverage.log 'is not split among jobs, as it notes where threads meet'
if ((EUID == 0)); then  # others may have other processes, which count
  ends 0 none.log bash -c 'ulimit -u 0; exec "$@"' - setpriv --reuid 65534 --clear-groups ./searched --gtest_filter='*Passes' \
    --hocket_jobs=2 --hocket_strategy=icb --hocket_supervise=0 --hocket_log=info --hocket_no_saved
  has none.log 'is not split among jobs, as there can be none: hocket: fork(): Resource temporarily unavailable'
  has none.log 'OfATestThatPasses: passed'
fi

# hocket run asks for jobs, or lets the variable ask for none.
HOCKET_JOBS=2 ends 0 run.log "$hocket" run --strategy icb --log info --test '*Passes' ./searched
has_not run.log 'goes on with'
for jobs in 2 auto 0; do
  ends 0 run.log "$hocket" run --jobs $jobs --strategy icb --report run.json --log info --test '*Passes' ./searched
  (($(nproc) == 1)) || has run.log 'goes on with icb in '
  diff <(numbers 1.json) <(numbers run.json) >&2 || fail "jobs of hocket run should run what one process runs"
done
ends 1 run.log "$hocket" run -j 2 --test '*OfTwoFailures' ./searched
has run.log 'check failed: it needs one preemption'
for count in -1 2000 two; do
  ends 2 refused.log "$hocket" run "--jobs=$count" ./searched
  has refused.log "\"$count\" is not a number of jobs; "
done
ends 2 refused.log "$hocket" run --jobs 2 --parts 4 ./searched
has refused.log '--parts says how finely --checkpoint splits a search; give both'
nothing_is_left 'all'

exit $((failures != 0))
