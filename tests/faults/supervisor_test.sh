#!/usr/bin/env bash
# What a process outside saves of executions that end their process so that nothing in it can tell.
# endings_test.sh has what is promised of each end.
# Usage: supervisor_test.sh PATH_OF_HOCKET PATH_OF_PROGRAM
set -u
hocket=$(realpath "$1")
program=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
file=Ends.Silently.schedule.json

# start_long_search WORD...: the command searches for long, in its child. What it keeps for itself goes with the folder.
start_long_search() {
  local n
  set -m  # otherwise the shell has it ignore Ctrl-C
  TMPDIR=$PWD "$@" >output 2>&1 &
  command=$!
  set +m
  for ((n = 0; n < 50; ++n)); do
    sleep 0.1
    child=$(cat /proc/$command/task/$command/children 2>/dev/null)
    [[ $n -gt 5 && -n $child ]] && break
  done
}

# In its words: the tests before and after keep their verdicts, as in one run, with `hocket run` and alone.
declare -A words=([kill]='the process got SIGKILL' [exit]='ended the process with status 0' [exec]='another program take its place'
  [pipe]='the process got SIGPIPE' [blocked]='the process got SIGSEGV' [size]='thread 2 got SIGSEGV' [earlier]='the process got SIGKILL')
export GTEST_FILTER=Finds.ACrash:Ends.Silently:IsNone.*
for ending in "${!words[@]}"; do
  export ENDING=$ending
  for run in "$hocket run --report=report.json -- $program --gtest_output=xml:gtest" \
    "$program --hocket_report=report.json --gtest_output=json:gtest"; do
    find . -mindepth 1 -delete
    timeout -s KILL 60 $run >output 2>&1
    status=$?
    [[ $status -eq 1 ]] || fail "$ending: status $status of $run: $(<output)"
    has output "${words[$ending]}"
    has report.json "$file"
    for pattern in '^\[ RUN      \] ' '^\[  FAILED  \] .* (\|^\[       OK \] ' '<testcase \|"result": "COMPLETED"'; do
      [[ $(cat output gtest | grep -c "$pattern") -eq 3 ]] || fail "$ending: not once of each test: $pattern: $(<output)"
    done
    has output 'hocket: 2 searches: 2 failed; the first failure again:'
    [[ $(grep -c '"verdict": "failed"' report.json) -eq 2 ]] || fail "$ending: the report of two failures: $(<report.json)"
  done
done
unset GTEST_FILTER

# Ctrl-C is answered between two runs of the program, too.
find . -mindepth 1 -delete
ENDING=interrupt GTEST_FILTER=Ends.*:GoesElsewhere.* "$hocket" run "$program" >output 2>&1
[[ $? -eq 1 && -f $file ]] || fail "a death with Ctrl-C: $(<output)"
[[ $(grep -c '^\[  SKIPPED \] GoesElsewhere.* (' output) -eq 2 ]] || fail "tests should be skipped after Ctrl-C: $(<output)"
has output 'not run after Ctrl-C'

# Nor do tests run in the next run that were not asked for, although a replay asks for another.
find . -mindepth 1 -delete
ENDING=kill HOCKET_TEST='Ends.*' "$hocket" run -- "$program" --gtest_filter='Ends.*:GoesElsewhere.AndFails' >output 2>&1
[[ $? -eq 1 && -f $file ]] || fail "one test that was asked for: $(<output)"
has_not output 'an update was lost'

# So it is where few files may be open.
(ulimit -n 100; exec "$hocket" run -- "$program" --gtest_filter='Finds.ACrash:IsNone.*' >output 2>&1)
has output '[       OK ] IsNone.OfHocket'

# A body that writes to what is shared can hide its end, but not have the program begin again for ever.
ENDING=forge timeout -s KILL 60 "$hocket" run --test=Ends.Silently "$program" >output 2>&1
[[ $? -ne 137 && $(grep -c 'begins again' output) -le 4 ]] || fail "it begins again and again: $(<output)"
has output 'the program cannot begin again, so the tests that are left do not run'

# Nor is an end silent if the body has written over what the schedule is made of.
find . -mindepth 1 -delete
ENDING=overwrite "$program" --gtest_filter=Ends.Silently >output 2>&1
[[ $? -ne 0 ]] || fail "status 0 with the schedule lost: $(<output)"
has output 'hocket: thread 2 got SIGSEGV in an execution; the body has written over memory of Hocket, so its schedule is lost'

# What comes again in the next search is known.
export ENDING=kill
find . -mindepth 1 -delete
for _ in first again; do "$hocket" run --test=Ends.Silently "$program" >output 2>&1; done
has output "$file came again"
[[ $(find . -name '*.schedule.json') == "./$file" ]] || fail "it should be saved once: $(ls)"

