#!/usr/bin/env bash
# Checks the documents: README.md has at most 10 000 bytes, the tutorial 150 lines, and each link leads to a file that is there, and to a heading of it.
# Usage: documents.sh
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failed=0
fail() { echo "FAILED: $*"; failed=1; }

(($(wc -c <README.md) <= 10000)) || fail "README.md has $(wc -c <README.md) bytes"
(($(wc -l <docs/tutorial.md) <= 150)) || fail "docs/tutorial.md has $(wc -l <docs/tutorial.md) lines"

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

# docs/index.md is the map: it leads to each page.
for page in "${pages[@]}"; do
  [[ $page != docs/* || $page == docs/index.md ]] || grep -q -F -e "](${page#docs/})" docs/index.md || fail "docs/index.md does not lead to $page"
done

tools/count-tests --check || failed=1

# Each promise of docs/reliability.md has a test, which is there and is run.
promises=0
while IFS= read -r row; do
  ((promises += 1))
  tests=$(sed -E 's/ *\|$//; s/.*\| //' <<<"$row" | grep -o '`[^`]*`' | tr -d '`') || fail "docs/reliability.md promises without a test: $row"
  for test in $tests; do
    [[ -f $test ]] || fail "docs/reliability.md has a test that is not there: $test"
    name=$(basename "${test%.*}")
    [[ $test == *_test.cpp ]] || grep -q -r -F -e "$name" -e "${name%_test}" --include=CMakeLists.txt tests tools || fail "no CMakeLists.txt runs $test"
  done
done < <(sed -n '/^| what can happen/,/^$/p' docs/reliability.md | tail -n +3 | grep '^|')
((promises > 30)) || fail "only $promises promises were found in docs/reliability.md"

# The sentences by which docs/troubleshooting.md is read stand in the sources; "…" stands for what is put in.
source=$(find runtime scheduler interpose model tools/hocket -name '*.[ch]pp' -exec cat {} + | tr '\n' ' ' | sed -E 's/" +"//g')
sentences=0
while IFS= read -r sentence; do
  ((sentences += 1))
  while IFS= read -r part; do
    [[ $source == *"$part"* ]] || fail "docs/troubleshooting.md has a sentence that no source prints: $part"
  done < <(sed -E 's/ *… */\n/g' <<<"$sentence" | sed '/^$/d')
done < <(prose docs/troubleshooting.md | grep '^### `' | grep -o '`[^`]*`' | tr -d '`')
((sentences > 20)) || fail "only $sentences sentences were found in docs/troubleshooting.md"
exit "$failed"
