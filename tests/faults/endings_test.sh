#!/usr/bin/env bash
# What is promised when an execution ends its process, and when something comes from outside: the tables in docs/reliability.md. The
# endings are in program.cpp, which is built with Hocket's types and, instrumented, with std::; the latter also runs each execution in a
# child. Models end in a call of one of their members.
# Usage: endings_test.sh HOCKET PROGRAM INSTRUMENTED_PROGRAM RELIABILITY.MD [--update]
set -u
hocket=$(realpath "$1")
types=$(realpath "$2")
unmodified=$(realpath "$3")
page=$(realpath "$4")
update=${5-}
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"

endings=(
  segv "a null pointer (\`SIGSEGV\`)"
  abort "\`abort()\`"
  fpe "\`SIGFPE\`"
  ill "\`SIGILL\`"
  bus "\`SIGBUS\`"
  trap "\`SIGTRAP\`"
  sys "\`SIGSYS\`"
  pipe "\`SIGPIPE\`"
  kill "\`SIGKILL\`, as the system sends it when memory runs out"
  overflow "a stack overflow"
  terminate "an exception that leaves \`noexcept\`"
  "library exit" "\`exit()\`"
  "exit at once" "\`_exit()\`"
  exit "the system call \`exit_group\`"
  exec "another program in its place (\`execl()\`)"
  loop "a loop without an operation, or a call that nothing ends"
  time "the limit on the time of a processor (\`ulimit -t\`)"
  "heap 24" "a crash after writing over kilobytes of the heap"
  stack "a return address that is none"
  size "a crash with a limit of ten bytes on the size of files"
  files "a crash with a limit of three open files"
  memory "a crash with a limit of one byte of memory"
  closed "a crash with all files closed"
  seccomp "a crash under a strict seccomp filter"
  alignment "a crash with checks of alignment (EFLAGS.AC)"
  blocked "a crash with all signals blocked"
  handled "a crash in whose handler the body exits"
  child "\`SIGKILL\` after starting a process"
  orphan "a crash after starting a process"
)
promises=(saved report others status processes files)
events=(
  "kill -INT -GROUP" "Ctrl-C"
  "kill -INT FIRST" "\`SIGINT\` to the first process alone"
  "kill -QUIT -GROUP" "Ctrl-\\"
  "kill -TERM FIRST" "\`SIGTERM\` to the first process alone"
  "kill -TERM SECOND; kill -TERM SECOND" "\`SIGTERM\` twice, to the second process"
  "kill -HUP -GROUP" "the end of its terminal (\`SIGHUP\`)"
  "kill -TERM FIRST; kill -TERM -GROUP" "\`timeout\`, which signals the process and its group"
  "kill -TSTP -GROUP; sleep 0.3; kill -CONT -GROUP; kill -INT -GROUP" "Ctrl-Z, \`fg\` and Ctrl-C"
  "kill -KILL SECOND" "\`kill -9\` of the second process"
  "kill -KILL FIRST" "\`kill -9\` of the first process"
)
promises_of_events=(saved report soon status processes files)
fronts=(types unmodified children models)

# choose FRONT: sets $program, and what else runs it in that way.
choose() {
  program=$types
  [[ $1 != unmodified && $1 != children ]] || program=$unmodified
  [[ $1 != children ]] || export HOCKET_RESTORE=fork
}

# fails_again FILE: whether the schedule is there, and its replay fails.
fails_again() {
  [[ -f run/$1 ]] || return 1
  (cd run && HOCKET_WATCHDOG=300ms "$hocket" replay "$1" "$program") >again 2>&1
  [[ $? -eq 1 ]] && grep -q 'came again\|failed again' again
}

# look FRONT: runs the program with $ENDING, and has `kept` the promises that it keeps.
look() {
  local front=$1 test=Ends.Silently finds=Finds.ACrash status
  [[ $front != models ]] || test=AModel.EndsSilently finds=Finds.AModelsCrash
  choose $front
  kept=" "
  mkdir run tmp
  (
    cd run || exit
    TMPDIR=$PWD/../tmp exec setsid timeout -s KILL 60 "$program" --hocket_watchdog=300ms --hocket_report=report.json \
      --gtest_filter="$finds:$test:IsNone.*" --gtest_output=json:gtest.json >output 2>&1
  ) &
  session=$!
  wait $session
  status=$?
  [[ $status -ne 1 ]] || kept+="status "
  [[ $(grep -c '"verdict": "failed"' run/report.json) -ne 2 || $(grep -c '"result": "COMPLETED"' run/gtest.json) -ne 3 ||
    $(grep -c '"failure": ' run/gtest.json) -ne 2 ]] || kept+="report "
  [[ $(grep -c '^\[       OK \] IsNone.OfHocket' run/output) -ne 1 || $(grep -c '^\[ RUN      \] ' run/output) -ne 3 ]] || kept+="others "
  if [[ ! -e run/child ]] || ! kill "$(<run/child)" 2>/dev/null; then
    [[ -n $(pgrep -s $session) ]] || kept+="processes "
  fi
  [[ -n $(find run tmp -type f ! -name '*.schedule.json' ! -name report.json ! -name gtest.json ! -name output ! -name child) ]] ||
    kept+="files "
  ! fails_again $test.schedule.json || kept+="saved "
}