# The limit on the time of a processor has a word of its own.
export ENDING=time
find . -mindepth 1 -delete
"$hocket" run --report=report.json --test=Ends.Silently "$program" >output 2>&1
status=$?
[[ $status -eq 1 ]] || fail "time: status $status: $(<output)"
has output 'the process got SIGKILL, as it has used all the time of a processor that it was allowed'
"$hocket" replay "$file" "$program" >again 2>&1
has again "the failure that is saved in $PWD/$file came again"

# What a process with a broken heap or stack can still tell, it tells. Otherwise its supervisor does. Behind blocks of
# other sizes other text of Hocket's is broken.
for ending in 'heap 24' 'heap 56' 'heap 88' 'heap 216' 'heap 632' stack; do
  export ENDING=$ending
  find . -mindepth 1 -delete
  "$hocket" run --report=report.json --test=Ends.Silently "$program" >output 2>&1
  status=$?
  [[ $status -eq 1 && $(find . -name '*.schedule.json') == "./$file" ]] || fail "$ending: status $status: $(<output)"
  has report.json '"failed"'
  "$hocket" replay "$file" "$program" >again 2>&1
  status=$?
  [[ $status -eq 1 ]] || fail "$ending: status $status of the replay: $(<again)"
  has again "the failure that is saved in $PWD/$file came again"
done

# A disk that is full costs nothing.
ENDING=kill HOCKET_OUT=/proc/none "$hocket" run --test=Ends.Silently "$program" >output 2>&1
has output 'cannot be saved'
grep '^{  "hocket_schedule"' output >line || fail "the schedule should be printed: $(<output)"
ENDING=kill "$hocket" replay - "$program" <line >again 2>&1
[[ $? -eq 1 ]] || fail "what was printed should fail again: $(<again)"

# A program that somebody else kills has not failed.
alone=("$program" --hocket_preemptions=unbounded --gtest_filter=Passes.Long)
run=("$hocket" run --preemptions=unbounded --test=Passes.Long "$program")
for searches in alone run; do
  declare -n words_of_command=$searches
  find . -mindepth 1 -delete
  start_long_search "${words_of_command[@]}"
  kill -9 $child
  wait "$command"
  status=$?
  wanted=$([[ $searches == run ]] && echo 3 || echo 137)
  [[ $status -eq $wanted ]] || fail "$searches: status $status after a kill from outside: $(<output)"
  [[ -z $(find . -name '*.schedule.json') ]] || fail "$searches: there should be no file: $(<output)"

  # What timeout(1) sends to both, and to their group, counts once.
  find . -mindepth 1 -delete
  timeout -s TERM 1 "${words_of_command[@]}" >output 2>&1
  has output '1 stopped by SIGTERM'

  # So has one that gets another signal from outside, or two of them.
  for signal in USR1 TERM; do
    find . -mindepth 1 -delete
    start_long_search "${words_of_command[@]}"
    kill -$signal $child; kill -$signal $child 2>/dev/null
    wait "$command"
    status=$?
    wanted=$([[ $searches == run || $signal == TERM ]] && echo 3 || echo 138)
    [[ $status -eq $wanted ]] || fail "$searches: status $status after SIG$signal from outside: $(<output)"
    [[ -z $(find . -name '*.schedule.json') ]] || fail "$searches: there should be no file after SIG$signal: $(<output)"
  done

  # A signal to the first process alone is passed on.
  start_long_search "${words_of_command[@]}"
  kill -INT $command
  wait "$command"
  [[ $? -eq 3 ]] || fail "$searches: status after SIGINT to one process: $(<output)"
  has output '1 stopped by Ctrl-C'

  # Ctrl-Z stops both, and fg has both go on.
  start_long_search "${words_of_command[@]}"
  kill -TSTP -- -$command
  for ((n = 0; n < 100; ++n)); do [[ $(ps -o stat= -p $child) == T* ]] && break; sleep 0.1; done
  [[ $(ps -o stat= -p $command) == T* && $(ps -o stat= -p $child) == T* ]] || fail "$searches: Ctrl-Z should stop both"
  kill -CONT -- -$command
  kill -INT -- -$command
  wait "$command"
  [[ $? -eq 3 ]] || fail "$searches: status after Ctrl-Z, fg and Ctrl-C: $(<output)"

  # A program goes when its supervisor goes.
  start_long_search "${words_of_command[@]}"
  kill -9 $command
  for ((n = 0; n < 50; ++n)); do kill -0 $child 2>/dev/null || break; sleep 0.1; done
  ! kill -9 $child 2>/dev/null || fail "$searches: a program was left by its supervisor"
  wait "$command" 2>/dev/null
