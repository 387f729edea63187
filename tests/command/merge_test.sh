#!/usr/bin/env bash
# Splits searches over several processes, and joins their reports with `hocket merge`.
# Usage: merge_test.sh HOCKET PROGRAM    the program that shards_program.cpp makes
set -u
hocket=$(realpath "$1") program=$(realpath "$2") documents=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../docs")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"

passes=(--test '*Passes' "$program")
fails=(--test '*Fails' "$program")

# refused WORDS COMMAND...: the command ends with status 2, and a sentence with the words.
refused() {
  local words=$1 output
  shift
  output=$("$@" 2>&1)
  [[ $? -eq 2 && $output == *"$words"* ]] || fail "should refuse with \"$words\": $*: $output"
}

"$hocket" run --strategy icb --report whole.json "${passes[@]}" >whole.log 2>&1 || fail "should pass: $(<whole.log)"
seq 3 | xargs -P 3 -I % "$hocket" run --shard %/3 --report shard-%.json "${passes[@]}" >shards.log 2>&1 ||
  fail "each shard should pass: $(<shards.log)"
has shards.log 'passed shard 2 of 3 of every schedule with at most 2 preemptions: '
has shards.log 'hocket merge joins the reports that --hocket_report=FILE writes'
"$hocket" merge shard-1.json shard-2.json shard-3.json -o merged.json >merged.log 2>&1 || fail "should pass: $(<merged.log)"
has merged.log ': passed every schedule with at most 2 preemptions: '
diff <(numbers whole.json) <(numbers merged.json) >&2 || fail "the shards should be the whole search"

# Without a bound.
seq 2 | xargs -P 2 -I % "$hocket" run --shard %/2 --preemptions unbounded --report all-%.json "${passes[@]}" >all.log 2>&1
"$hocket" merge all-1.json all-2.json >all.log 2>&1 || fail "should pass: $(<all.log)"
has all.log ': passed every schedule there is: '

# In another order, and a part of it only.
"$hocket" merge shard-3.json shard-1.json >partly.log 2>&1
[[ $? -eq 3 ]] || fail "should end with 3, as a shard is missing: $(<partly.log)"
has partly.log 'stopped by the lack of shard 2 before everything was covered'
has_not partly.log 'passed every schedule'

# One that was stopped.
"$hocket" run --shard 2/3 --executions 1 --report stopped.json "${passes[@]}" >stopped.log 2>&1
[[ $? -eq 3 ]] || fail "should be stopped: $(<stopped.log)"
"$hocket" merge shard-1.json stopped.json shard-3.json >partly.log 2>&1
[[ $? -eq 3 ]] || fail "should end with 3, as a shard was stopped: $(<partly.log)"
has partly.log 'stopped by the limit of 1 executions in shard 2 before everything was covered'

# A failure that only one of them has met, as the failures of the others are made up to be none.
for n in 1 2; do
  "$hocket" run --shard "$n/2" --report "failing-$n.json" "${fails[@]}" >"failing-$n.log" 2>&1
done
"$hocket" merge failing-1.json failing-2.json -o failing.json >failing.log 2>&1
[[ $? -eq 1 ]] || fail "should end with 1, as the test fails: $(<failing.log)"
has failing.log ': FAILED: '
grep -qE '^  shard [12]: ' failing.log || fail "should say which shard has met the failure: $(<failing.log)"
grep -q '"shard": [12]' failing.json || fail "the report should say so, too: $(<failing.json)"

# A body that has ended the process, with a handler of the signal and without.
for signal in 11 9; do
  for n in 1 2; do
    SIGNAL_OF_JOBS=$signal "$hocket" run --shard "$n/2" --report "death-$n.json" --out "death-$signal-$n" --test '*OfADeath' "$program" >death.log 2>&1
  done
  "$hocket" merge death-1.json death-2.json >death.log 2>&1
  [[ $? -eq 1 ]] || fail "should end with 1, as a shard has died: $(<death.log)"
  has death.log 'Jobs.OfADeath: FAILED: '
  has death.log "    $folder/death-$signal-"
done

# The bound rises for as long as there is time, as in a search that is not split.
seq 2 | xargs -P 2 -I % "$hocket" run --shard %/2 --time 3s --report long-%.json --test '*OfALongSearch' "$program" >long.log 2>&1 ||
  fail "each shard should pass: $(<long.log)"
"$hocket" merge long-1.json long-2.json >long.log 2>&1 || fail "should pass: $(<long.log)"
has long.log 'Jobs.OfALongSearch: passed every schedule with at most '

# Reports that do not fit together.
"$hocket" run --shard 2/3 --preemptions 1 --report other.json "${passes[@]}" >other.log 2>&1
refused 'with different options: ' "$hocket" merge shard-1.json other.json
for option in '--memory-model sc' '--stale 1'; do  # which matter only where an operation asks for less than seq_cst
  "$hocket" run --shard 2/3 $option --report other.json "${passes[@]}" >other.log 2>&1
  refused 'with different options: ' "$hocket" merge shard-1.json other.json
