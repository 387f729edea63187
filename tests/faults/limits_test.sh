#!/usr/bin/env bash
# What becomes of the evidence under limits of the system, kills, and other processes in the same folder.
# Usage: limits_test.sh PATH_OF_HOCKET PATH_OF_PROGRAM [KILLS]
# KILLS: how often a search is killed in the middle; 10 if left out
set -u
hocket=$(realpath "$1")
program=$(realpath "$2")
kills=${3:-10}
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
empty() { cd "$folder" && find . -mindepth 1 -delete; }

# whole_files FOLDER: each schedule file in it can be read, and nothing lies beside them.
whole_files() {
  local file
  for file in "$1"/*.schedule.json; do
    [[ -e $file ]] || continue
    "$hocket" show "$file" >/dev/null || fail "this file is not whole: $file"
  done
  [[ -z $(find "$1" -name '.hocket-*') ]] || fail "files were left: $(ls -A "$1")"
}
# printed OUTPUT TEST: the schedule is in the output, and a replay of it fails again.
printed() {
  grep '^{  "hocket_schedule"' "$1" >line || { fail "the schedule should be printed: $(<"$1")"; return; }
  "$hocket" replay - "$program" <line >again 2>&1
  [[ $? -eq 1 ]] || fail "what was printed should fail again: $(<again)"
  "$program" "--hocket_replay=-" <line >again 2>&1
  [[ $? -ne 0 ]] || fail "what was printed should fail again in the program: $(<again)"
  has again "$2"
}

for test in Finds.AFailure Finds.ACrash; do
  # A limit on the size of files, whose signal ends processes.
  empty
  mkdir out
  (ulimit -f 0; "$program" --gtest_filter="$test" --hocket_out=out >&2) 2> >(cat >output)
  status=$?
  sleep 0.1
  [[ $status -eq 1 || $status -eq 139 ]] || fail "$test: status $status with a limit on the size of files: $(<output)"
  has output 'File too large'
  whole_files out
  printed output "$test"

  # A full disk.
  empty
  mkdir full
  fill='mount -t tmpfs -o size=4k none full || exit 99
    head -c 4096 /dev/zero >full/fill
    "$0" --gtest_filter="$1" --hocket_out=full
    status=$?
    find full -name ".*" -o -name "*.json" >left
    exit $status'
  unshare --mount --map-root-user bash -c "$fill" "$program" "$test" >output 2>&1
  status=$?
  if [[ $status -eq 99 || ! -e left ]]; then
    echo "no file system can be mounted here: a full one is left out"
  else
    [[ $status -eq 1 && ! -s left ]] || fail "$test: status $status on a full disk: $(<left) $(<output)"
    has output 'No space left on device'
    printed output "$test"
  fi
done

# Without room for a report the command says so before it searches.
empty
mkdir full
fill='mount -t tmpfs -o size=4k none full || exit
  touch begun
  head -c 4096 /dev/zero >full/fill
  TMPDIR=$PWD/full "$0" run "$1" --test=Finds.AFailure'
unshare --mount --map-root-user bash -c "$fill" "$hocket" "$program" >output 2>&1
status=$?
if [[ -e begun ]]; then
  [[ $status -eq 2 ]] || fail "status $status without room for a report: $(<output)"
  has output '(No space left on device); set TMPDIR to a folder that can be written to'
fi

# The command works under a limit on the size of files, too, though nothing is supervised then.
empty
(ulimit -f 64; "$hocket" run "$program" --test=Finds.AFailure >output 2>&1)
status=$?
[[ $status -eq 1 ]] || fail "status $status of the command with a limit on the size of files: $(<output)"
has output 'an update was lost'

# Few open files, little memory, small stacks: the failure is found, or a sentence says what is missing.
for limit in '-n 16' '-n 8' '-v 400000' '-v 150000' '-s 128'; do
  empty
  # shellcheck disable=SC2086
  (ulimit $limit; "$program" --gtest_filter='Finds.*' >output 2>&1)
  status=$?
  [[ $status -ne 0 ]] || fail "status 0 under ulimit $limit: $(<output)"
  grep -qE 'an update was lost|hocket: |error while loading|bad_alloc' output || fail "no word under ulimit $limit: $(<output)"
  whole_files .
done

# With one file that the command and the program can open, failures are found, and crashes saved from outside.
for test in Finds.AFailure Finds.ACrash Ends.Silently; do
  empty
  (exec 3>&-; ulimit -n 4; ENDING=kill "$hocket" run "$program" --test="$test") >output 2>&1
  status=$?
  [[ $status -eq 1 ]] || fail "$test: status $status with one file: $(<output)"
  has output '1 search: 1 failed'
  [[ $test == Finds.AFailure || -f $test.schedule.json ]] || fail "$test: not saved from outside: $(<output)"
done
# A search that takes all memory there is ends with what it has found.
empty
(ulimit -v 120000; "$hocket" run "$program" --test=Passes.Long --strategy=icb --preemptions=unbounded >output 2>&1)
status=$?
[[ $status -eq 3 ]] || fail "status $status instead of 3 without memory: $(<output)"
has output 'stopped by memory that ran out'

# Killed at any time, a search leaves whole files, and the next one cleans up.
empty
for ((n = 0; n < kills; ++n)); do
  "$program" --gtest_filter='Finds.*:Searches.*' --hocket_keep_going --hocket_no_saved --hocket_time=5s >output 2>&1 &
  process=$!
  sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
  kill -9 "$process"
  wait "$process" 2>/dev/null
  for file in *.schedule.json; do
    [[ ! -e $file ]] || "$hocket" show "$file" >/dev/null || fail "a kill has left half a file: $file"
  done
  [[ $((n % 5)) -ne 4 ]] || rm -f ./*.schedule.json
done
mkdir reports
touch .hocket-4194301-1.tmp ".hocket-$$-1.tmp" .hocket-notes.tmp reports/.hocket-4194301-1.tmp
"$program" --gtest_filter=Finds.AFailure --hocket_report=reports/report.json >output 2>&1
[[ $(find . -name '.hocket-*' | sort | tr '\n' ' ') == "./.hocket-$$-1.tmp ./.hocket-notes.tmp " ]] ||
  fail "what killed processes left should be gone, and nothing else: $(ls -A)"

# Processes in one folder do not take each other's files.
empty
for n in 1 2 3 4; do "$program" --gtest_filter=Finds.AFailure --hocket_no_saved >"output-$n" 2>&1 & done
wait
whole_files .
[[ $(ls ./*.schedule.json | wc -l) -eq 4 ]] || fail "each process should have saved a file: $(ls)"

# A body that changes the folder changes no names of files.
for test in GoesElsewhere.AndFails GoesElsewhere.AndCrashes; do
  empty
  "$program" --gtest_filter="$test" --hocket_out=out --hocket_report=report.json >output 2>&1
  [[ -f out/$test.schedule.json && -f report.json ]] || fail "$test: the files should be here: $(ls -R) $(<output)"
  has report.json '"failed"'
  command=$(grep -o 'hocket replay .*' output | head -n 1)
  eval "PATH=$(dirname "$hocket"):\$PATH; $command" >again 2>&1
  [[ $? -eq 1 ]] || fail "the command should replay it: $command: $(<again)"
done

# A search that is ended by a signal has failed if it has found a failure, and not otherwise.
for signal in TERM HUP INT; do
  for test in Searches.Long Passes.Long; do
    empty
    env --default-signal="$signal" "$program" --gtest_filter="$test" --hocket_keep_going --hocket_preemptions=unbounded >output 2>&1 &
    process=$!
    for ((n = 0; n < 100; ++n)); do
      sleep 0.1
      [[ $test == Passes.Long || -e $test.schedule.json ]] && break
    done
    sleep 0.3
    kill -"$signal" "$process"
    wait "$process"
    status=$?
    wanted=1
    [[ $test == Searches.Long ]] || wanted=3
    [[ $status -eq $wanted ]] || fail "$test: status $status instead of $wanted after SIG$signal: $(<output)"
  done
done

((failures == 0)) && echo passed
exit $((failures != 0))
