#!/usr/bin/env bash
# What becomes of schedule files that somebody else has made, in the command and in a test program.
# Usage: strangers_test.sh PATH_OF_HOCKET PATH_OF_PROGRAM
set -u
hocket=$(realpath "$1")
program=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"
export LC_ALL=C.UTF-8

# replays FILE: follows the file, in the command and in the program. What is printed is in `output`.
replays() {
  { "$hocket" replay "$1" "$program"; "$program" --hocket_replay="$1"; } >output 2>&1 </dev/null
}
# everything FILE: all that is done with a file. What is printed is in `output`.
everything() {
  local file=$1 format
  {
    "$hocket" show --all "$file"
    "$hocket" show --json "$file"
    "$hocket" replay "$file" "$program"
    HOCKET_REPLAY=$file "$program"
    "$hocket" minimize --time 1s "$file" "$program"
    "$hocket" report -o page.html "$file"
    for format in markdown sarif trace shiviz dot; do "$hocket" export --as "$format" "$file"; done
    "$hocket" vscode "$file" "$program"
  } >output 2>&1 </dev/null
}
# is_printable FILE: no character of it commands a terminal, turns the direction of text, or is not UTF-8.
is_printable() {
  iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 &&
    ! grep -qP '[\x{0}-\x{8}\x{b}-\x{1f}\x{7f}-\x{9f}\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]' "$1"
}

"$program" --gtest_filter=Finds.AFailure >/dev/null 2>&1
real=Finds.AFailure.schedule.json
[[ -f $real ]] || { fail "there should be a file"; exit 1; }
everything "$real"
grep -q 'an update was lost' output || fail "a file as it was written should be shown: $(<output)"
is_printable output || fail "a file as it was written: $(cat -v output)"

# Each text of the file, in turn, has everything that a terminal or a reader could be misled by.
evil='\\u001b]0;title\\u0007\\u001b[2J\\u001b[31m\\u009b1m\\u0085\\u202egnp\\u2066\\u2028\\u2029\\u200e\\u061c\\u007f'
text='"([^"\\\\]|\\\\.)*"'  # of JSON
no_check='s|, "check": "[0-9a-f]*"||'
for field in test failure strategy; do sed -E "s~^(  \"$field\": )$text~\\1\"$evil\"~" "$real" >"in-$field.json"; done
for field in object at does; do sed -E "s~(\"$field\": )$text~\\1\"$evil\"~; $no_check" "$real" >"in-$field.json"; done
sed "s|\"thread 1\"|\"$evil\"|g; $no_check" "$real" >in-thread.json
sed -E "s|(\"notes\": \[)[^]]*|\\1\"$evil\"|; $no_check" "$real" >in-notes.json
sed -E "s|\"seed\"|\"$evil\"|" "$real" >in-name.json
for file in in-*.json; do
  [[ -s $file ]] && ! cmp -s "$file" "$real" || fail "$file should differ"
  replays "$file"
  is_printable output || fail "$file: $(cat -v output)"
done
sed -E "s/^(  \"(test|message|where|binary|build_id|strategy)\": )$text/\\1\"$evil\"/
  s/(\"(object|at|why|source|made at)\": )$text/\\1\"$evil\"/g; s/\"thread 1\"/\"$evil\"/g; $no_check" "$real" >all.json
"$hocket" show all.json >output || fail "this file should be read: $(cat -v output)"
everything all.json
is_printable output || fail "all.json: $(cat -v output)"

# The file names one test exactly, or none is run.
for name in '*' 'Finds.*' 'IsNone.*' 'IsNone.*:Finds.AFailure' '-Finds.ACrash' ''; do
  sed -E "s~^(  \"test\": )$text~\\1\"$name\"~" "$real" >named.json
  for command in "$hocket replay named.json $program" "$program --hocket_replay=named.json"; do
    $command >output 2>&1
    [[ $? -eq 2 ]] || fail "the test \"$name\" should be refused by $command: $(<output)"
    ! grep -q 'a test of GoogleTest alone has run\|an update was lost' output || fail "a test was run by $command for \"$name\": $(<output)"
  done
done

# What a plain test does is no replay.
sed -E "s~^(  \"test\": )$text~\\1\"IsNone.OfHocket\"~" "$real" >plain.json
for command in "$hocket replay plain.json $program" "$program --hocket_replay=plain.json"; do
  $command >output 2>&1
  [[ $? -eq 2 ]] || fail "nothing can be replayed by $command: $(<output)"
done

# Memory and output are bounded by the size of the file.
size=$((3 * 1000 * 1000))
{ sed '/"step": 2,/,$d' "$real" | sed '$s/, "check": "[0-9a-f]*"}.*/, "notes": [""/'; yes ',""' | head -n $((size / 3)) | tr -d '\n'; echo ']},'
  sed -n '/"step": 2,/,$p' "$real"; } >big-notes.json
sed -E "s~^(  \"message\": )$text~\\1\"@\"~" "$real" >frame
for what in 'x' '\\n' '\\u001b'; do
  { sed '/@/,$d' frame; printf '  "message": "'; yes "$what" | head -n $((size / ${#what})) | tr -d '\n'; printf '",\n'; sed '1,/@/d' frame; } >"big-message-${#what}.json"
done
for file in big-*.json; do
  bytes=$(stat -c %s "$file")
  [[ $bytes -gt 2000000 ]] || fail "$file should be big"
  for arguments in "show $file" "show --json $file" "replay $file $program"; do
    room=$((16 * bytes / 1024 + 100000))
    [[ $arguments != replay* ]] || room=unlimited  # a program reserves more addresses than it uses memory
    # shellcheck disable=SC2086
    (ulimit -v $room; "$hocket" $arguments >output 2>&1)
    status=$?
    [[ $status -le 2 ]] || fail "$arguments: status $status: $(head -c 500 output)"
    ! grep -q bad_alloc output || fail "$arguments takes too much memory"
    [[ $(stat -c %s output) -lt $((8 * bytes)) ]] || fail "$arguments prints $(stat -c %s output) bytes for $bytes"
  done
done

# Names of files are quoted in commands, and completing a file keeps its rights.
strange="it's \$(touch executed) \`x\` & a \"file\".json"
rm -f ./*.schedule.json
"$program" --gtest_filter=Finds.ACrash >/dev/null 2>&1
HOCKET_OUT=kept "$program" --gtest_filter=Finds.ACrash --gtest_filter=Finds.ACrash >/dev/null 2>&1
cp Finds.ACrash.schedule.json "$strange"
command=$("$hocket" show "$strange" | sed -n 's/^Replay it: hocket \(.*\) BINARY$/\1/p')
eval "\"$hocket\" $command \"$program\"" >output 2>&1
[[ $? -eq 1 && ! -e executed ]] || fail "the command should replay the file: $command: $(<output)"
sed -i 's/"complete": true/"complete": false/' Finds.ACrash.schedule.json
chmod 640 Finds.ACrash.schedule.json
"$hocket" replay Finds.ACrash.schedule.json "$program" >output 2>&1
[[ $(stat -c %a Finds.ACrash.schedule.json) == 640 ]] || fail "the file should keep its rights: $(ls -l)"

((failures == 0)) && echo passed
exit $((failures != 0))