done
refused 'both have shard 1' "$hocket" merge shard-1.json shard-1.json
"$hocket" run --shard 2/4 --report four.json "${passes[@]}" >other.log 2>&1
refused 'into different numbers of shards' "$hocket" merge shard-1.json four.json
refused 'do not both have a shard of Shards.OfATestThatPasses; make both with --hocket_shard=1/N' "$hocket" merge shard-1.json whole.json
"$hocket" merge whole.json whole.json >unsplit.log 2>&1 || fail "should be what the one search says: $(<unsplit.log)"
grep -qx 'Shards.OfATestThatPasses: passed within the bound; it is not split' unsplit.log || fail "should say so in a line: $(<unsplit.log)"
refused 'cannot be read; ' "$hocket" merge no-such.json
head -c 300 shard-1.json >cut.json
refused 'is no report, or not whole; ' "$hocket" merge cut.json
sed 's/"executions": [0-9]*,/"executions": "many",/' shard-1.json >damaged.json
refused 'is damaged in the search of ' "$hocket" merge damaged.json
sed 's/"began_anew": \[\]/"began_anew": [7]/' shard-2.json >damaged.json
refused 'one of the reports is damaged: ' "$hocket" merge shard-1.json damaged.json shard-3.json
sed -E 's/"build_id": "[^"]*"/"build_id": "00"/' shard-2.json >rebuilt.json
refused 'of different builds of the program; ' "$hocket" merge shard-1.json rebuilt.json
grep -v '"build_id": ' shard-2.json >rebuilt.json
refused 'of different builds of the program; ' "$hocket" merge shard-1.json rebuilt.json
sed -E '/"classes": \[/,/\]/s/[0-9a-f]{9}"/"/' shard-2.json >damaged.json
! cmp -s shard-2.json damaged.json || fail 'the lists of classes are not where they were'
refused 'is damaged in the search of ' "$hocket" merge shard-1.json damaged.json shard-3.json
echo 'a letter' >letter.txt
refused 'is another file than a report, and stays; ' "$hocket" merge shard-1.json shard-2.json shard-3.json -o letter.txt
has letter.txt 'a letter'
sed 's/"began_anew": \[/"began_anew": ["a loop retries at x.cpp:1"/' shard-2.json >anew.json
"$hocket" merge shard-1.json anew.json shard-3.json >anew.log 2>&1
[[ $? -eq 3 ]] || fail "should end with 3, as one shard has taken other steps: $(<anew.log)"
has anew.log 'stopped by a loop retries at x.cpp:1, which shard 2 has met and shard 1 has not, before'

# What says which part this is.
refused '"0/3" ' "$hocket" run --shard 0/3 "${passes[@]}"
refused '"4/3" ' "$hocket" run --shard 4/3 "${passes[@]}"
refused '"half" is no part of a search; write 2/5' "$hocket" run --shard half "${passes[@]}"
refused 'none is set: ' env -u CI_NODE_INDEX -u CIRCLE_NODE_INDEX -u SLURM_ARRAY_TASK_ID "$hocket" run --shard auto "${passes[@]}"
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=5 "$hocket" run --shard auto "${passes[@]}" >auto.log 2>&1
has auto.log 'passed shard 2 of 3 of '
CI_NODE_INDEX=3 CI_NODE_TOTAL=3 "$hocket" run --shard auto "${passes[@]}" >auto.log 2>&1
has auto.log 'passed shard 3 of 3 of '
if command -v parallel >/dev/null; then
  mkdir parallel
  line=$(grep '^parallel ' "$documents/scaling.md")
  line=${line/hocket/$hocket} line=${line/build\/tests/--test \'*Passes\' $program}
  (cd parallel && HOME=$PWD bash -c "$line" >../parallel.log 2>&1) || fail "the line of the page should run the shards: $(<parallel.log)"
  "$hocket" merge parallel/shard-*.json -o parallel.json >parallel.log 2>&1
  diff <(numbers whole.json) <(numbers parallel.json) >&2 || fail "they should run what one process runs: $(<parallel.log)"
else
  echo "GNU parallel is not installed: it is left out"
fi
JOB_COMPLETION_INDEX=1 "$hocket" run --shard auto/3 "${passes[@]}" >auto.log 2>&1
has auto.log 'passed shard 2 of 3 of '
refused '"auto" is not known here: JOB_COMPLETION_INDEX does not say how many jobs there are; write auto/5' \
  env JOB_COMPLETION_INDEX=1 "$hocket" run --shard auto "${passes[@]}"
refused '"3" is not a number from 0 to 2' env JOB_COMPLETION_INDEX=3 "$hocket" run --shard auto/3 "${passes[@]}"
refused "a search with cb-por cannot be split into shards; with " "$hocket" run --shard 1/2 --strategy cb-por "${passes[@]}"

exit $((failures != 0))
