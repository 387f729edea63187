#!/usr/bin/env bash
# Tests what a test program does with flags, variables and Ctrl-C, and that `hocket run`, the manual page and
# docs/options.md have its flags.
# Usage: flags_test.sh PATH_OF_PROGRAM PATH_OF_OPTIONS_PAGE [PATH_OF_HOCKET]
set -u
program=$(realpath "$1")
page=$(realpath "$2")
hocket=${3:+$(realpath "$3")}
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"

# refuses TEXT COMMAND...: it ends with status 2 and one line, in which the text is, and runs no test.
refuses() {
  local text=$1 status output
  shift
  output=$("$@" 2>&1)
  status=$?
  [[ $status -eq 2 ]] || fail "status $status instead of 2: $*: $output"
  [[ $output == *"$text"* ]] || fail "should print \"$text\": $*: $output"
  [[ $(wc -l <<<"$output") -eq 1 ]] || fail "should print one line: $*: $output"
}

refuses 'there is no flag --hocket_stratgy; did you mean --hocket_strategy? --help lists the flags' "$program" --hocket_stratgy=icb
refuses 'there is no flag --hocket-strategy; did you mean --hocket_strategy?' "$program" --hocket-strategy=icb
refuses 'there is no flag --hocket-pct-depth; did you mean --hocket_pct_depth?' "$program" --hocket-pct-depth 3
refuses 'there is no flag -hocket_time; did you mean --hocket_time?' "$program" -hocket_time=1s
refuses 'there is no flag --Hocket_fair; did you mean --hocket_fair?' "$program" --Hocket_fair
refuses 'there is no flag --hocket_luck; --help lists the flags' "$program" --hocket_luck
refuses 'there is no strategy "foo"' "$program" --hocket_strategy=foo
refuses 'there is no strategy "foo"' env HOCKET_STRATEGY=foo "$program"
refuses '--hocket_steps: "0" is not a number from 1 to 1048575' "$program" --hocket_steps=0
refuses 'stack_size is 1024' "$program" --hocket_stack=1K
refuses 'pct_depth is 2000' "$program" --hocket_pct_depth=2000
refuses 'cb-por cannot search fairly' "$program" --hocket_strategy=cb-por --hocket_fair
refuses '--hocket_time: "soon" is not a duration' "$program" --hocket_time=soon
refuses 'HOCKET_TIME: "soon" is not a duration' env HOCKET_TIME=soon "$program"
refuses '--hocket_preemptions: "few" is not a number of preemptions' "$program" --hocket_preemptions=few
refuses '--hocket_executions: "many" is not a number' "$program" --hocket_executions=many
refuses 'HOCKET_FAIR: "maybe" is neither true nor false' env HOCKET_FAIR=maybe "$program"
refuses 'there is no detector "luck"' "$program" --hocket_detect=luck
refuses '--hocket_seal: "a,,b" has a pattern that is empty; write parts of names of functions or files' "$program" --hocket_seal=a,,b
refuses 'dpor cannot leave out the preemptions of some code' "$program" --hocket_strategy=dpor --hocket_open=a
refuses 'nothing.json' "$program" --hocket_replay=nothing.json

printf 'race:known\n' >known.supp
printf '# known\n\nrace:a\nrase:b\n' >bad.supp
printf 'race:\n' >empty.supp
refuses 'hocket: --hocket_suppressions: bad.supp:4: "rase:b" is no suppression; write race:,' "$program" --hocket_suppressions=bad.supp
refuses 'hocket: --hocket_suppressions: empty.supp:1: "race:" is no suppression' "$program" --hocket_suppressions=empty.supp
refuses 'hocket: HOCKET_SUPPRESSIONS: none.supp cannot be read' env HOCKET_SUPPRESSIONS=none.supp "$program"
refuses 'hocket: --hocket_suppressions: . cannot be read' "$program" --hocket_suppressions=.
if [[ $EUID -ne 0 ]]; then
  chmod 0 known.supp
  refuses 'known.supp cannot be read' "$program" --hocket_suppressions=known.supp
  chmod 600 known.supp
fi
printf 'called_from_lib:hocket_flags_program\n' >known.supp
output=$(FLAGS_RACE=1 "$program" --gtest_filter='Flags.Races*' --hocket_suppressions=known.supp 2>&1) ||
  fail "suppressions should be found from where the program was started: $output"
FLAGS_RACE=1 "$program" --gtest_filter='Flags.RacesThere' >/dev/null 2>&1 && fail 'should race without suppressions'

