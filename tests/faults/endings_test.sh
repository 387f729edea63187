#!/usr/bin/env bash
# What is promised when an execution ends its process, for each way to end: the table in docs/reliability.md. The endings are in
# program.cpp, which is built with Hocket's types and, instrumented, with std::; the latter also runs each execution in a child.
# Usage: endings_test.sh HOCKET PROGRAM INSTRUMENTED_PROGRAM RELIABILITY.MD [--update]
set -u
hocket=$(realpath "$1")
types=$(realpath "$2")
unmodified=$(realpath "$3")
page=$(realpath "$4")
update=${5-}
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
file=Ends.Silently.schedule.json

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

# look FRONT: runs the program with $ENDING, and has `kept` the promises that it keeps.
look() {
  local front=$1 program=$unmodified command=() status
  [[ $front != types ]] || program=$types
  [[ $front != children ]] || command=(env HOCKET_RESTORE=fork)
  kept=" "
  mkdir run tmp
  (
    cd run || exit
    TMPDIR=$PWD/../tmp exec setsid "${command[@]}" timeout -s KILL 60 "$program" --hocket_watchdog=300ms --hocket_report=report.json \
      --gtest_filter=Finds.ACrash:Ends.Silently:IsNone.* --gtest_output=json:gtest.json >output 2>&1
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
  if [[ -f run/$file ]]; then
    (cd run && HOCKET_WATCHDOG=300ms "$hocket" replay $file "$program") >again 2>&1
    [[ $? -eq 1 ]] && grep -q 'came again\|failed again' again && kept+="saved "
  fi
}

table() {
  local n ending front promise cells held
  echo '| an execution ends its process by | it is saved, and replays | reports are whole | other tests run | status 1 | no process is left | no other file is left |'
  echo '|---|---|---|---|---|---|---|'
  for ((n = 0; n < ${#endings[@]}; n += 2)); do
    export ENDING=${endings[n]}
    declare -A by_front=()
    for front in types unmodified children; do
      find . -mindepth 1 -delete
      look $front
      by_front[$front]=$kept
      for promise in "${promises[@]}"; do
        [[ $kept == *" $promise "* ]] || printf '%s, %s: %s does not hold: %s\n%s\n' "$ENDING" $front $promise "$(<run/output)" "$(cat again 2>/dev/null)" >&2
      done
    done
    cells=
    for promise in "${promises[@]}"; do
      held=
      for front in types unmodified children; do [[ ${by_front[$front]} != *" $promise "* ]] || held+=", $front"; done
      [[ $held != ', types, unmodified, children' ]] || held=', yes'
      cells+=" ${held#, } |"
    done
    echo "| ${endings[n + 1]} |$cells"
  done
}

made=$(table)
kept_table=$(sed -n '/^| an execution ends its process by/,/^$/p' "$page")
if [[ $made == "$kept_table" ]]; then
  echo passed
elif [[ $update == --update ]]; then
  printf '%s\n' "$made" >table.md
  sed -i -e '/^| an execution ends its process by/,/^$/{/^$/!d}' "$page"
  sed -i "/<!-- endings_test.sh writes this table -->/r table.md" "$page"
  echo "the table is written anew; look at it"
else
  diff <(echo "$kept_table") <(echo "$made") >&2
  fail "the table in docs/reliability.md says something else; endings_test.sh --update writes it"
fi
exit $((failures != 0))
