#!/usr/bin/env bash
# Does what README.md and the guides show, with what was installed, and compares what it prints. In a block of `console` the lines
# after "$" are run; a line "…" stands for any lines. A block with the name of a file is that file.
# Usage: examples_test.sh [--update] BUILD_DIRECTORY
#   --update  writes docs/terminal.svg, the terminal in README.md, anew
set -euo pipefail
export LC_ALL=C.UTF-8
update=false
[[ $1 == --update ]] && update=true && shift
built=$(realpath "$1")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset ${!HOCKET_@} ${!GTEST_@} COLUMNS
cmake --install "$built" --prefix "$work/prefix" >/dev/null
export PATH=$work/prefix/bin:$PATH CMAKE_PREFIX_PATH=$work/prefix CMAKE_GENERATOR=Ninja
failed=0
fail() { printf 'FAILED: %s\n' "$*"; failed=1; }

# Leaves out what differs between machines: times, and where things are. A line is broken there depending on the digits of the time.
normalised() {
  sed -zE 's/,\n? +in\n? +([0-9.]+ (ms|s)\b)/, in \1/g' |
    sed -E -e "s#$PWD/##g; s# \./# #g" -e 's/ in [0-9.]+ m?s\b/ in @/g; s/\([0-9.]+ ms( total)?\)/(@)/g; s/ +[0-9.]+ m?s$/ @/'
}

# compare WHERE: what is in the file expected with what is in the file printed.
compare() {
  awk 'NR == FNR {want[++wanted] = $0; next} {got[++printed] = $0}
    END {
      for (i = 1; i <= wanted; ++i) {
        if (want[i] == "…") { may_skip = 1; continue }
        ++at
        while (may_skip && at <= printed && got[at] != want[i]) ++at
        if (got[at] != want[i]) { print "not printed: " want[i]; exit 1 }
        may_skip = 0
      }
      if (!may_skip && at < printed) { print "printed, too: " got[at + 1]; exit 1 }
    }' <(normalised <"$work/expected") <(normalised <"$work/printed") ||
    { fail "$1 shows what is not printed:"; cat "$work/printed"; }
}

# follow PAGE: in the current folder.
follow() {
  local page=$1 line kind='' name='' command='' commands=0
  end_command() {
    [[ -z $command ]] && return
    ((commands += 1))
    bash -c "${command//DIRECTORY/$work/prefix}" >"$work/printed" 2>&1 </dev/null || true
    compare "$page, \"$command\","
    command=
  }
  while IFS= read -r line; do
    if [[ $line == '```' && -n $kind ]]; then
      end_command
      kind=
    elif [[ $line == '```'* ]]; then
      read -r kind name <<<"${line:3}"
      kind=${kind:-text}
      [[ -z $name || $kind == text ]] || : >"$name"
    elif [[ $kind == console && $line == '$ '* ]]; then
      end_command
      command=${line:2}
      : >"$work/expected"
    elif [[ $kind == console ]]; then
      printf '%s\n' "$line" >>"$work/expected"
    elif [[ -n $kind && -n $name && $kind != text ]]; then
      printf '%s\n' "$line" >>"$name"
    fi
  done <"$root/$page"
  ((commands > 0)) || fail "$page has no commands"
}

# block PAGE KIND: the first such block of a page.
block() { awk -v fence="\`\`\`$2" '$0 == fence {inside = 1; next} /^```/ && inside {exit} inside' "$root/$1"; }

mkdir "$work/bank" && cd "$work/bank"
cp "$root/samples/demo/bank_test.cpp" .
[[ $(<bank_test.cpp) == *"$(block README.md cpp)"* ]] || fail "the code in README.md is not that of samples/demo/bank_test.cpp"
{
  printf 'cmake_minimum_required(VERSION 3.22)\nproject(bank LANGUAGES CXX)\nadd_executable(bank_test bank_test.cpp)\n'
  block README.md cmake
} >CMakeLists.txt
cmake -S . -B . >built && cmake --build . >>built || fail "README.md does not build: $(<built)"
follow README.md

mkdir "$work/guide" && cd "$work/guide"
cp "$built/samples/work_stealing_queue_bug" .
follow docs/reading-a-failure.md

mkdir "$work/tutorial" && cd "$work/tutorial"
follow docs/tutorial.md

# The picture of a terminal.
mkdir "$work/picture" && cd "$work/picture"
cp "$built/samples/demo/ticket_test" .
{
  echo '$ hocket run ./ticket_test'
  GTEST_BRIEF=1 hocket run ./ticket_test 2>&1 | sed -e '/Failure$/d; /^Failed$/d; /^\[/,$d' -e "s#$PWD/#./#" || true
} | sed -e '$d' >lines
awk 'BEGIN { height = 18 }
  { gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;"); gsub(/>/, "\\&gt;")
    color = /^\$ / ? "#7ee787" : /FAILED|FAILS|failed:/ ? "#ff7b72" : /preempted/ ? "#e3b341" : "#e6edf3"
    text = text sprintf("<text x=\"16\" y=\"%d\" fill=\"%s\">%s</text>\n", 14 + NR * height, color, $0) }
  END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"760\" height=\"%d\" xml:space=\"preserve\"\n", 28 + NR * height
    print "  font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, '"'DejaVu Sans Mono'"', monospace\" font-size=\"14\"><style>text { white-space: pre }</style>"
    printf "<rect width=\"100%%\" height=\"100%%\" rx=\"8\" fill=\"#0d1117\"/>\n%s</svg>\n", text }' lines >terminal.svg
if $update; then
  cp terminal.svg "$root/docs/terminal.svg"
else
  cp "$root/docs/terminal.svg" "$work/expected"
  cp terminal.svg "$work/printed"
  compare "docs/terminal.svg"
fi
exit "$failed"
