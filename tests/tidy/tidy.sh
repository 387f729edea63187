#!/usr/bin/env bash
# Checks what people would have to remember: what this script asks of sources, and what its neighbours ask of includes
# (layers.cmake), of lists that are kept by hand (lists.cmake, waiting_calls.cmake) and of the documents (documents.sh,
# public_interface.sh). All of them say what is wrong.
# Usage: tests/tidy/tidy.sh
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
failed=0
fail() { echo "FAILED: $*"; failed=1; }

mapfile -t files < <(find runtime scheduler model interpose samples tests tools cmake \( -type f -o -type l \) ! -path '*/node_modules/*' | sort)
named() { printf '%s\n' "${files[@]}" | grep -E "$1"; }
((${#files[@]} > 1000)) || fail "only ${#files[@]} files were found"

# A source includes the header of its name before all else, so that some source shows what the header lacks.
while read -r source; do
  header=${source%.cpp}.hpp
  [[ ! -e $header ]] || [[ $(grep -m1 '^#include' "$source") == *"${header##*/}\"" ]] ||
    fail "$source includes something before ${header##*/}"
done < <(named '\.cpp$')

# Somebody includes each header, and names each script. Headers that stand for the system's are found by folders.
included=$(named '\.([ch]|[ch]pp|s|in|txt|cmake|sh)$' | xargs grep -hoE '# *include ["<][^">]+[">]|[A-Za-z_]+\.hp?p?\b' README.md docs/*.md |
  sed -E 's/^[^"<]*["<]//; s/[">]$//; s|.*/||' | sort -u)
while read -r header; do
  grep -qxF "${header##*/}" <<<"$included" || fail "nobody includes $header"
done < <(named '\.hp?p?$' | grep -v '^cmake/libstdcxx/')
while read -r script; do
  grep -rqF "${script##*/}" --include='*' --exclude="${script##*/}" README.md CONTRIBUTING.md CMakeLists.txt docs tests tools cmake packaging .ci .github ||
    fail "nobody names $script"
done < <(named '\.(sh|cmake|py)$|^tools/[a-z-]+$')

# Users' headers do not lead to the parts of an execution, so that an edit of a part does not compile what includes them.
leads_to=$("${CXX:-c++}" -std=c++20 -Iinterpose/include -MM -x c++ interpose/include/hocket/hocket.hpp) || fail "hocket.hpp was not read"
[[ $leads_to == *runtime/execution/step.hpp* ]] || fail "hocket.hpp does not lead to step.hpp"
while read -r part; do
  fail "hocket.hpp leads to $part: what the public types need of it belongs in runtime/execution/step.hpp"
done < <(grep -oE 'runtime/execution/[a-z_]+\.hpp' <<<"$leads_to" | sort -u |
  grep -vE '/(allocations|atomic_blocks|execution_options|fibers|locking|recording|run|step)\.hpp$')

# What a comment says tests a file is there.
claims=0
while IFS=: read -r source _ claim; do
  ((claims += 1))
  test=$(sed -E 's/.*Tested by ([a-z_/]+\.(cpp|sh)).*/\1/' <<<"$claim")
  [[ -f $test ]] || fail "$source is said to be tested by $test, which is not there"
done < <(named '\.(cpp|hpp)$' | xargs grep -nE 'Tested by ')
((claims > 1)) || fail "only $claims comments say what tests their file"

# Names of tests are sentences in words that begin with capitals, and there are no two of one name in a file.
while IFS= read -r name; do fail "a test is called $name"; done < <(named '^tests/.*_test\.cpp$' |
  xargs grep -hoE '^(TEST|TEST_F|TEST_P|TYPED_TEST|HOCKET_TEST)\([^)]*' | sed -E 's/^[A-Z_]+\(//' |
  grep -vE '^[A-Z][A-Za-z0-9]*, (DISABLED_)?[A-Z][A-Za-z0-9]*$')

for check in layers lists waiting_calls; do cmake -P "tests/tidy/$check.cmake" || failed=1; done
for check in documents public_interface; do "tests/tidy/$check.sh" || failed=1; done
exit "$failed"
