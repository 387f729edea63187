#!/usr/bin/env bash
# What random programs have saved fails again in the same programs after an edit that adds lines, compiled in another
# folder with other options, under another name.
# Usage: edited_test.sh PROGRAM EDITED_PROGRAM
set -u
program=$(realpath "$1") edited=$(realpath "$2")
. "$(dirname "${BASH_SOURCE[0]}")/../../support/script_test.sh"
first=${RANDOM_TESTS_SEED:-0}000
count=$((60 * ${RANDOM_TESTS_SECONDS:-1}))

"$program" $((10#$first)) "$count" >before 2>&1 || fail "the program: $(tail -n 20 before)"
grep -c found before >found
(($(<found) >= count / 4)) || fail "there are $(<found) failures among $count programs: $(<before)"
"$edited" $((10#$first)) "$count" >after 2>&1 || fail "the edited program: $(tail -n 20 after)"
sed 's/found/still/' before >expected
diff expected after || fail "failures that are not found again"
[[ ! -e fixed ]] || fail "a failure is gone: $(ls fixed)"

((failures == 0)) && echo "passed: $(<found) failures of $count programs"
exit $((failures != 0))
