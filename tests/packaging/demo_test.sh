#!/usr/bin/env bash
# Runs tools/demo: each of its steps fits on a screen of 80 columns and 40 lines, and variables are called by their names.
# Usage: demo_test.sh BUILD_DIRECTORY
set -euo pipefail
export LC_ALL=C.UTF-8
output=$("$(dirname "${BASH_SOURCE[0]}")/../../tools/demo" --built "$1") || { printf 'FAILED: the demo:\n%s\n' "$output"; exit 1; }

failed=0
steps=0
while IFS= read -r line; do
  if [[ $line == '== '* ]]; then
    heading=$line lines=0
    ((steps += 1))
  fi
  # The terminal breaks longer lines.
  ((lines += ${#line} > 80 ? (${#line} + 79) / 80 : 1))
  if ((lines == 41)); then echo "FAILED: this step has more than 40 lines: $heading"; failed=1; fi
done < <(sed 1d <<<"$output")
((steps == 8)) || { echo "FAILED: the demo has $steps headings"; failed=1; }
[[ $output != *' without -g'* ]] || { echo "FAILED: names are missing in the demo's reports"; failed=1; }
[[ $(grep -c '^step  ' <<<"$output") -eq 2 ]] || { echo "FAILED: the demo should show the steps of each failure once"; failed=1; }
page=$(sed -n 's/^The page is //p' <<<"$output")
grep -q '^It has lines of these sources: ticket_test.cpp$' <<<"$output" || { echo "FAILED: the page has no source"; failed=1; }
grep -q 'name="hocket-failure"' "$page" || { echo "FAILED: the demo writes no page: $page"; failed=1; }
((failed == 0)) || printf '%s\n' "$output"
exit "$failed"