done

# Calls of a model's members have numbers in one thread alone. What ends the process is tried again, also in a replay.
export ENDING=kill
for ending in kill abort; do
  find . -mindepth 1 -delete
  ENDING=$ending "$program" --gtest_filter=AModel.EndsSilentlyInOneOfTwoThreads:IsNone.* >output 2>&1
  [[ $? -eq 1 ]] || fail "$ending of a model: status $?: $(<output)"
  has output '[       OK ] IsNone.OfHocket'
  for again in $ending abort; do
    ENDING=$again "$hocket" replay *.schedule.json "$program" >again 2>&1
    [[ $? -eq 1 ]] || fail "$again of a model in the replay of $ending: status $?: $(<again)"
    has again "successors() has failed: $([[ $again == kill ]] && echo 'its process was ended by SIGKILL' || echo 'abort() was called')"
  done
done

# If that does not come any more, the model is checked as fast as ever.
find . -mindepth 1 -delete
ENDING=kill "$program" --gtest_filter=AModel.TakesLong >output 2>&1
[[ $? -eq 1 && -f AModel.TakesLong.schedule.json ]] || fail "a long model that ends its process: $(<output)"
ENDING=none timeout -s KILL 100 "$program" --gtest_filter=AModel.TakesLong >output 2>&1 || fail "status $? of a model that is mended: $(<output)"

# What cannot be followed is told, too.
(ulimit -n 15; ENDING=exit "$program" --gtest_filter=AModel.EndsSilently:IsNone.* >output 2>&1)
[[ $? -eq 1 ]] || fail "status 0 of a check that has ended its process: $(<output)"
has output 'hocket: AModel.EndsSilently: the process ended with status 0 while the model was checked'
has output 'the program cannot begin again, so the tests that are left do not run'

# Ctrl-C ends a call that does not return, and nothing is checked again.
ENDING=loop start_long_search "$program" --gtest_filter=AModel.EndsSilently:IsNone.* --hocket_watchdog=100s
kill -INT -- -$command
for ((n = 0; n < 50; ++n)); do kill -0 $command 2>/dev/null || break; sleep 0.1; done
! kill -KILL -- -$command 2>/dev/null || fail "a call of a model goes on after Ctrl-C: $(<output)"
wait "$command" 2>/dev/null
has_not output 'begins again'

# Nor has a model failed whose process somebody else kills: the call that it was in is tried.
export ENDING=none
for command_line in "$program --gtest_filter=AModel.TakesLong:IsNone.*" "$hocket run --test=AModel.TakesLong $program" \
  "$program --gtest_filter=AModel.TakesLongInTwoThreads:IsNone.*"; do
  find . -mindepth 1 -delete
  start_long_search $command_line
  kill -9 $child
  wait "$command"
  status=$?
  wanted=$([[ $command_line == *' run '* ]] && echo 3 || echo 137)
  [[ $status -eq $wanted ]] || fail "a model that somebody else kills: status $status: $(<output)"
  has output 'the process was ended by SIGKILL while the model was checked; it is checked again'
  has output 'so somebody else has sent SIGKILL'
  has_not output 'IsNone.OfHocket'
done

# A long check is not made again for a signal that may be from anybody.
find . -mindepth 1 -delete
ENDING='kill late' "$program" --gtest_filter=AModel.EndsSilently:IsNone.* --hocket_watchdog=60s >output 2>&1
[[ $? -eq 137 ]] || fail "a long check that SIGKILL ends: $(<output)"
has output 'hocket: AModel.EndsSilently: the process was ended by SIGKILL while the model was checked'
has_not output 'checked again'
has_not output 'IsNone.OfHocket'

# A death test of GoogleTest that comes after a search finds no other thread.
"$program" --gtest_filter=Finds.AFailure:AfterASearch.* >output 2>&1
has output '[       OK ] AfterASearch.HocketHasNoThread'

# A signal that has to end a stuck program is no failure of it, either, and nothing is replayed.
find . -mindepth 1 -delete
ENDING=loop "$hocket" run --test=Ends.Silently "$program" >output 2>&1 &
command=$!
sleep 1
kill -TERM $command
wait $command
status=$?
[[ $status -eq 3 && -z $(find . -name '*.schedule.json') ]] || fail "status $status of a stuck program after SIGTERM: $(<output)"
has_not output 'in a replay'

