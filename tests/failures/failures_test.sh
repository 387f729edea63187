#!/usr/bin/env bash
# Compares the whole reports of the failing tests of samples/failures/ with those in expected/: what the test itself
# prints in a terminal of 80 columns, and what `hocket show` prints for its file at 160. What `hocket show --json` prints is
# checked against its schema, and so is the report of two runs.
# Usage: failures_test.sh [--update | --without PATTERN] HOCKET PROGRAM...
#
# The reports in docs/reading-a-failure.md are those of expected/, too. --update writes both anew: read the
# difference before you commit it.
set -u
shopt -s lastpipe  # so that compare, at the end of a pipe, counts
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
expected=$here/expected
update=false
left_out=
[[ ${1-} == --update ]] && update=true && shift
[[ ${1-} == --without ]] && left_out=$2 && shift 2
hocket=$(realpath "$1")
shift
programs=()
for program; do programs+=("$(realpath "$program")"); done
folder=$(mktemp -d)
kept=$(mktemp -d)  # the documents of the failures
trap 'rm -rf "$folder" "$kept"' EXIT
unset ${!HOCKET_@} ${!GTEST_@}
failures=0

# normalised PROGRAM: replaces what differs between machines and runs: times, paths, and the seed of the order of tests.
normalised() {
  # Whether a line is broken there depends on how many digits the time has.
  sed -zE 's/,\n? +in\n? +([0-9.]+ (ms|s)\b)/, in \1/g' | sed -E -e "s#$1#PROGRAM#g" -e "s#$PWD/##g" -e 's#(\.\./)+samples/failures/|/[^ ]*/samples/failures/##g' \
    -e 's/\(([0-9]+ [0-9 ]*)\/s\)/(@\/s)/g' -e 's/ in [0-9.]+ (ms|s)( |$)/ in @\2/g' -e 's/[0-9.]+ ms\)/@)/g'
}

# compare NAME: standard input with expected/NAME.
compare() {
  if $update; then
    cat >"$expected/$1"
  elif ! diff -u "$expected/$1" - >difference; then
    printf 'FAILED: the report of %s is another one:\n%s\n' "$1" "$(<difference)" >&2
    failures=$((failures + 1))
  fi
}

# with_reports FILE: the file with the reports of the tests that its code blocks name.
with_reports() {
  awk -v folder="$expected" '
    /^```text [A-Za-z0-9]+$/ { print; report = folder "/" $2 ".test.txt"
      while ((getline text < report) > 0) print text
      is_inside = 1; next }
    /^```$/ { is_inside = 0 }
    !is_inside { print }' "$1"
}

$update && rm -f "$expected"/*
cd "$folder" || exit 1
for program in "${programs[@]}"; do
  tests=$("$program" --gtest_list_tests | sed -n 's/^  //p')
  [[ -n $tests ]] || { printf 'FAILED: %s has no tests\n' "$program" >&2; exit 1; }
  for test in $tests; do
    [[ -z $left_out || $test != $left_out ]] || continue
    rm -rf ./*
    # However slow the build and the machine are.
    COLUMNS=80 "$program" "--gtest_filter=Failures.$test" --hocket_minimize=100s >output 2>&1 </dev/null
    status=$?
    [[ $status -eq 1 ]] || { printf 'FAILED: %s ended with status %s\n' "$test" "$status" >&2; exit 1; }
    sed -n '/^\[ RUN /,/^\[  FAILED  \]/p' output | sed -e '1d' -e '$d' | normalised "$program" | compare "$test.test.txt"
    "$hocket" show "Failures.$test.schedule.json" --width 160 2>&1 | normalised "$program" | compare "$test.show.txt"
    "$hocket" show --json "Failures.$test.schedule.json" >"$kept/$test.json"
    [[ $test == DeadlockOfThreeLocks || $test == OnePreemptionAmong5000Steps ]] &&  # a short page, and a compressed one
      "$hocket" report "Failures.$test.schedule.json" -o "$kept/$test.html" >/dev/null
    [[ $test == DeadlockOfThreeLocks || $test == RandomScheduleWithManyPreemptions ]] || continue
    for format in markdown sarif trace shiviz dot; do
      "$hocket" export "Failures.$test.schedule.json" --as "$format" >"$kept/$test.$format"
    done
  done
done
# A program has its pages written itself, and says in one sentence that it cannot.
rm -rf ./*
HOCKET_TOOL=$hocket "${programs[0]}" --hocket_html=pages >output 2>&1 </dev/null
pages=(pages/Failures.*.html)
if [[ $(grep -o 'href="./[^"]*' pages/index.html) != "href=\"./${pages[0]#pages/}#step-16" ]] || ! grep -q 'name="hocket-failure"' "${pages[0]}"; then
  printf 'FAILED: --hocket_html writes no page:\n%s\n' "$(<output)" >&2
  failures=$((failures + 1))
fi
if ! grep -q '"sources":{' "${pages[0]}"; then
  printf 'FAILED: a page that --hocket_html writes has no sources, although the program names them\n' >&2
  failures=$((failures + 1))
fi
# Where threads met is noted in child processes, too.
if [[ ${#programs[@]} -gt 1 ]]; then
  for restore in snapshot fork; do
    "${programs[1]}" --gtest_filter=Failures.LostWakeUp --hocket_coverage --hocket_restore=$restore "--hocket_report=$restore.json" >output 2>&1 </dev/null
    sed -n '/"meetings"/,/^ *\]/p' "$restore.json" >"$restore.meetings"
    rm -f ./*.schedule.json
  done
  if command -v python3 >/dev/null; then
    "$here/check_report.py" "$here/../../docs" snapshot.json fork.json || failures=$((failures + 1))
  fi
  if [[ ! -s fork.meetings ]] || ! cmp -s snapshot.meetings fork.meetings; then
    printf 'FAILED: threads meet elsewhere in child processes:\n%s\n%s\n' "$(<snapshot.meetings)" "$(<fork.meetings)" >&2
    failures=$((failures + 1))
  fi
fi
COLUMNS=500 HOCKET_TOOL=/nowhere/hocket "${programs[0]}" --hocket_html=none >output 2>&1 </dev/null
if [[ $? -ne 1 || $(grep -c 'hocket: warning: no page is written to .*/none: the program /nowhere/hocket was not found' output) -ne 1 ]]; then
  printf 'FAILED: it should be said that no page is written:\n%s\n' "$(<output)" >&2
  failures=$((failures + 1))
fi
guide=$(dirname "$expected")/../../docs/reading-a-failure.md
with_reports "$guide" >guide
if $update; then
  cat guide >"$guide"
elif ! diff -u "$guide" guide >difference; then
  printf 'FAILED: docs/reading-a-failure.md has other reports:\n%s\n' "$(<difference)" >&2
  failures=$((failures + 1))
fi
if command -v python3 >/dev/null; then
  "$here/check_documents.py" "$here/../../docs/failure-document.schema.json" "$kept"/*.json || failures=$((failures + 1))
  "$here/check_exports.py" "$kept" || failures=$((failures + 1))
else
  echo "the documents of the failures are not checked: python3 is not installed"
fi
[[ $failures -eq 0 ]] && echo passed
exit $((failures != 0))
