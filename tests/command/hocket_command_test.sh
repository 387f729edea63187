#!/usr/bin/env bash
# Tests the hocket command with stand-ins for test programs: shell scripts that leave a report, or none, and end in
# every way that a program can. Usage: hocket_command_test.sh PATH_OF_HOCKET
set -u
source=$(realpath "$0")
hocket=$(realpath "$1")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"

# expect STATUS TEXT COMMAND...: what the command ends with, and text that it prints to either stream ('' for nothing).
expect() {
  local status=$1 text=$2 found output
  shift 2
  output=$("$@" 2>&1 </dev/null)
  found=$?
  [[ $found -eq $status ]] || fail "status $found instead of $status: $*: $output"
  if [[ -z $text ]]; then
    [[ -z $output ]] || fail "should print nothing: $*: $output"
  else
    [[ $output == *"$text"* ]] || fail "should print \"$text\": $*: $output"
  fi
}

# program NAME CODE...: a stand-in for a test program. In it, `report VERDICT...` reports a search of the test "a.b" each.
program() {
  local name=$1
  shift
  {
    cat <<'END'
#!/bin/bash
report() {
  local verdict comma='' searches=''
  for verdict; do
    searches+="$comma{\"test\": \"a.b\", \"verdict\": \"$verdict\"}"
    comma=,
  done
  printf '{"hocket_report": 1, "searches": [%s]}' "$searches" >"$HOCKET_REPORT"
}
END
    printf '%s\n' "$@"
  } >"$name"
  chmod +x "$name"
}

# A schedule file of the test "a.b"; $1: more fields.
schedule() {
  cat <<END
{"hocket_schedule": 1, "test": "a.b", "failure": "check", "message": "it broke", "preemptions": 0, "executions": 3,
 "strategy": "icb", "seed": 1, "max_steps": 20000, "stack_size": 262144, "spurious_wakeups": false,
 "spurious_failures": false, ${1:-} "threads": [{"thread": "main"}],
 "schedule": [{"step": 1, "thread": "main", "does": "mutex.lock", "object": "m", "at": "a.cpp:1"}]}
END
}
schedule >a.json
schedule '"signal": 6,' >crash.json
schedule | sed 's/"failure": "check"/"failure": "exit"/' >exit.json

# --- run: the verdicts
program passes 'report "passed within the bound" "passed exhaustively" "passed sample"'
program fails 'report "passed exhaustively" failed stopped' 'exit 1'
program saves_a_failure "printf '{\"hocket_report\": 1, \"searches\": [{\"test\": \"a.b\", \"verdict\": \"failed\", \"failures\": [{\"schedule_file\": \"a b.json\"}]}]}' >\"\$HOCKET_REPORT\"" 'exit 1'
program is_nondeterministic 'report nondeterministic' 'exit 1'
program stops 'report "passed exhaustively" stopped'
program fails_elsewhere 'report "passed exhaustively"' 'exit 1'
program crashes 'kill -SEGV $$'
program crashes_later 'report stopped' 'kill -ABRT $$'
program is_killed 'kill -TERM $$'
program does_nothing 'exit 0'
program does_nothing_well 'report'
program ends_early 'report "passed exhaustively" "did not end"' 'exit 0'
program breaks_off 'echo "{" >"$HOCKET_REPORT"'
# The last line says what was covered, and what to do next.
COLUMNS=200 expect 0 'hocket: 3 searches: 1 sampled, 1 passed with at most 0 preemptions, 1 passed in full; a sample promises nothing' "$hocket" run ./passes
COLUMNS=200 expect 0 'hocket: 3 searches: 1 sampled, 1 passed with at most 0 preemptions, 1 passed in full; a sample promises nothing' "$hocket" run passes
COLUMNS=200 expect 1 'hocket: 3 searches: 1 failed, 1 stopped, 1 passed in full; a.b is the first that failed' "$hocket" run ./fails
COLUMNS=200 expect 1 $'hocket: 1 search: 1 failed; the first failure again:\n  '"$hocket replay 'a b.json' ./saves_a_failure -- -x" "$hocket" run ./saves_a_failure -- -x
COLUMNS=200 expect 1 'hocket: 1 search: 1 nondeterministic; a.b depends on more than the schedule' "$hocket" run ./is_nondeterministic
COLUMNS=200 expect 3 'hocket: 2 searches: 1 stopped, 1 passed in full; look at a.b above' "$hocket" run ./stops
expect 1 'hocket: every search passed, but ./fails_elsewhere ended with status 1' "$hocket" run ./fails_elsewhere
expect 1 'hocket: ./crashes was ended by SIGSEGV' "$hocket" run ./crashes
expect 1 'hocket: ./crashes_later was ended by SIGABRT' "$hocket" run ./crashes_later
expect 3 'hocket: ./is_killed was ended by SIGTERM' "$hocket" run ./is_killed
expect 2 'hocket: ./does_nothing ran no search; is it a test program linked with Hocket?' "$hocket" run ./does_nothing
expect 2 'ran no search; is it a test program linked with Hocket, and does it have the test "x.y"?' \
  "$hocket" run ./does_nothing_well --test x.y
