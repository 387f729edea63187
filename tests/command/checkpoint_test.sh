#!/usr/bin/env bash
# Searches that go on after their process has ended: hocket run --checkpoint, hocket resume.
# Usage: checkpoint_test.sh HOCKET PROGRAM [KILLS]
#   PROGRAM: what shards_program.cpp makes; KILLS: how often a search is killed, 10 if left out
set -u
hocket=$(realpath "$1") program=$(realpath "$2") kills=${3:-10}
simulate=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../tools/simulate-machines")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
export TMPDIR=$folder/temporary
mkdir "$TMPDIR"
ln -s "$program" sought
# The same, which notes which part it is asked for.
printf '#!/bin/sh\necho "$HOCKET_SHARD" >>"%s/begun"\nexec "%s" "$@"\n' "$folder" "$program" >counted
chmod +x counted

passes=(--test '*Passes' ./sought)
fails=(--test '*OfATestThatFails' ./sought)
endless=(--preemptions unbounded --parts 16 --test '*OfALongSearch' ./counted)

# contents FOLDER: what a folder of a search has that must not be lost.
contents() { (cd "$1" && find . -path ./work -prune -o -name lock -o -type f -print0 | sort -z | xargs -0 sha256sum) 2>&1; }

# refused FOLDER WORDS COMMAND...: ends with status 2 and one sentence with the words, and the folder stays as it is.
refused() {
  local kept=$1 words=$2 before
  shift 2
  before=$(contents "$kept")
  ends 2 refused.log "$@"
  has refused.log "$words"
  [[ $(wc -l <refused.log) -eq 1 ]] || fail "should be one sentence: $*: $(<refused.log)"
  diff <(echo "$before") <(contents "$kept") >&2 || fail "$kept should stay as it is: $*"
}

# said LOG: what is said of the search, without its time and how it is repeated.
said() { grep -vE '^(\[|Note: Google|hocket: |$)' "$1" | sed 's/, in .*//'; }
# kept FOLDER: the numbers of the parts that are kept.
kept() { (cd "$1" && ls part-*.jsonl 2>/dev/null | tr -dc '0-9\n' | sort -n); }
# lines FILE: how many it has; 0 if it is not there.
lines() { cat "$1" 2>/dev/null | wc -l; }
# until_begun N COMMAND: until so many parts were begun in all, or the process has ended.
until_begun() { while (($(lines begun) < $1)) && kill -0 "$2" 2>/dev/null; do sleep 0.01; done; }
# are_gone: whether no process is left that was started here; until_gone: until it is so.
are_gone() { ! (cd / && find /proc -maxdepth 2 -name cwd -lname "$folder" 2>/dev/null | grep -qv "/$$/"); }
until_gone() { until are_gone; do sleep 0.02; done; }

# What many parts say together is what one process says, whichever of them was asked for when.
ends 0 whole.log "$hocket" run --strategy icb --report whole.json "${passes[@]}"
for jobs in 1 3; do
  ends 0 "kept-$jobs.log" "$hocket" run --checkpoint "kept-$jobs" --parts 7 -j $jobs --strategy icb --report "kept-$jobs.json" "${passes[@]}"
  diff <(numbers whole.json) <(numbers "kept-$jobs.json") >&2 || fail "the parts should run what one process runs"
  diff <(said whole.log) <(said "kept-$jobs.log") >&2 || fail "the parts should say what one process says"
done
ends 0 again.log "$hocket" resume --report again.json kept-3
diff again.log kept-3.log >&2 || fail "a search that has ended should say the same again"
cmp again.json kept-3.json || fail "its report should be the same again"
ends 0 again.log "$hocket" run --checkpoint kept-3 -j 2 --strategy icb "${passes[@]}"
diff again.log kept-3.log >&2 || fail "and so should the command that has begun it"
[[ $(kept kept-3 | wc -l) -eq 7 && -z $(ls -A "$TMPDIR") ]] || fail "should have 7 parts and no other files: $(ls kept-3 "$TMPDIR")"
ends 0 simulated.log "$simulate" kept-1
[[ $(awk 'NR > 1 && $1 <= 4 && $2 > 0 && $4 > 0 && $4 <= 1' simulated.log | wc -l) -eq 3 ]] || fail "should be of 1, 2 and 4 jobs: $(<simulated.log)"
ends 2 simulated.log "$simulate" nowhere
ends 0 auto.log "$hocket" run --checkpoint kept-auto --parts 3 "${passes[@]}"
has auto.log 'hocket: a search with a checkpoint is one with icb, which can take longer than the default strategy'