flags=$("$program" --help | grep -o -- '^ *--hocket_[a-z_]*' | tr -d ' ' | sort)
[[ $(wc -l <<<"$flags") -gt 20 ]] || fail "should list the flags: $flags"
rows=$(grep -o -- '^| `--hocket_[a-z_]*' "$page" | cut -c4- | sort)
[[ $flags == "$rows" ]] || fail "docs/options.md should list the flags: $(diff <(echo "$flags") <(echo "$rows"))"
for flag in $flags; do
  variable=${flag#--} variable=${variable^^}
  grep -q "^| \`$flag[=\`].*\`$variable[=\`]" "$page" || fail "docs/options.md should name $variable in the row of $flag"
done

if [[ -n $hocket ]]; then
  expected='search  Flags.ChecksAModel
search  Flags.DiesIfAsked
search  Flags.Endless
search  Flags.Last
search  Flags.Quick
search  Flags.RacesElsewhere
search  Flags.RacesThere
search  Flags.TakesTurns
test    Flags.SearchesNothing'
  # Also with a variable that would choose, and one that would end it.
  output=$(GTEST_FILTER=Flags.Last HOCKET_REPLAY=nothing.json "$hocket" list "$program" 2>&1) || fail "hocket list: $output"
  [[ $(sort <<<"$output") == "$expected" ]] || fail "hocket list should name every test: $output"
  for completion in bash zsh; do
    "$hocket" --completion "$completion" >"$completion" || fail "should print what $completion needs"
  done
  options=$("$hocket" run --help)
  manual=$("$hocket" --manual | sed 's/\\-/-/g; s/\\f[BIR]//g') || fail "should print the manual page"
  for flag in $flags; do
    variable=${flag#--}
    grep -q -- "^$flag.*, ${variable^^}$" <<<"$manual" || fail "the manual page should have $flag: $manual"
    case $flag in
      --hocket_replay | --hocket_break | --hocket_original | --hocket_minimize_file) continue ;;  # hocket replay, minimize
      --hocket_supervise) continue ;;                                                             # hocket run always does
    esac
    option=--${flag#--hocket_}
    grep -q -- "^ *\(-[a-z],\)\?${option//_/-} *[^a-z-]" <<<"$options" || fail "hocket run should have the option of $flag: $options"
    grep -q -- "'run -'.*[ ']${option//_/-}[ ']" bash || fail "bash should complete the option of $flag: $(<bash)"
    grep -q -- "'${option//_/-}=\?\[" zsh || fail "zsh should complete the option of $flag: $(<zsh)"
  done
fi

output=$(COLUMNS=200 HOCKET_STRATGY=random HOCKET_DIR=/x "$program" --gtest_filter=Flags.Quick 2>&1) || fail "a variable: $output"
[[ $output == *'warning: unknown environment variable HOCKET_STRATGY; did you mean HOCKET_STRATEGY? --help'* ]] ||
  fail "should warn of HOCKET_STRATGY: $output"
[[ $output != *HOCKET_DIR* ]] || fail "should not warn of HOCKET_DIR: $output"

output=$("$program" --gtest_filter=Flags.Quick --hocket_strategy=random --hocket_executions=7 2>&1) ||
  fail "flags: $output"
[[ $output == *'7 executions'* ]] || fail "should run 7 executions: $output"

output=$("$program" --gtest_filter=Flags.Quick --hocket_strategy=random --hocket_executions=9 --hocket_executions=7 2>&1) ||
  fail "flags: $output"
[[ $output == *'7 executions'* ]] || fail "the last of two values should count: $output"
output=$("$program" --help) || fail "--help: $output"
[[ $output == *'HOCKET_TEST'* ]] || fail "--help should name HOCKET_TEST: $output"

# The report as JSON: of a pass, a failure, and of a process that dies.
report() { # PATTERN..., in the report
  local text pattern
  text=$(tr -d ' \n' <report.json)
  for pattern; do [[ $text == *"$pattern"* ]] || fail "should be in the report: $pattern: $text"; done
}
dies=("$program" --gtest_filter=Flags.DiesIfAsked --hocket_report=report.json)
"${dies[@]}" --hocket_memory_model=sc >output 2>&1 || fail "passes: $(<output)"
report '"verdict":"passedexhaustively"' '"weaker_operations":[{"operation":"atomic.store","where":"program.cpp:' \
  '"order":"release"}' '"may_be_more_weaker_operations":false'
grep -q 'passed every schedule there is, all operations taken as seq_cst: 2 executions' output || fail "$(<output)"
grep -q '^Note: 2 operations weaker than seq_cst were explored as seq_cst: atomic.store at program.cpp:[0-9]* (release) and' \
  output || fail "should name the operations: $(<output)"
FLAGS_FAIL=1 "${dies[@]}" --hocket_strategy=delay >output 2>&1 && fail "should fail: $(<output)"
report '"verdict":"failed"' '"executions":2,' '"bound":1,"bound_unit":"delay"' '"schedule_file":"Flags.DiesIfAsked.schedule.json"'
grep -q 'Found with 1 delay after 1 execution. The one schedule with fewer delays passed.' output || fail "$(<output)"
rm -f ./*.schedule.json
FLAGS_CRASH=1 "${dies[@]}" >output 2>&1 && fail "should crash: $(<output)"
report '"test":"Flags.DiesIfAsked"' '"verdict":"failed"' '"executions":2,' '"classes":1,' \
  '"bounds":[{"executions":1,"classes":1,"failures":0,"complete":false}]' \
  '"failures":[{"kind":"signal","message":"maingotSIGABRTinanexecution"' '"bound":0,"bound_unit":"preemption"' \
  "\"executions\":1,\"schedule_file\":\"$folder/Flags.DiesIfAsked.schedule.json\"}]}]}"
FLAGS_CRASH=1 "${dies[@]}" --hocket_replay=Flags.DiesIfAsked.schedule.json >output 2>&1 && fail "should crash: $(<output)"
report '"verdict":"replayfailedagain"' '"kind":"signal"' '"schedule_file":"Flags.DiesIfAsked.schedule.json"'
rm -f ./*.schedule.json
FLAGS_WAIT=1 "${dies[@]}" --hocket_watchdog=100ms >output 2>&1 && fail "should wait for ever: $(<output)"
report '"verdict":"failed"' '"kind":"stuck","message":"mainhasrunfor100mswithoutreachinganoperation:itwaitsinpoll(),'
grep -q 'reaching an operation: it waits in poll()' Flags.DiesIfAsked.schedule.json || fail "$(<Flags.DiesIfAsked.schedule.json)"
rm -f ./*.schedule.json
FLAGS_CRASH=1 "${dies[@]}" >output 2>&1 && fail "should crash: $(<output)"
# The name of a test in a file is no pattern for GoogleTest.
for name in 'Flags.*' '*' 'Flags.Quick:Flags.DiesIfAsked' '-Flags.Last' ''; do
  sed "s/\"Flags.DiesIfAsked\"/\"$name\"/" Flags.DiesIfAsked.schedule.json >pattern.json
  refuses "pattern.json is a schedule of the test \"$name\", which this program does not have" \
    "$program" --hocket_replay=pattern.json
done
rm -f ./*.schedule.json

# A report replaces no file of another kind: nobody wants that, and one cannot take it back.
quick=("$program" --gtest_filter=Flags.Quick)
for kept in '{"hocket_schedule": 1}' '#!/bin/sh' $'\x7fELF'; do
  printf '%s' "$kept" >kept
  "${quick[@]}" --hocket_report=kept >output 2>&1 && fail "should not report into another file: $(<output)"
  grep -q 'kept is another file than a report, and stays; name another file' output || fail "$(<output)"
  [[ $(<kept) == "$kept" ]] || fail "the file should stay: $(<kept)"
done
: >kept
for _ in 1 2; do
  "${quick[@]}" --hocket_report=kept >output 2>&1 || fail "an empty file and an earlier report are replaced: $(<output)"
done
# A report is written again and again, which a pipe cannot take; nobody waits for one who reads there.
mkfifo pipe
"${quick[@]}" --hocket_report=pipe >output 2>&1 && fail "a report in a pipe should be refused: $(<output)"
grep -q 'the report cannot be written to the pipe .*pipe' output || fail "$(<output)"
# Shards of GoogleTest with one name for their reports: one file each.
for shard in 0 1 2; do
  GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=$shard "$program" --gtest_filter='Flags.Quick:Flags.Last:Flags.DiesIfAsked' \
    --hocket_report=sharded.json >"output$shard" 2>&1 &
done
wait
for shard in 1 2 3; do
  grep -q "the report of this shard is .*sharded.shard-$shard-of-3.json" "output$((shard - 1))" || fail "$(<"output$((shard - 1))")"
done
[[ $(cat sharded.shard-?-of-3.json | grep -c '"verdict": "passed') == 3 && ! -e sharded.json ]] ||
  fail "three shards should leave three searches: $(cat sharded*)"

if [[ -n ${hocket-} ]]; then
  GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=0 "$hocket" run "$program" --report run.json -- --gtest_filter='Flags.Quick:Flags.Last' >output 2>&1 ||
    fail "a shard should run: $(<output)"
  [[ $(grep -c 'the report of this shard is .*run.shard-1-of-2.json' output) == 1 && $(grep -c 'of this shard' output) == 1 ]] ||
    fail "the command should name the report once: $(<output)"
  GTEST_TOTAL_SHARDS=1 GTEST_SHARD_INDEX=0 "$program" --gtest_filter=Flags.Quick --hocket_report=one.json >output 2>&1
  ! grep -q 'of this shard' output || fail "one shard is none: $(<output)"
  grep -q '"verdict": "passed' run.shard-1-of-2.json || fail "the shard should leave its report: $(<output)"
fi

# The counts of a search that has run all.
"$program" --gtest_filter=Flags.Quick --hocket_report=report.json >output 2>&1 || fail "a quick test passes: $(<output)"
report '"executions":' '"dropped":0,"pruned":' '"failed_classes":0,"steps":' '"pending":0,"abandoned":0,"seconds":' '"failures":[]'

# A model takes the flags that are not about schedules, and is in the same report.
model=("$program" --gtest_filter=Flags.ChecksAModel --hocket_report=report.json)
"${model[@]}" >output 2>&1 || fail "a model passes: $(<output)"
report '"test":"Flags.ChecksAModel","strategy":"icb","verdict":"passedexhaustively","states":16,' \
  '"bounds":[{"states":12,"complete":true},{"states":4,"complete":true}]' '"members":["first","second"]' '"failures":[]'
FLAGS_FAIL=1 "${model[@]}" >output 2>&1 && fail "a model fails: $(<output)"
report '"verdict":"failed"' '"failures":[{"kind":"invariant","message":"holds()isfalse","steps":6,' \
  '"schedule_file":"Flags.ChecksAModel.schedule.json","bound":0,"bound_unit":"preemption"}]'
FLAGS_FAIL=1 "${model[@]}" --hocket_replay=Flags.ChecksAModel.schedule.json >output 2>&1 && fail "again: $(<output)"
report '"verdict":"replayfailedagain"'
"${model[@]}" --hocket_replay=Flags.ChecksAModel.schedule.json >output 2>&1 || fail "not again: $(<output)"
report '"verdict":"replayranclean"'
rm -f ./*.schedule.json
HOCKET_TEST=Flags.Quick "$program" --gtest_filter=Flags.ChecksAModel >output 2>&1
grep -q 'not searched: HOCKET_TEST asks for the test "Flags.Quick", and this is the test "Flags.ChecksAModel"' output ||
  fail "should not check a model that HOCKET_TEST does not ask for: $(<output)"

# A signal that asks for the end, once the second search runs.
set -m
interrupt() { # SIGNAL NAME
  local tries status output
  "$program" >output 2>&1 &
  for ((tries = 0; tries < 300; ++tries)); do
    grep -q 'RUN.*Flags.Endless' output && break
    sleep 0.1
  done
  sleep 0.3
  kill "-$1" $!
  wait $!
  status=$?
  output=$(<output)
  [[ $status -eq 3 ]] || fail "status $status instead of 3 after $2: $output"
  [[ $output == *"stopped by $2 before everything was covered"* ]] || fail "no report after $2: $output"
  [[ $output == *'SKIPPED ] Flags.Endless'* ]] || fail "the interrupted test should count as skipped: $output"
  [[ $output == *"not run after $2"* ]] || fail "the next test should say why it was not run: $output"
  [[ $output == *'SKIPPED ] Flags.Last'* ]] || fail "the next test should count as skipped: $output"
  [[ $output == *'SKIPPED ] Flags.SearchesNothing'* && $output != *'it searches nothing'* ]] ||
    fail "a test that searches nothing should be skipped, too: $output"
  [[ $output == *'OK ] Flags.Quick'* ]] || fail "the first test should have passed: $output"
}
# With a time and no bound, the bound rises; with both, it is the bound.
turns() { FLAGS_TURNS=1 "$program" --gtest_filter=Flags.TakesTurns --hocket_no_saved "$@" >output 2>&1; }
turns && [[ $(<output) == *'passed every schedule with at most 2 preemptions'* ]] || fail "without a time: $(<output)"
turns --hocket_time=20s && fail "the bound should rise with a time: $(<output)"
turns --hocket_time=20s --hocket_preemptions=2 || fail "the bound should be the one that was asked for: $(<output)"
turns --hocket_time=20s --hocket_require_bound || fail "the bound should be the one that is required: $(<output)"

interrupt INT Ctrl-C
interrupt TERM SIGTERM
interrupt HUP SIGHUP

((failures == 0)) && echo passed
exit $((failures != 0))