expect 1 'hocket: ./ends_early ended with status 0 in the middle of the search of "a.b"' "$hocket" run ./ends_early
expect 2 "hocket: the test program's report makes no sense" "$hocket" run ./breaks_off

# --- run: bad usage
expect 2 'hocket: no command was given; the commands are run, resume, replay, minimize, show, report, export, gdb, vscode, list, merge, flags and check, and hocket --help describes them' "$hocket"
expect 2 'hocket: there is no command frob; the commands are run, resume, replay, minimize, show, report, export, gdb, vscode, list, merge, flags and check' "$hocket" frob ./passes
expect 2 'hocket: there is no command rnu; did you mean run? the commands are run,' "$hocket" rnu ./passes
expect 2 'hocket: there is no option --frob; the commands are' "$hocket" --frob
expect 2 'hocket: there is no option --verison; did you mean --version? the commands are' "$hocket" --verison
expect 2 'no option --widht; did you mean --width? hocket show --help' "$hocket" show a.json --widht=3
expect 2 'no option --tset; did you mean --test? hocket run --help' "$hocket" run ./passes --tset a.b
expect 2 'hocket: BINARY is required; hocket run --help lists the options' "$hocket" run
expect 2 'hocket: there is no option --bogus; hocket run --help lists the options' "$hocket" run ./passes --bogus
expect 2 'no option --stratgy; did you mean --strategy? hocket run --help' "$hocket" run ./passes --stratgy=icb
expect 2 'no option --pct_depth; did you mean --pct-depth? hocket run --help' "$hocket" run ./passes --pct_depth 3
expect 2 'no option --hocket_time; did you mean --time? hocket run --help' "$hocket" run ./passes --hocket_time=3s
expect 2 'no option --sead; hocket show --help' "$hocket" show a.json --sead 1  # --seed is an option of run
expect 2 'hocket: cannot run ./no_such (No such file or directory); check the path' "$hocket" run ./no_such
expect 2 "hocket: cannot run $folder: it is a folder; name a program" "$hocket" run "$folder"
expect 2 'hocket: cannot run a.json (Permission denied); check the path' "$hocket" run a.json
expect 2 'hocket: --time: "soon" is not a duration; write 500ms, 30s, 5m or 1h' "$hocket" run ./passes --time soon
expect 2 'hocket: --memory: "1X" is not a number of bytes; write 65536, 64K, 512M or 2G' "$hocket" run ./passes --memory 1X
expect 2 'hocket: --restore: "all" is not a way to restore; write snapshot, nothing or fork' "$hocket" run ./passes --restore all
expect 2 'hocket: --preemptions: "-1" is not a number of preemptions; write 0, 1, 2, … or unbounded' "$hocket" run ./passes --preemptions=-1
expect 2 'hocket: there is no strategy "luck"' "$hocket" run ./passes --strategy luck
expect 2 'hocket: --steps: "0" is not a number from 1 to 1048575' "$hocket" run ./passes --steps 0
expect 2 'hocket: --executions: "many" is not a number from 0 to 18446744073709551615' "$hocket" run ./passes --executions many
expect 0 'hocket 0.' "$hocket" --version
expect 0 '.TH HOCKET 1' "$hocket" --manual
"$hocket" --manual | LC_ALL=C grep -q '[^ -~]' && fail 'the manual page should be plain ASCII'
expect 0 'Exit status: 0 passed' "$hocket" run --help

# --- list
program names 'echo "search A.B" >>"$HOCKET_LIST"' 'echo "test A.C d" >>"$HOCKET_LIST"' 'echo "test A.B" >>"$HOCKET_LIST"' \
  'echo "it prints"' 'exit "${1-0}"'
expect 0 'search  A.B
test    A.C d' "$hocket" list ./names
expect 0 'search  A.B' "$hocket" list ./names 3
[[ $("$hocket" list ./names) != *prints* ]] || fail "should drop what the program prints"
program names_and_crashes 'echo "search A.B" >>"$HOCKET_LIST"' 'kill -SEGV $$'
expect 2 'hocket: ./names_and_crashes was ended by SIGSEGV before it named all its tests' "$hocket" list ./names_and_crashes
expect 2 'hocket: ./does_nothing names no test; is it a test program linked with' "$hocket" list ./does_nothing
program filters '[[ $GTEST_FILTER == "-*" && -z ${HOCKET_SEED-} ]] && echo "search A.B" >>"$HOCKET_LIST"'
HOCKET_SEED=x expect 0 'search  A.B' "$hocket" list ./filters

# --- flags and check: in a build tree nothing is installed; tests/package tests the rest
expect 2 'hocket flags needs --compile, --link or both' "$hocket" flags
expect 2 'use the command of an installed Hocket' "$hocket" flags --compile
expect 2 '--language: pascal not in' "$hocket" flags --compile --language pascal
expect 2 'hocket: there is no no.map; let the linker write it: -Wl,-Map=no.map' "$hocket" check no.map

# --- show --json: text of a file is printable there, too
cp a.json 'a b;c.json'
expect 0 "Replay it: hocket replay 'a b;c.json' BINARY" "$hocket" show 'a b;c.json'  # as it can be copied
expect 0 '"hocket_failure": 1' "$hocket" show --json a.json
expect 0 '"fails": "FAILS: it broke"' "$hocket" show --json a.json