# On another machine a part has another current folder and other variables.
printf '#!/bin/sh\necho >>"%s/launched"\ncd /\nexec env -i PATH="$PATH" "$@"\n' "$folder" >far_away
printf '#!/bin/sh\necho no such machine >&2\nexit 255\n' >nowhere
chmod +x far_away nowhere
far=(run --checkpoint far --parts 7 --jobs 2 --strategy icb --report far.json)
ends 2 far.log "$hocket" "${far[@]}" --launch "$folder/nowhere" "${passes[@]}"
has far.log 'no such machine'
for nothing in true false; do
  ends 2 far.log "$hocket" "${far[@]}" --launch $nothing "${passes[@]}"
  has far.log "hocket: \"$nothing\" ended with status $([[ $nothing == true ]]; echo $?) and has not run part 1"
done
[[ -z $(kept far) ]] || fail "a part that was not run is kept"
ends 2 far.log "$hocket" "${far[@]}" --launch 'true; env' "${passes[@]}"
has far.log '--launch takes one command with its options'
ends 0 far.log "$hocket" "${far[@]}" --launch "$folder/far_away" "${passes[@]}"
diff <(numbers whole.json) <(numbers far.json) >&2 || fail "parts on other machines should run what one process runs"
diff <(said whole.log) <(said far.log) >&2 || fail "parts on other machines should say what one process says"
[[ $(lines launched) -eq 7 ]] || fail "each part should be launched once: $(lines launched)"
ends 1 far.log "$hocket" run --checkpoint far-failure --parts 7 --launch "$folder/far_away" "${fails[@]}"
has far.log 'The schedule is saved in'
[[ $(find . -maxdepth 1 -name '*.schedule.json' | wc -l) -eq 1 ]] || fail "a failure far away should be saved here"
rm -- *.schedule.json
ends 2 far.log "$hocket" run --jobs 2 --launch "$folder/far_away" "${passes[@]}"
has far.log '--launch needs --checkpoint=DIR'

# A search that is killed again and again, with the processes that it has started and without them.
search=(--strategy icb --preemptions 3 --test '*OfALongSearch' ./counted)
ends 0 one.log "$hocket" run --report one.json "${search[@]}"
rm begun
go=(run --checkpoint killed --parts 40 --jobs 2 --report killed.json "${search[@]}")
next=$((RANDOM % 3 + 1))
for ((n = 0; n < kills; ++n)); do
  setsid "$hocket" "${go[@]}" >killed.log 2>&1 &
  command=$!
  until_begun $next $command
  sleep "0.0$((RANDOM % 40 + 10))"
  ((n % 2 == 0)) && kill -9 $command 2>/dev/null || kill -9 -- -$command 2>/dev/null
  wait $command 2>/dev/null
  until_gone
  kept killed >kept.txt
  ls -i killed/part-*.jsonl >inodes.txt 2>/dev/null
  begun=$(lines begun)
  next=$((begun + RANDOM % 5 + 2))
  go=(resume --jobs 2 --report killed.json killed)
  for ((wait = 0; wait < n % 2; ++wait)); do  # nothing is there to go on with: a file that was not yet whole
    touch killed/.hocket-999999999-1.tmp
  done
  [[ -e killed/search.jsonl ]] || go=(run --checkpoint killed --parts 40 --jobs 2 --report killed.json "${search[@]}")
  printf '%s\n' "$begun" >>kills.txt
  cp kept.txt "kept-at-$begun.txt" 2>/dev/null
done
ends 0 killed.log "$hocket" "${go[@]}"
while read -r begun; do
  tail -n +$((begun + 1)) begun | sed 's,/.*,,' | sort | comm -12 - <(sort "kept-at-$begun.txt") >twice.txt
  [[ ! -s twice.txt ]] || fail "these parts were kept, and should not be run again: $(<twice.txt)"
done <kills.txt
ls -i killed/part-*.jsonl | comm -13 <(ls -i killed/part-*.jsonl | sort) <(sort inodes.txt) >changed.txt
[[ ! -s changed.txt ]] || fail "files that were kept should stay: $(<changed.txt)"
(($(lines begun) <= 40 + 2 * kills)) || fail "should run nothing twice but the two parts that ran: $(lines begun) runs, $kills kills"
diff <(numbers one.json) <(numbers killed.json) >&2 || fail "should run what one process runs"
diff <(said one.log) <(said killed.log) >&2 || fail "should say what one process says"
[[ -z $(find killed -name '.hocket-*' -o -path 'killed/work/*' -type d) ]] || fail "files are left: $(find killed)"

