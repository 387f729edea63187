# What tests that are scripts have in common. Sourced by them, after they have made paths in their arguments absolute:
# they work in an empty folder, `folder`, without the variables of Hocket and GoogleTest, and end with
#   exit $((failures != 0))
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset ${!HOCKET_@} ${!GTEST_@}
export COLUMNS=1000  # so that no line of a report is broken
failures=0

# fail TEXT...: tells and counts a failure; the test goes on.
fail() { printf 'FAILED: %s\n' "$*" >&2; failures=$((failures + 1)); }
# has FILE TEXT, has_not FILE TEXT: whether a line of the file has the text.
has() { grep -qF -- "$2" "$1" || fail "should be in $1: $2: $(<"$1")"; }
has_not() { ! grep -qF -- "$2" "$1" || fail "should not be in $1: $2: $(<"$1")"; }
# ends STATUS LOG COMMAND...: runs the command with its output in LOG, and says if it ends with another status.
ends() {
  local wanted=$1 log=$2 status
  shift 2
  "$@" >"$log" 2>&1
  status=$?
  [[ $status -eq $wanted ]] || fail "should end with $wanted, and not with $status: $*: $(<"$log")"
}
# numbers REPORT: what the searches of a report have run, a line for each and one for each of their bounds.
numbers() {
  python3 - "$1" <<'END'
import json, sys
for search in json.load(open(sys.argv[1]))["searches"]:
    print(*(search[name] for name in ("test", "verdict", "executions", "classes", "failed_classes", "steps")))
    for bound in search["bounds"]:
        print(*bound.values())
END
}