# meet FRONT: has $event come while the program searches, after it has found a failure, and has `kept` the promises that it keeps.
meet() {
  local front=$1 test=Passes.Long finds=Finds.AFailure n ENDING=none
  [[ $front != models ]] || test=AModel.TakesLong finds=Finds.AModelsCrash
  choose $front
  kept=" "
  mkdir run tmp
  set -m  # otherwise the shell has it ignore Ctrl-C
  (cd run && TMPDIR=$PWD/../tmp exec "$program" --hocket_preemptions=unbounded --hocket_report=report.json --gtest_output=json:gtest.json \
    --gtest_filter="$finds:$test:IsNone.*" >output 2>&1) &
  local first=$!
  set +m
  for ((n = 0; n < 100; ++n)); do
    sleep 0.1
    ! grep -q "RUN      \] $test" run/output || break
  done
  sleep 0.3
  local second=$(cat /proc/$first/task/$first/children)
  second=${second%% *}
  local does=${event//GROUP/$first}
  does=${does//FIRST/$first}
  eval "${does//SECOND/$second}"
  for ((n = 0; n < 30; ++n)); do
    sleep 0.1
    [[ -n $(pgrep -g $first) ]] || break
  done
  ((n == 30)) || kept+="soon "
  wait $first 2>/dev/null
  [[ $? -eq 0 ]] || kept+="status "
  [[ $(grep -c '"verdict": "failed"' run/report.json) -ne 1 || $(grep -c '"verdict": "\(stopped\|did not end\)"' run/report.json) -ne 1 ]] ||
    kept+="report "
  [[ -n $(pgrep -g $first) ]] || kept+="processes "
  kill -KILL -$first 2>/dev/null
  [[ -n $(find run tmp -type f ! -name $finds.schedule.json ! -name report.json ! -name gtest.json ! -name output) ]] || kept+="files "
  ! fails_again $finds.schedule.json || kept+="saved "
}

# row FIRST_CELL PROMISE...: a row of a table, of what $by_front says.
row() {
  local promise front held cells="| $1 |"
  shift
  for promise in "$@"; do
    held=
    for front in "${fronts[@]}"; do
      [[ ${by_front[$front]} != *" $promise "* ]] || held+=", $front"
    done
    [[ $held != "$(printf ', %s' "${fronts[@]}")" ]] || held=', yes'
    cells+=" ${held#, } |"
  done
  echo "$cells"
}

# in_each_front WORD...: does that for each, at the same time, in empty folders; $by_front has the promises that were kept.
in_each_front() {
  local front promise
  find . -mindepth 1 -delete
  for front in "${fronts[@]}"; do
    (mkdir $front && cd $front && "$@" $front && echo "$kept" >kept) &
  done
  wait
  for front in "${fronts[@]}"; do by_front[$front]=$(cat $front/kept); done
}

# complain WHAT PROMISE...: says where a promise is not kept, with what was printed.
complain() {
  local what=$1 front promise
  shift
  for front in "${fronts[@]}"; do
    for promise in "$@"; do
      [[ ${by_front[$front]} == *" $promise "* ]] ||
        printf '%s, %s: %s does not hold: %s\n%s\n' "$what" $front $promise "$(<$front/run/output)" "$(cat $front/again 2>/dev/null)" >&2
    done
  done
}

tables() {
  local n event
  local -A by_front
  echo '| an execution ends its process by | it is saved, and replays | reports are whole | other tests run | status 1 | no process is left | no other file is left |'
  echo '|---|---|---|---|---|---|---|'
  for ((n = 0; n < ${#endings[@]}; n += 2)); do
    export ENDING=${endings[n]}
    in_each_front look
    complain "$ENDING" "${promises[@]}"
    row "${endings[n + 1]}" "${promises[@]}"
  done
  echo
  echo '| from outside comes | what was found is saved, and replays | the report file is whole | the program ends soon | status not 0 | no process is left | no other file is left |'
  echo '|---|---|---|---|---|---|---|'
  for ((n = 0; n < ${#events[@]}; n += 2)); do
    event=${events[n]}
    in_each_front meet
    complain "$event" "${promises_of_events[@]}"
    row "${events[n + 1]}" "${promises_of_events[@]}"
  done
}

made=$(tables)
kept_tables=$(sed -n '/^| an execution ends its process by/,/^<!-- end -->$/{/^<!-- end -->$/!p}' "$page")
if [[ $made == "$kept_tables" ]]; then
  echo passed
elif [[ $update == --update ]]; then
  printf '%s\n' "$made" >tables.md
  sed -i -e '/^| an execution ends its process by/,/^<!-- end -->$/{/^<!-- end -->$/!d}' "$page"
  sed -i "/<!-- endings_test.sh writes these tables -->/r tables.md" "$page"
  echo "the tables are written anew; look at them"
else
  diff <(echo "$kept_tables") <(echo "$made") >&2
  fail "the tables in docs/reliability.md say something else; endings_test.sh --update writes them"
fi
exit $((failures != 0))