# Failures, also those of a body that ends its process.
ends 1 failing.log "$hocket" run --checkpoint failing --parts 6 --strategy icb --out saved --report failing.json "${fails[@]}"
for words in ': FAILED: ' 'Without this preemption the test passes: ' 'FAILS: an increment is lost' ' 1 failed; the first failure again:'; do
  has failing.log "$words"
done
[[ $(ls saved | wc -l) -eq 1 ]] || fail "should be saved once: $(ls saved)"
cp saved/* saved.json
rm -r saved
ends 1 again.log "$hocket" resume --report again.json failing
diff again.log failing.log >&2 || fail "a search that has failed should say the same again"
cmp again.json failing.json || fail "its report should be the same again"
cmp saved/* saved.json || fail "the schedule should be written again"
cp -r failing told
rm told/part-3.jsonl
ends 1 told.log "$hocket" resume told
grep -qF '"stopped_by":"a failure that another job has found"' told/part-3.jsonl || fail "a part that is run again should stop where others have failed"
ends 1 replayed.log bash -c "$(tail -1 again.log)"
for kill in 1 2 3 4; do
  rm -rf saved least begun
  go=(run --checkpoint least --parts 12 --jobs 2 --strategy icb --out saved --test '*TwoFailures' ./counted)
  "$hocket" "${go[@]}" >least.log 2>&1 &
  command=$!
  until_begun $((kill * 2)) $command
  # The last two times when a part has failed, which is not kept yet.
  ((kill < 3)) || while kill -0 $command 2>/dev/null && [[ ! -e saved/Jobs.OfTwoFailures.schedule.json ]]; do :; done
  kill -9 $command 2>/dev/null
  wait $command 2>/dev/null
  until_gone
  ends 1 least.log "$hocket" "${go[@]}"
  has least.log 'check failed: it needs one preemption'
  (($(ls saved | wc -l) <= 4)) || fail "should be two failures, and those of the two parts that were killed: $(ls saved)"
done
for signal in 11 9; do
  SIGNAL_OF_JOBS=$signal ends 1 death.log "$hocket" run --checkpoint "death-$signal" --parts 4 -j 2 --out "deaths-$signal" --html pages --test '*OfADeath' ./sought
  has death.log 'Found with 1 preemption '
  has death.log "The pages are listed in $folder/pages/index.html"
  ends 1 again.log "$hocket" resume "death-$signal"
  has again.log 'Found with 1 preemption '
done
JOBS_FAIL=1 ends 1 plain.log "$hocket" run --checkpoint plain --parts 3 --test '*Passes:JobsPlain.*' ./sought
ends 1 again.log "$hocket" resume plain
diff again.log <(grep -v 'a search with a checkpoint is' plain.log) >&2 || fail "what only the output of a program says should be said again"
[[ $(grep -c 'JobsPlain.IsNoSearch (' again.log) -eq 1 ]] || fail "should show the test that fails once: $(<again.log)"

# What ends a run on purpose. It says what is known, and how to go on.
for signal in INT TERM HUP; do
  rm -rf begun stopped
  env --default-signal=INT,HUP "$hocket" run --checkpoint stopped -j 2 --report stopped.json "${endless[@]}" >stopped.log 2>&1 &
  command=$!
  until_begun 2 $command
  until grep -q 'did not end' stopped/work/*/*/report.json 2>/dev/null; do sleep 0.02; done
  kill -$signal $command
  wait $command
  status=$?
  [[ $status -eq 3 ]] || fail "should end with 3 after $signal, and not with $status: $(<stopped.log)"
  has stopped.log "stopped by $([[ $signal == INT ]] && echo Ctrl-C || echo SIG$signal) before everything was covered"
  has stopped.json '"verdict": "stopped"'
  [[ $(tail -1 stopped.log) == "hocket: 0 of 16 parts are done; to go on: "*" resume stopped" ]] || fail "should say how to go on: $(<stopped.log)"
  has_not stopped.log 'was ended by'
  until_gone