# --- a stale read: the choice of a store is a step of the document, and no row of the table
cat >stale.json <<'END'
{"hocket_schedule": 2, "test": "a.b", "failure": "check", "message": "it broke", "hardware": "Hardware: x86 does not",
 "remedy": "release for atomic.store of ready at a.cpp:2",
 "preemptions": 1, "executions": 3, "strategy": "icb", "seed": 1, "max_steps": 20000, "stack_size": 262144,
 "spurious_wakeups": false, "spurious_failures": false, "memory_model": "c11",
 "threads": [{"thread": "main"}, {"thread": "thread 1", "creator": "main", "ordinal": 1}],
 "schedule": [
  {"step": 1, "thread": "main", "does": "atomic.store", "object": "x", "order": "relaxed", "at": "a.cpp:1", "notes": ["42"]},
  {"step": 2, "thread": "main", "does": "atomic.store", "object": "ready", "order": "relaxed", "at": "a.cpp:2", "notes": ["1"]},
  {"step": 3, "thread": "thread 1", "does": "atomic.load", "object": "ready", "order": "relaxed", "at": "a.cpp:3", "notes": ["1"]},
  {"step": 4, "thread": "thread 1", "chooses": 0, "of": 2, "for": "atomic.load", "reads": "1", "of step": 2, "newest": "1", "newest step": 2},
  {"step": 5, "thread": "thread 1", "does": "atomic.load", "object": "x", "order": "relaxed", "at": "a.cpp:4", "notes": ["0", "FAILS: it broke"]},
  {"step": 6, "thread": "thread 1", "chooses": 1, "of": 2, "for": "atomic.load", "reads": "0", "of step": 0, "newest": "42", "newest step": 1, "costs": 1}]}
END
expect 0 'stale: step 1 stored 42' "$hocket" show stale.json
expect 0 'What would forbid it, and was tried: release for atomic.store of ready at a.cpp:2.' "$hocket" show stale.json
expect 0 'Hardware: x86 does not.' "$hocket" show stale.json
expect 0 'with 1 preemption or stale read after 3 executions, the C++ memory model.' "$hocket" show --json stale.json
expect 0 '"does": "reads the newest value"' "$hocket" show --json stale.json
expect 0 '"does": "stale: step 1 stored 42"' "$hocket" show --json stale.json
expect 0 '"for": 5' "$hocket" show --json stale.json  # the step that the choice belongs to
expect 0 '"reads": 2' "$hocket" show --json stale.json
expect 0 '"forbidden_by": "release for atomic.store of ready at a.cpp:2"' "$hocket" show --json stale.json
for format in markdown sarif trace dot; do
  "$hocket" export --as $format stale.json >stale.out 2>&1 || fail "export --as $format stale.json: $(cat stale.out)"
done
schedule | sed 's/it broke/a\\u001b[31m b/' >control.json
expect 0 '"check failed: a\\x1b[31m b"' "$hocket" show --json control.json
# Whatever prints it: no control character, no mark that turns text around, no separator of lines.
schedule | sed 's/it broke/a\\u001b[2J\\u009b\\u007f\\u061c\\u200e\\u200f\\u2028\\u2029\\u202e\\u2066 b/' >marks.json
forbidden='[\x{00}-\x{08}\x{0b}-\x{1f}\x{7f}-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]'
for command in 'show' 'show --json' 'export --as markdown' 'export --as sarif' 'export --as trace' 'export --as dot'; do
  # shellcheck disable=SC2086  # a command and its options
  "$hocket" $command marks.json >marks.out 2>&1 || fail "$command marks.json: $(cat marks.out)"
  LC_ALL=C.UTF-8 grep -qaP "$forbidden" marks.out && fail "$command prints what commands a terminal"
done

# --- a path of a model, with its states
cat >model.json <<'MODEL'
{"hocket_schedule": 1, "test": "a.model", "failure": "check", "message": "it broke", "preemptions": 0, "executions": 0, "strategy": "bfs",
 "seed": 1, "max_steps": 20000, "stack_size": 262144, "spurious_wakeups": false, "spurious_failures": false,
 "threads": [{"thread": "process 0"}],
 "schedule": [{"step": 1, "thread": "process 0", "does": "model.step", "object": "take", "which": 0, "notes": ["1"], "leads to": 1}],
 "members": ["count", "kind"], "states": [{"state": ["0", "plain"]}, {"state": ["1", "plain"]}],
 "transitions": [{"from": 0, "process": "process 0", "does": "take", "to": 1}, {"from": 1, "process": "process 0", "does": "break"}]}
MODEL
expect 0 $'Found by bfs after 1 step.\n' "$hocket" show model.json
expect 0 $'At first: 0, plain\nstep' "$hocket" show model.json
[[ $("$hocket" show --json model.json | tr -d ' \n') == *'"model":{"members":["count","kind"],"states":[["0","plain"],["1","plain"]],"transitions":[{"from":0,"process":"process0","does":"take","to":1},{"from":1,"process":"process0","does":"break"}]}'*'"leads_to":1,"changed":[0]'* ]] ||
  fail "the document of a model's path should have its states: $("$hocket" show --json model.json)"

