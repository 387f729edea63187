#!/usr/bin/env bash
# Runs hocket_tables with tiny limits, and compares docs/papers.md with what it writes. Usage: measuring_tools_test.sh TABLES
set -u
tables=$(realpath "$1")
project=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
. "$(dirname "${BASH_SOURCE[0]}")/../support/script_test.sh"

# expect STATUS TEXT COMMAND...: what the command ends with, and text that it prints to either stream.
expect() {
  local status=$1 text=$2 found output
  shift 2
  output=$("$@" 2>&1 </dev/null)
  found=$?
  [[ $found -eq $status ]] || fail "status $found instead of $status: $*: $output"
  [[ $output == *"$text"* ]] || fail "should print \"$text\": $*: $output"
}

# refuse TEXT COMMAND...: bad usage, told in one line.
refuse() {
  local text=$1
  shift
  expect 2 "$text" "$@"
  [[ $("$@" 2>&1 | wc -l) -eq 1 ]] || fail "should print one line: $*"
}

tiny=(--time-limit 100ms --max-bound 1 --sample bluetooth-driver)
expect 0 '## The samples' "$tables" samples --table characteristics "${tiny[@]}"
expect 0 'had to wait' "$tables" samples --table characteristics "${tiny[@]}"
expect 0 '| Bluetooth driver | looks before it counts |' "$tables" samples --table bugs "${tiny[@]}"
expect 0 '(100.0 %)' "$tables" samples --table coverage --time-limit 1m --sample file-system
expect 0 '| cb-por   |     1 |         62 |' "$tables" samples --table searches --time-limit 1m --max-bound 1 --sample bluetooth-driver
# Its numbers are counts, so they are those of the page.
"$tables" samples --table strategies --sample file-system --sample transaction-manager | grep -E '^\| (file|trans)' >strategies.md
[[ $(wc -l <strategies.md) -eq 5 ]] || fail 'there should be five bugs'
while read -r line; do
  tr -s ' ' <"$project/docs/tables.md" | grep -qxF "$line" || fail "docs/tables.md has another row: $line"
done < <(tr -s ' ' <strategies.md)
expect 0 '| bound | icb, size 3 | cb-por, size 3 |' "$tables" samples --table queue "${tiny[@]}"
# A search that its limit has stopped does not pass for a complete one.
expect 0 '| > ' "$tables" samples --table searches --time-limit 1ms --max-bound 4 --sample channel
expect 0 '> ' "$tables" samples --table coverage --time-limit 1ms --sample channel
for heading in 'The samples' 'Bugs by bound' 'Executions until a bug is found' 'The work-stealing queue' 'Coverage by bound' 'What searches cost'; do
  expect 0 "## $heading" "$tables" samples "${tiny[@]}"
done
expect 0 '--time-limit' "$tables" samples --help
expect 0 'samples' "$tables" --help
refuse 'hocket_tables: ' "$tables"
refuse 'hocket_tables: ' "$tables" no-such
refuse 'there is no table "no-such"; there are characteristics' "$tables" samples --table no-such
refuse 'there is no sample "no-such"; the samples are bluetooth-driver' "$tables" samples --sample no-such
refuse 'hocket_tables: ' "$tables" samples --time-limit 20
refuse 'hocket_tables: ' "$tables" samples --time-limit 0s
refuse 'hocket_tables: ' "$tables" samples --max-bound many

if command -v gnuplot >/dev/null; then
  expect 0 '| program          | icb | dfs | idfs | random |' "$tables" coverage --sample bluetooth-driver --executions 50 --out pictures/here
  [[ $(head -n 1 pictures/here/bluetooth-driver.csv) == strategy,executions,states ]] || fail 'no heading in the CSV'
  for strategy in icb dfs idfs random; do
    grep -q "^$strategy,50,[0-9]*$" pictures/here/bluetooth-driver.csv || fail "no last point of $strategy"
    grep -q ">$strategy [0-9]*<" pictures/here/bluetooth-driver.svg || fail "$strategy is not in the legend"
  done
  grep -q '</svg>' pictures/here/bluetooth-driver.svg || fail 'the picture has no end'
  expect 0 '(all, after ' "$tables" coverage --sample file-system --strategy cb-por --out pictures
  grep -q '>all there is<' pictures/file-system.svg || fail 'the picture does not tell that there is no more'
  refuse 'hocket_tables: cannot create' "$tables" coverage --out /dev/null/pictures
else
  echo 'There is no gnuplot: the pictures are not tested.'
fi
refuse 'there is no strategy "no-such"; the strategies are auto, icb' "$tables" coverage --strategy no-such
refuse 'there is no sample "no-such"; the samples are bluetooth-driver' "$tables" coverage --sample no-such
refuse 'hocket_tables: ' "$tables" coverage --executions 0
refuse 'hocket_tables: gnuplot, which draws the pictures, was not found' env PATH=/no/such/folder "$tables" coverage --out unused

expect 0 '## Revisits' "$tables" models --table revisits --model philosophers --max-depth 20
refuse 'there is no model "no-such"; there are philosophers' "$tables" models --model no-such
expect 0 'none 88573' "$tables" states worst-case --bound 0
refuse 'there is no model "no-such"; there are worst-case' "$tables" states no-such

# docs/papers.md is what the program writes.
"$tables" papers >papers.md || fail 'hocket_tables papers'
diff "$project/docs/papers.md" papers.md || fail 'docs/papers.md is another one: hocket_tables papers > docs/papers.md'
# Tests that it names exist, and what nothing reproduces is said so.
while IFS=. read -r suite name; do
  grep -rqE "TEST(_[FP])?\($suite, ${name%\*}" "$project/tests" || fail "there is no test $suite.$name"
done < <(grep -oE 'gtest_filter=[A-Za-z.*]+' papers.md | sed 's/.*=//' | sort -u)
! grep -E '^\|[^|]*\| none \|' papers.md | grep -v 'not reproduced' || fail 'rows without a command'
refuse 'there is no paper "no-such"; there are icb' "$tables" papers --paper no-such

exit $((failures != 0))
