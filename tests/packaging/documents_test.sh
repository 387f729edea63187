#!/usr/bin/env bash
# Checks the documents: README.md has at most 10 000 bytes, and each link leads to a file that is there, and to a heading of it.
# Usage: documents_test.sh
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failed=0
fail() { echo "FAILED: $*"; failed=1; }

(($(wc -c <README.md) <= 10000)) || fail "README.md has $(wc -c <README.md) bytes"

mapfile -t pages < <(find ./*.md docs -name '*.md' | sed 's|^\./||')
prose() { awk '/^ *```/ {inside = !inside; next} !inside' "$1"; }
# The anchors of a page's headings, as GitHub makes them.
anchors() {
  prose "$1" | sed -n -E 's/^#+ +//p' | sed -E 's/\[([^]]*)\]\([^)]*\)/\1/g' | tr '[:upper:]' '[:lower:]' |
    sed -E 's/[^[:alnum:] _-]//g; s/ /-/g'
}
for page in "${pages[@]}"; do anchors "$page" | sed "s|^|$page#|"; done >"${anchors:=$(mktemp)}"
trap 'rm -f "$anchors"' EXIT

links=0
for page in "${pages[@]}"; do
  while read -r link; do
    case $link in https://* | http://*) continue ;; esac
    ((links += 1))
    target=$page
    [[ $link == '#'* ]] || target=$(realpath -m --relative-to=. "$(dirname "$page")/${link%%#*}")
    if [[ ! -e $target ]]; then
      fail "$page links to $link, which does not exist"
    elif [[ $link == *'#'* ]] && ! grep -q -x -F -e "$target#${link#*#}" "$anchors"; then
      fail "$page links to $link, and $target has no such heading"
    fi
  done < <(prose "$page" | sed -E 's/`[^`]*`/x/g' | grep -o -E '\]\([^) ]+\)' | sed -E 's/^\]\(|\)$//g')
done
((links > 200)) || fail "only $links links were found"
exit "$failed"
