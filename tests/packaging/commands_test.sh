#!/usr/bin/env bash
# .ci/run does what readers do: its commands stand in the shell blocks of README.md and CONTRIBUTING.md, and it runs every
# command of README.md's about this project, but for those that install it, which tests/doors/installing_test.sh runs.
# Usage: commands_test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

blocks() { awk '/^```/ {inside = !inside; next} inside' "$@" | sed -E 's/ +#.*$//; s/[ \t]+$//'; }
# Each line of .ci/run but for comments, headings, and what it says and checks of its own.
commands=$(grep -v -E '^( *#|set |cd |step[ (]|if |fi$|  echo |  exit |$)' .ci/run)
failed=0

while read -r command; do
  grep -q -x -F -e "$command" <(blocks README.md CONTRIBUTING.md) ||
    { echo "FAILED: .ci/run has a command that no shell block of README.md or CONTRIBUTING.md has: $command"; failed=1; }
done <<<"$commands"

while read -r command; do
  grep -q -x -F -e "$command" <<<"$commands" ||
    { echo "FAILED: README.md has a command that .ci/run does not run in the same words: $command"; failed=1; }
done < <(blocks README.md | grep -E '^\./')

[[ $(blocks README.md | grep -c -E '^\./tools/') -ge 2 ]] || { echo "FAILED: README.md has no commands for its readers"; failed=1; }
exit "$failed"