done
rm begun
"$hocket" resume -j 2 stopped >orphans.log 2>&1 &
command=$!
until_begun 2 $command
until grep -q 'did not end' stopped/work/*/*/report.json 2>/dev/null; do sleep 0.02; done
kill -9 $command
wait $command 2>/dev/null
for _ in {1..600}; do are_gone && break; sleep 0.1; done
are_gone || fail "processes that search without end should end with the one that has started them"
rm begun
ends 3 again.log bash -c "$(sed -n 's/.*to go on: //p' stopped.log) --time 300ms --jobs 3"
has again.log 'stopped by the time limit of 300 ms before everything was covered'
[[ $(sort -u begun | wc -l) -eq 3 ]] || fail "should run three parts: $(<begun)"
ends 3 time.log "$hocket" run --checkpoint stopped --time 0.2 "${endless[@]}"
ends 0 bound.log "$hocket" run --checkpoint bound --parts 3 --time 1h --report bound.json --strategy icb "${passes[@]}"
diff <(numbers whole.json) <(numbers bound.json) >&2 || fail "a time should not change what is searched"
ends 0 sample.log "$hocket" run --checkpoint sample --parts 5 --strategy random --executions 52 --report sample.json "${passes[@]}"
has sample.json '"executions": 52'

# Two at a time.
rm -f begun
"$hocket" run --checkpoint busy -j 2 "${endless[@]}" >busy.log 2>&1 &
command=$!
until_begun 2 $command
refused busy 'busy is in use: another process searches there; ' "$hocket" resume busy
refused busy 'busy is in use: another process searches there; ' "$hocket" run --checkpoint busy "${endless[@]}"
kill -TERM $command
wait $command
until_gone

# Damaged files, and those of others.
damage() { rm -rf damaged && cp -r kept-3 damaged; }
damage
truncate -s -1 damaged/part-2.jsonl
refused damaged 'damaged/part-2.jsonl is damaged, or no file of a checkpoint; move it away, and that part is run again' "$hocket" resume damaged
rm damaged/part-2.jsonl
ends 0 mended.log "$hocket" resume damaged
diff <(said mended.log) <(said whole.log) >&2 || fail "the part should have been run again"
for change in 's/"executions":\([0-9]*\)/"executions":1\1/' '1s/^/ /' '2d' '1d' 's/.*//'; do
  damage
  sed -i "$change" damaged/part-5.jsonl
  refused damaged 'damaged/part-5.jsonl is damaged, or no file of a checkpoint; ' "$hocket" resume damaged
  refused damaged 'damaged/part-5.jsonl is damaged, or no file of a checkpoint; ' "$hocket" run --checkpoint damaged --strategy icb "${passes[@]}"
done
damage
: >damaged/part-1.jsonl
refused damaged 'damaged/part-1.jsonl is damaged, or no file of a checkpoint; ' "$hocket" resume damaged
damage
mv damaged/part-1.jsonl damaged/part-3.jsonl
refused damaged 'damaged/part-3.jsonl is of another search, or another part of it; ' "$hocket" resume damaged
cp failing/part-3.jsonl damaged/
refused damaged 'damaged/part-3.jsonl is of another search, or another part of it; ' "$hocket" resume damaged
cp failing/part-3.jsonl damaged/part-8.jsonl
refused damaged 'damaged/part-8.jsonl is of another search; ' "$hocket" resume damaged
damage
cp damaged/search.jsonl damaged/part-4.jsonl
refused damaged 'damaged/part-4.jsonl is no file of a checkpoint; ' "$hocket" resume damaged
damage
echo dear >damaged/letter.txt
refused damaged 'damaged/letter.txt is no file of a checkpoint; move it to another folder' "$hocket" resume damaged
damage
truncate -s 100 damaged/search.jsonl
refused damaged 'damaged/search.jsonl is damaged, or no file of a checkpoint; begin anew in another folder' "$hocket" resume damaged
refused damaged 'damaged/search.jsonl is damaged, ' "$hocket" run --checkpoint damaged "${passes[@]}"
rm damaged/search.jsonl
refused damaged 'damaged has no search to go on with: ' "$hocket" resume damaged
refused damaged 'and no search; name a folder that is empty, or not there' "$hocket" run --checkpoint damaged "${passes[@]}"
refused temporary 'none has no search to go on with: ' "$hocket" resume none
refused temporary 'saved.json cannot be made a folder ' "$hocket" run --checkpoint saved.json "${passes[@]}"