# A file stays where the replay of it proves nothing.
find . -mindepth 1 -delete
cat >once.sh <<END
#!/bin/sh
[ -z "\$HOCKET_REPLAY" ] || exit 9
exec "$program" "\$@"
END
chmod +x once.sh
ENDING=kill "$hocket" run --test=Ends.Silently ./once.sh >output 2>&1
[[ $? -eq 1 && -f $file ]] || fail "a replay that could not run removed the file: $(<output)"

# A script in between does not hide the program, and what it has started before lives on.
find . -mindepth 1 -delete
printf '#!/bin/sh\n"%s" "$@"\n' "$program" >between.sh
chmod +x between.sh
ENDING=kill "$hocket" run --test=Ends.Silently ./between.sh >output 2>&1
[[ $? -eq 1 && -f $file ]] || fail "a script hides its program: $(<output)"
printf '#!/bin/sh\nsleep 60 & echo $! >other\nexec "%s" run --test=Ends.Silently "%s"\n' "$hocket" "$program" >entry.sh
ENDING=pipe sh entry.sh >output 2>&1
kill "$(<other)" || fail "a process that was there before was ended: $(<output)"

# Of two that run side by side each has its own.
find . -mindepth 1 -delete
printf '#!/bin/sh\n(mkdir a; cd a; exec "%s") & (mkdir b; cd b; exec "%s"); wait\n' "$program" "$program" >both.sh
ENDING=kill GTEST_FILTER=Ends.Silently:IsNone.* "$hocket" run /bin/sh -- both.sh >output 2>&1
[[ -f a/$file && -f b/$file ]] || fail "two at once: $(find .) $(<output)"
[[ $(grep -c '^\[       OK \] IsNone.OfHocket' output) -eq 2 ]] || fail "two at once should run all tests: $(<output)"

# One process alone says how it ends, and that neither its schedule is saved nor the other tests run: if that is asked
# for, and if threads run already.
for alone in HOCKET_SUPERVISE=0 EARLY_THREAD=1; do
  find . -mindepth 1 -delete
  env $alone "$program" --gtest_filter=Finds.ACrash:IsNone.* >output 2>&1
  [[ $? -eq 139 ]] || fail "$alone: one process should crash: $(<output)"
  has output 'hocket: thread 2 got SIGSEGV in an execution'
  has output '  program.cpp:'
  has output 'its schedule is not saved, as no other process watches this one; `hocket run` saves it'
  has output 'the tests that are left do not run'
  has_not output IsNone.OfHocket
done
# In a replay it says of which file the failure should be.
"$program" --gtest_filter=Finds.ACrash >output 2>&1
HOCKET_SUPERVISE=0 HOCKET_REPLAY=Finds.ACrash.schedule.json "$program" >again 2>&1
[[ $? -eq 139 ]] || fail "one process should crash in a replay: $(<again)"
has again 'this should be the failure that is saved in Finds.ACrash.schedule.json'
EARLY_THREAD=1 "$program" --hocket_supervise >output 2>&1
[[ $? -eq 2 ]] || fail "a program with threads cannot be split: $(<output)"
has output 'it has started threads before'

# Where nothing can be supervised that is said, and nobody is asked again and again.
(ulimit -f 64; "$hocket" run --test=Finds.AFailure "$program" >output 2>&1)
[[ $? -eq 1 ]] || fail "a search that cannot be supervised: $(<output)"
has output 'is not supervised'

# Names of folders command no terminal, and the command that is printed finds the file.
find . -mindepth 1 -delete
export ENDING=pipe
"$hocket" run --test=Ends.Silently --out=$'e\e[31m' "$program" >output 2>&1
"$program" --gtest_filter=Finds.A* --hocket_out=$'e\e[31m' >>output 2>&1
"$program" --gtest_filter=Finds.AFailure --hocket_out=-x >>output 2>&1
! grep -q $'\e' output || fail "a folder commands the terminal: $(cat -v output)"
grep -o "replay [^ ]*json'\\?" output | sort -u | while IFS= read -r words; do
  eval "\"$hocket\" $words \"$program\"" >again 2>&1
  [[ $? -eq 1 ]] || { echo "not replayed: $words: $(<again)" >&2; exit 1; }
done || fail "a printed command does not find its file"

# What can tell does so itself, and what passes passes.
find . -mindepth 1 -delete
"$program" --hocket_supervise --gtest_filter=Finds.ACrash >output 2>&1
[[ $? -eq 1 && $(find . -name '*.json' | wc -l) -eq 1 ]] || fail "the crash should be saved once: $(ls) $(<output)"
"$program" --hocket_supervise --gtest_filter=IsNone.OfHocket >output 2>&1 || fail "status $? where all pass: $(<output)"

((failures == 0)) && echo passed
exit $((failures != 0))