# --- report: a page in which text of a file is no markup
schedule | sed 's/it broke/<script>x/' >markup.json
expect 0 'The page is page.html' "$hocket" report markup.json -o page.html
grep -q '<script>x' page.html && fail 'a page should hold text as text'
grep -q 'u003cscript>x' page.html || fail 'a page should hold what failed'
grep -q "Content-Security-Policy.*default-src 'none'" page.html || fail 'a page should load nothing'
expect 2 'no/page.html cannot be written' "$hocket" report a.json -o no/page.html
expect 2 'hocket: there is no program nowhere; check the path' "$hocket" report a.json -o page.html --binary nowhere
expect 2 'hocket: --output is required; hocket report --help lists the options' "$hocket" report a.json

schedule | sed 's/a\.b/a <b>/' >'index.schedule.json'
expect 0 'The pages are listed in pages/index.html' "$hocket" report a.json index.schedule.json crash.json -o pages
[[ $(echo pages/*) == 'pages/a.json.html pages/crash.json.html pages/index-2.html pages/index.html' ]] || fail "should write pages: $(echo pages/*)"
grep -q '<title>a &lt;b></title>' pages/index-2.html || fail 'a page should have its title without a script'
cp a.json later.schedule.json
expect 0 'The pages are listed in pages/index.html' "$hocket" report later.schedule.json -o pages/
[[ $(grep -o '<h1>.*</h1>\|href="[^"]*"' pages/index.html | tr '\n' ' ') == '<h1>2 failures</h1> href="./a.json.html#step-1" href="./crash.json.html#step-1" href="./later.html#step-1" href="./index-2.html#step-1" ' ]] ||
  fail "the index should have all pages of the folder, those of one failure together: $(<pages/index.html)"
grep -q '<a href="./index-2.html#step-1">a &lt;b></a><br>check failed: it broke' pages/index.html || fail 'the index should name the failures'

echo '{"hocket_report": 1, "searches": [{"test": "</script>", "verdict": "failed"}]}' >searches.json
expect 0 'The page is searches.html' "$hocket" report searches.json -o searches.html
grep -q '"test":"\\u003c/script>"' searches.html || fail 'a page of searches should hold text as text'
# A failure of a report leads to its page, which is written with those of the searches or lies there already.
echo '{"hocket_report": 1, "searches": [{"test": "a.b", "verdict": "failed", "failures": [{"message": "x", "schedule_file": "a.json"}, {"message": "y", "schedule_file": "gone.json"}]}]}' >saved.json
expect 0 'The pages are listed in all/index.html' "$hocket" report saved.json a.json -o all
[[ $(echo all/*) == 'all/a.json.html all/index.html all/searches.html' ]] || fail "should write each page once: $(echo all/*)"
grep -q '<p><a href="./searches.html">The searches</a>: 1 of 1 failed</p>' all/index.html || fail 'the index should lead to the searches'
expect 0 'The page is all/again.html' "$hocket" report saved.json -o all/again.html
for page in all/searches.html all/again.html; do
  grep -q '"schedule_file":"a.json","page":"./a.json.html#step-1"},{"message":"y","schedule_file":"gone.json"}' "$page" ||
    fail "$page should lead to the page of the failure that there is"
done

# A damaged schedule costs no other its page.
echo '{"hocket_schedule": 1, "test"' >'damaged<b>.json'
echo '{"hocket_report": 1, "searches": [{"test": "a.b", "verdict": "failed", "failures": [{"message": "x", "schedule_file": "damaged<b>.json"}, {"message": "y", "schedule_file": "a.json"}]}]}' >some.json
expect 2 'hocket: damaged<b>.json: line 2: the file ends in the middle' "$hocket" report some.json -o some/
[[ $(echo some/*) == 'some/a.json.html some/index.html some/searches.html' ]] || fail "should write the other pages: $(echo some/*)"
grep -q '<p>No page: damaged&lt;b>.json: line 2: the file ends in the middle' some/index.html || fail "the index should name the damaged one: $(<some/index.html)"
grep -q '"schedule_file":"a.json","page":"./a.json.html' some/searches.html || fail 'the page of the other should be linked'

echo '{"hocket_report": 2}' >newer.json
expect 2 'hocket: newer.json: ' "$hocket" report newer.json -o newer.html

# --- export: text of a file is no markup of the format
schedule | sed 's/it broke/a ``` b/; s/"object": "m"/"object": "\\"m\\\\"/' >quotes.json
expect 0 $'\n````text\ncheck failed: a ``` b' "$hocket" export quotes.json --as markdown
expect 0 "$("$hocket" export quotes.json --as markdown)" "$hocket" show quotes.json --markdown
expect 2 '--json excludes --markdown' "$hocket" show quotes.json --markdown --json
expect 0 'label = "1 mutex.lock \"m\\"' "$hocket" export quotes.json --as dot
expect 0 '"executionOrder": 1' "$hocket" export quotes.json --as sarif
expect 2 '--as: pdf not in' "$hocket" export quotes.json --as pdf
schedule | sed 's/"it broke"/"100%\\nbroken", "where": "a b.cpp:7"/; s/"test": "[^"]*"/"test": "a::b,c"/' >log.json
expect 0 '::error title=a%3A%3Ab%2Cc,file=a b.cpp,line=7::check failed: 100%25%0A  broken%0A  at a b.cpp:7' "$hocket" export log.json --as github
"$hocket" export quotes.json log.json --as sarif >both.sarif
[[ $(grep -c '"ruleId"' both.sarif) -eq 2 && $(grep -c '"driver"' both.sarif) -eq 1 ]] || fail "failures should be the results of one run: $(<both.sarif)"
# A file that is damaged costs no other its export, and a result without a place would cost GitHub the whole file.
echo '{"hocket_schedule": 1' >damaged.json
expect 2 'hocket: damaged.json' "$hocket" export damaged.json log.json --as github
"$hocket" export damaged.json log.json --as sarif 2>/dev/null | grep -q '"text": "a::b,c: check failed' || fail "the failure that can be read should be exported"
schedule | sed 's/, "at": "a.cpp:1"//' >nowhere.json
"$hocket" export nowhere.json --as sarif | tr -d ' \n' | grep -q '"locations":\[{"physicalLocation":{"artifactLocation":{"uri":"unknown"},"region":{"startLine":1}}}\]' ||
  fail "a result should have a location: $("$hocket" export nowhere.json --as sarif)"
expect 0 '::error title=a.b::check failed' "$hocket" export nowhere.json --as github
# The command that replays it names the program if that is there, but not to people elsewhere.
schedule "\"binary\": \"$PWD/a.json\"," >written.json
expect 0 "hocket replay written.json $PWD/a.json" "$hocket" show --json written.json
expect 0 'hocket replay written.json PROGRAM' "$hocket" show --markdown written.json
schedule '"binary": "/nowhere/program",' >written.json
expect 0 'hocket replay written.json PROGRAM' "$hocket" show --json written.json
expect 2 'hocket: --as dot prints one failure; name one file' "$hocket" export quotes.json log.json --as dot

# --- completion in bash
"$hocket" --completion bash >completion.bash || fail "should print what bash needs"
completes() { # EXPECTED WORD...: what is offered for the last word, as a line
  local expected=$1 found
  shift
  found=$(
    source ./completion.bash
    COMP_WORDS=(hocket "$@") COMP_CWORD=$# COMPREPLY=()
    _hocket hocket "${!#}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
  )
  [[ $found == "$expected" ]] || fail "bash should complete \"hocket $*\" to \"$expected\": $found"
}
mkdir -p 'offered/a folder'
touch 'offered/a file'
completes 'run resume replay minimize show report export gdb vscode list merge flags check' ''
completes 'resume replay report' re
completes '--version' --v
completes 'bash zsh' --completion ''
completes '--strategy --steps --stack --stale' run --st
completes '--spurious-wakeups --spurious-failures' run ./passes --spur
completes 'cb-por cb-por-basic' run --strategy cb
completes 'cb-por cb-por-basic' run --strategy = cb  # as bash takes --strategy=cb apart
completes 'snapshot nothing fork' run ./passes --restore =
completes 'late' run --timeouts l
completes 'offered/a folder' run --out offered/
completes 'offered/a folder' run --checkpoint offered/
completes 'offered/a file offered/a folder' run offered/a
completes 'offered/a file offered/a folder' replay a.json ./passes -- offered/
completes '' run --steps ''
completes '--show-output' replay --s
completes 'auto always' show --color a
completes '' show --strat
source ./completion.bash && [[ $(complete -p hocket) == 'complete -F _hocket hocket' ]] || fail "bash should know the function"
if command -v zsh >/dev/null; then
  "$hocket" --completion zsh >_hocket && zsh -n _hocket || fail "zsh should read what was made for it"
fi
expect 2 '--completion: fish not in {bash,zsh}' "$hocket" --completion fish
version=$(sed -n 's/^ *VERSION \([0-9.]*\)$/\1/p' "$(dirname "$source")/../../CMakeLists.txt")
expect 0 "hocket ${version:-unknown}" "$hocket" --version

# --- run: what the program is told
program tells 'report "passed exhaustively"' 'unset HOCKET_REPORT HOCKET_SUPERVISED' 'env | grep -E "^(HOCKET_|GTEST_FILTER)" | sort | tr "\n" " "'
expect 0 'HOCKET_STRATEGY=pct' env HOCKET_STRATEGY=pct "$hocket" run ./tells --strategy ''
program shares 'report "passed exhaustively"' 'echo "shares: ${GTEST_TOTAL_SHARDS-all}"'
expect 0 'shares: 4' env GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=0 "$hocket" run ./shares
expect 0 'shares: all' env GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=0 "$hocket" run ./shares --test a.b
export HOCKET_REPLAY=/nowhere HOCKET_BREAK=1 HOCKET_SEED=5
expect 0 'HOCKET_SEED=5 ' "$hocket" run ./tells
expect 0 "HOCKET_COMMAND=$hocket " "$hocket" run ./tells
expect 0 "GTEST_FILTER=a.b HOCKET_COMMAND=$hocket "'HOCKET_EXECUTIONS=9 HOCKET_KEEP_GOING=1 HOCKET_MEMORY=1G HOCKET_NO_SAVED=1 HOCKET_OUT=o p '\
'HOCKET_PCT_DEPTH=3 HOCKET_PCT_LENGTH=50 HOCKET_PLAIN_STEPS=1 HOCKET_PREEMPTIONS=unbounded HOCKET_REQUIRE_BOUND=1 HOCKET_RESTORE=nothing HOCKET_SEED=7 HOCKET_SHOW_OUTPUT=1 HOCKET_SPURIOUS_FAILURES=1 '\
'HOCKET_SPURIOUS_WAKEUPS=1 HOCKET_STACK=64K HOCKET_STEPS=100 HOCKET_STRATEGY=dfs HOCKET_TEST=a.b HOCKET_TIME=2m HOCKET_WATCHDOG=10s ' \
  "$hocket" run ./tells --test a.b --strategy dfs --preemptions unbounded --executions 9 --time 2m --seed 7 --out 'o p' \
  --memory 1G --watchdog 10s --steps 100 --stack 64K --keep-going --spurious-wakeups --spurious-failures --show-output \
  --require-bound --no-saved --plain-steps --restore nothing --pct-depth 3 --pct-length=50
expect 2 'hocket: pct_depth is 2000' "$hocket" run ./passes --pct-depth=2000
unset HOCKET_REPLAY HOCKET_BREAK HOCKET_SEED

# --- run: the report
echo '{"hocket_report": 1, "searches": []}' >r.json
COLUMNS=200 expect 0 'hocket: 3 searches: 1 sampled, 1 passed with at most 0 preemptions, 1 passed in full; a sample promises nothing' "$hocket" run ./passes --report r.json
grep -q 'passed sample' r.json || fail "no report"
echo '{"hocket_report": 1, "searches": []}' >r.json
expect 1 'SIGSEGV' "$hocket" run ./crashes --report r.json
[[ $(cat r.json) == '{"hocket_report": 1, "searches": []}' ]] || fail "a report without a search"
HOCKET_REPORT=s.json expect 1 '1 failed' "$hocket" run ./fails
grep -q 'stopped' s.json || fail "no report through the environment"
expect 0 '"hocket_report": 1' "$hocket" run ./passes --report /dev/stdout
expect 2 'hocket: the report cannot be written to no/r.json (there is no folder '"$folder"'/no); name another file' \
  "$hocket" run ./passes --report no/r.json
[[ $(find "$folder" -name '*.tmp' | wc -l) -eq 0 ]] || fail "left-over files"

# --- run: Ctrl-C belongs to the program, and what only the command gets is passed on to it
program takes_its_time 'trap "report stopped; exit 0" INT TERM' 'touch begun' 'while :; do sleep 0.05; done'
interrupt() { # SIGNAL TO_GROUP
  rm -f begun
  "$hocket" run ./takes_its_time &
  local process=$!
  while [[ ! -e begun ]]; do sleep 0.05; done
  kill "-$1" -- "${2:+-}$process"
  wait "$process"
  local status=$?
  [[ $status -eq 3 ]] || fail "status $status instead of 3 after SIG$1"
}
# Job control, as at a terminal: without it a background job ignores SIGINT, and so would the program.
set -m
interrupt INT group
interrupt TERM ''
interrupt INT ''
set +m

# --- replay
program fails_again 'report "replay failed again"' 'exit 1'
program runs_clean 'report "replay ran clean"'
program diverges 'report "replay diverged"' 'exit 2'
program lacks_the_test 'echo "no such test" >&2' 'exit 2'
program aborts 'kill -ABRT $$'
program traps 'kill -TRAP $$'
program tells_too 'report "replay ran clean"' 'echo "$HOCKET_REPLAY $HOCKET_TEST $HOCKET_BREAK"'
expect 1 '' "$hocket" replay a.json ./fails_again
program tells_time 'report "replay failed again"' 'echo "$HOCKET_REPLAY $HOCKET_MINIMIZE_FILE $HOCKET_MINIMIZE"' 'exit 1'
expect 1 "$PWD/a.json 1 30s" "$hocket" minimize a.json ./tells_time --time 30s
expect 1 "$PWD/a.json 1 24h" "$hocket" minimize a.json ./tells_time
expect 2 'FILE is required' "$hocket" minimize
expect 0 '' "$hocket" replay a.json ./runs_clean
expect 2 '' "$hocket" replay a.json ./diverges
expect 2 'no such test' "$hocket" replay a.json ./lacks_the_test
expect 2 'hocket: ./does_nothing has not replayed the test "a.b"; is it the program that wrote the file?' \
  "$hocket" replay a.json ./does_nothing
expect 1 'hocket: ./aborts was ended by SIGABRT: the failure came again' "$hocket" replay crash.json ./aborts
expect 2 'hocket: ./aborts was ended by SIGABRT' "$hocket" replay a.json ./aborts
expect 2 'hocket: ./crashes was ended by SIGSEGV' "$hocket" replay crash.json ./crashes
expect 1 'hocket gdb a.json ./traps' "$hocket" replay --break a.json ./traps
expect 1 'hocket gdb --step 7 a.json ./traps' "$hocket" replay --break=7 a.json ./traps
expect 2 '--break: "soon" is not the number of a step' "$hocket" replay --break=soon a.json ./traps
expect 0 "$folder/a.json a.b true" "$hocket" replay --break a.json ./tells_too
# A page replaces no file of another kind.
for kept in a.json traps; do
  cp $kept kept_copy
  expect 2 "$kept is another file than a page, and stays; name another place with -o" "$hocket" report a.json -o $kept
  cmp -s $kept kept_copy || fail "$kept should stay"
done
# Nor does a report.
for kept in a.json passes; do
  cp $kept kept_copy
  expect 2 "$kept is another file than a report, and stays; name another file" "$hocket" run ./passes --report $kept
  cmp -s $kept kept_copy || fail "$kept should stay"
done
cp a.json kept_copy
expect 2 'a.json is another file than a report' "$hocket" replay a.json ./runs_clean --report a.json
cmp -s a.json kept_copy || fail "a.json should stay"
mkfifo pipe
cat pipe >from_pipe &
expect 0 'The page is pipe' "$hocket" report a.json -o pipe
wait
[[ -p pipe ]] && grep -q 'it broke' from_pipe || fail "a pipe should stay one, and get the page"
rm pipe from_pipe
# Nor does it have lines of files that somebody else names.
cp a.json lies.json
sed -i 's/"[A-Za-z_]*\.[ch]pp:/".env:/' lies.json
echo 'SECRET=1' >.env
expect 0 'It has no source lines: add --binary PROGRAM, or --sources FOLDER' "$hocket" report lies.json -o lies.html
expect 0 'The page is lies.html' "$hocket" report lies.json -o lies.html --sources .
! grep -q 'SECRET' lies.html || fail "a page has lines of .env"
rm -f .env lies.json lies.html kept_copy
# What cannot be written is no success.
for command in 'show a.json' 'show --json a.json' 'show --markdown a.json' 'export --as sarif a.json' 'export --as dot a.json' \
  '--help' '--version' '--manual' '--completion bash' 'run --help' 'report a.json -o full.html'; do
  output=$("$hocket" $command 2>&1 >/dev/full)
  [[ $? == 2 && $output == *'hocket: the output could not be written; write it to a place that has room'* ]] ||
    fail "hocket $command >/dev/full should say so, with status 2: $output"
done
# hocket gdb: what gdb is called with.
mkdir gdb_here
printf '#!/bin/sh\nprintf "%%s\\n" "$HOCKET_REPLAY $HOCKET_TEST $HOCKET_BREAK" "$@"\n' >gdb_here/gdb
chmod +x gdb_here/gdb
expect 0 "$folder/a.json a.b on" env "PATH=$PWD/gdb_here:$PATH" "$hocket" gdb a.json ./traps
expect 0 "$folder/a.json a.b 5" env "PATH=$PWD/gdb_here:$PATH" "$hocket" gdb --step 5 a.json ./traps -- --flag 'two words'
output=$(PATH=$PWD/gdb_here:$PATH "$hocket" gdb a.json ./traps -- --flag 'two words')
[[ $output == *'/gdb/hocket.py'*$'\n--args\n./traps\n--flag\ntwo words' ]] || fail "should call gdb: $output"
expect 2 'hocket: cannot run gdb (No such file or directory); install it' env PATH=/no_such "$hocket" gdb a.json ./traps
expect 2 'hocket: there is no program ./no_such; check the path' "$hocket" gdb a.json ./no_such
# hocket vscode: what is in the file stays, to the last byte.
launch=.vscode/launch.json
adds() { # what the file was ('' for none), and text that it has to contain then
  rm -rf .vscode
  [[ -z $1 ]] || { mkdir .vscode && printf '%s' "$1" >$launch; }
  expect 0 "$launch has got the configuration \"hocket: a.b\"" "$hocket" vscode a.json ./traps -- --flag 'two words'
  [[ $(tr -d ' \n' <$launch) == *"$(tr -d ' \n' <<<"$2")"* ]] || fail "launch.json should have $2: $(<$launch)"
  cp $launch before
  expect 0 "$launch has the configuration" "$hocket" vscode a.json ./traps -- --flag 'two words'
  cmp -s before $launch || fail "a second time should change nothing: $(<$launch)"
  expect 2 "$launch has another configuration that is called \"hocket: a.b\", so nothing was changed" \
    "$hocket" vscode --step 5 a.json ./traps
  cmp -s before $launch || fail "another configuration should stay: $(<$launch)"
}
adds '' '{"version":"0.2.0","configurations":[{"name":"hocket: a.b","type":"cppdbg","request":"launch",'
grep -q '"program": "'"$folder"'/traps"' $launch || fail "should name the program: $(<$launch)"
[[ $(tr -d ' \n' <$launch) == *'"args":["--flag","twowords"]'* ]] || fail "should pass the arguments: $(<$launch)"
[[ $(tr -d ' \n' <$launch) == *'{"name":"HOCKET_REPLAY","value":"'"$folder/a.json"'"}'*'{"name":"HOCKET_BREAK","value":"on"}'* ]] ||
  fail "should set the variables: $(<$launch)"
grep -q 'source .*/gdb/hocket.py"' $launch || fail "should load the script: $(<$launch)"
adds '{}' '"configurations": [{"name": "hocket: a.b"'
adds '{"configurations": []}' '[{"name": "hocket: a.b"'
adds '{"configurations": [{"name": "mine", "args": ["]"]}]}' '[{"name": "mine", "args": ["]"]}, {"name": "hocket: a.b"'
adds '{
  // "configurations": [
  "inputs": [["configurations"]],
  "configurations": [
    {"name": "mine \"", "x": "/* } */"}, // the last
  ],
}' '"inputs": [["configurations"]],
  "configurations": [
    {"name": "mine \"", "x": "/* } */"}, // the last
    {"name": "hocket: a.b"'
adds '{"configurations": [
    {"name": "mine"} // the last
  ]}' '[{"name": "mine"}, // the last
  {"name": "hocket: a.b"'
grep -q '^    {$' $launch || fail "should be indented as its neighbour is: $(<$launch)"
for broken in '{' '[]' '{"configurations": {}}' 'no'; do
  printf '%s' "$broken" >$launch
  expect 2 "so nothing was changed; mend it, or move it away" "$hocket" vscode a.json ./traps
  [[ $(<$launch) == "$broken" ]] || fail "$broken should stay: $(<$launch)"
done
rm $launch && mkdir $launch
expect 2 "$launch cannot be read, so nothing was changed" "$hocket" vscode a.json ./traps
rm -r $launch && mkfifo $launch
expect 2 "$launch cannot be read, so nothing was changed" timeout 10 "$hocket" vscode a.json ./traps
rm $launch && ln -s elsewhere.json $launch
expect 2 "$launch is a link to a file that is not there, so nothing was changed" "$hocket" vscode a.json ./traps
echo '{}' >.vscode/elsewhere.json
expect 0 "$launch has got the configuration" "$hocket" vscode a.json ./traps
[[ -L $launch ]] && grep -q a.b .vscode/elsewhere.json || fail "the file behind a link should be changed"
rm -r .vscode
sed 's/"a\.b"/"${command:workbench.action.tasks.build}"/' a.json >evil.json
expect 2 'contains ${, which VS Code would replace by what it names, so nothing was changed' "$hocket" vscode evil.json ./traps
cp a.json '${env:HOME}.json'
expect 2 'contains ${, which VS Code' "$hocket" vscode '${env:HOME}.json' ./traps
rm '${env:HOME}.json' evil.json
# Twelve at once: each gets its entry.
for n in {1..12}; do sed 's/"a\.b"/"a.b'"$n"'"/' a.json >"many$n.json"; done
for n in {1..12}; do "$hocket" vscode "many$n.json" ./traps >/dev/null & done
wait
for n in {1..12}; do grep -q "\"hocket: a.b$n\"" $launch || fail "$launch lacks a.b$n"; done
rm -r .vscode many*.json
expect 0 'the configuration "hocket: a.b"; press F5' "$hocket" vscode --debugger lldb --step 5 a.json ./traps
grep -q 'command script import .*/lldb/hocket.py' $launch || fail "should load the script of LLDB: $(<$launch)"
grep -q '"HOCKET_BREAK": "5"' $launch || fail "should stop before the step: $(<$launch)"
expect 2 'hocket: there is no program ./no_such; check the path' "$hocket" vscode a.json ./no_such

program exits_again 'report "did not end"' 'exit 1'
program exits_otherwise 'report "did not end"' 'exit 0'
expect 1 'hocket: ./exits_again ended with status 1 in the middle of the replay: the failure came again' \
  "$hocket" replay exit.json ./exits_again
expect 2 'hocket: ./exits_otherwise ended with status 0 in the middle of the replay' \
  "$hocket" replay exit.json ./exits_otherwise
expect 2 'hocket: ./exits_again ended with status 1 in the middle of the replay' "$hocket" replay a.json ./exits_again
expect 2 'hocket: b.json: there is no such file; check the path' "$hocket" replay b.json ./runs_clean
expect 2 'hocket: cannot run ./no_such (No such file or directory); check the path' "$hocket" replay a.json ./no_such
echo '{' >bad.json
expect 2 'hocket: bad.json: line 2: the file ends in the middle; get another copy of it, or run the search again' \
  "$hocket" replay bad.json ./runs_clean
[[ $(cat bad.json) == '{' ]] || fail "a bad file was written to"

# --- show
expect 0 'step  main
   1  mutex.lock m  a.cpp:1
      FAILS: it broke' "$hocket" show a.json
expect 0 $'\x1b[31mFAILS: it broke\x1b[0m' "$hocket" show --color always a.json
[[ $("$hocket" show a.json) != *$'\x1b'* ]] || fail "colour without a terminal"
expect 2 'hocket: bad.json: line 2: the file ends in the middle' "$hocket" show bad.json
expect 2 'hocket: --color: blue not in {auto,always,never}' "$hocket" show a.json --color blue
expect 2 'hocket: FILE is required' "$hocket" show

if [[ $failures -ne 0 ]]; then
  printf '%d failures\n' "$failures" >&2
  exit 1
fi
echo "The hocket command does as it should."