# Another build, and another search.
cp "$program" built
ends 0 built.log "$hocket" run --checkpoint of-build --parts 3 --test '*Passes' ./built
echo >>built
refused of-build "built is another build than the one that the search in of-build began with; begin anew in another folder" "$hocket" resume of-build
refused of-build "built is another build than the one that the search in of-build began with; " "$hocket" run --checkpoint of-build --test '*Passes' ./built
rm built
refused of-build '/built (No such file or directory); check the path' "$hocket" resume of-build
other=("$hocket" run --checkpoint kept-3)
refused kept-3 'kept-3 is of another search, with other options: see HOCKET_PREEMPTIONS in search.jsonl; ' "${other[@]}" --strategy icb --preemptions 1 "${passes[@]}"
refused kept-3 'kept-3 is of another search, with other options: see HOCKET_STRATEGY in search.jsonl; ' "${other[@]}" --strategy delay "${passes[@]}"
refused kept-3 'kept-3 is of another search, of other tests; ' "${other[@]}" --strategy icb ./sought
refused kept-3 'kept-3 is of another search, of the program ' "${other[@]}" --strategy icb --test '*Passes' ./counted
refused kept-3 'kept-3 is of another search, with other arguments; ' "${other[@]}" --strategy icb "${passes[@]}" -- --gtest_shuffle
refused kept-3 'kept-3 is of another search, in 7 parts; ' "${other[@]}" --parts 8 --strategy icb "${passes[@]}"

# From another folder the search goes on in its own, and its files are where they were asked for.
mkdir elsewhere
(cd elsewhere && ends 1 ../there.log "$hocket" resume --report there.json ../failing && cmp there.json ../failing.json) || fail "should go on from another folder: $(<there.log)"
has there.log "hocket: the search was begun in $folder, and goes on there"

# What cannot be kept.
refused temporary 'a search with cb-por cannot be split into parts; with auto, icb, ' "$hocket" run --checkpoint bad --strategy cb-por "${passes[@]}"
refused temporary '--checkpoint splits each search into parts itself; ' "$hocket" run --checkpoint bad --shard 1/2 "${passes[@]}"
refused temporary '--show-output is of one process; ' "$hocket" run --checkpoint bad --show-output "${passes[@]}"
refused temporary '--executions would stop each part early; ' "$hocket" run --checkpoint bad --executions 1000 "${passes[@]}"
refused temporary 'random draws schedules without end; say how many with --executions, 128 or more' "$hocket" run --checkpoint bad --strategy random "${passes[@]}"
refused temporary '--all-tests divides a time among tests, ' "$hocket" run --checkpoint bad --all-tests=1s "${passes[@]}"
refused temporary '--parts says how finely --checkpoint splits a search; give both' "$hocket" run --parts 5 "${passes[@]}"
refused temporary '--parts' "$hocket" run --checkpoint bad --parts 0 "${passes[@]}"
refused temporary 'cannot run ./none (No such file or directory); check the path' "$hocket" run --checkpoint bad ./none
refused temporary '/bin/true ran no search; ' "$hocket" run --checkpoint bad --strategy icb /bin/true
[[ -z $(ls -A bad 2>/dev/null) ]] || fail "what cannot be begun should leave nothing: $(ls -A bad)"

# A full disk.
mkdir full
fill='mount -t tmpfs -o size=256k none full || exit 99
  "$0" run --checkpoint full/kept --parts 40 --strategy icb --preemptions 3 --test "*OfALongSearch" ./sought >full.log 2>&1
  status=$?
  ls full/kept >full.txt
  mount -o remount,size=64m full && "$0" resume --report full.json full/kept >more.log 2>&1 || exit 98
  exit $status'
unshare --mount --map-root-user bash -c "$fill" "$hocket"
status=$?
if [[ $status -eq 99 || ! -e full.txt ]]; then
  echo "no file system can be mounted here: a full one is left out"
else
  [[ $status -eq 2 && $(wc -l <full.log) -eq 1 ]] || fail "should be one sentence, and end with 2, not $status: $(<full.log)"
  has full.log '(No space left on device); '
  has full.log ' resume full/kept'
  ! grep -q '\.tmp' full.txt || fail "files are left on a full disk: $(<full.txt)"
  diff <(numbers one.json) <(numbers full.json) >&2 || fail "should go on where there is room again: $(<more.log)"
fi

exit $((failures != 0))
