#!/usr/bin/env bash
# Checks that docs/public-interface.md has every public name of the headers, and that every name there exists.
# Usage: public_interface.sh, in any directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

page=docs/public-interface.md
headers=($(sed -n 's|.*"../../\(types/[a-z_]*\.hpp\)".*|interpose/\1|p' interpose/include/hocket/hocket.hpp) interpose/types/atomic_operations.hpp
  scheduler/api/{explore,options,report}.hpp interpose/include/hocket/{gtest,testing,model_gtest}.hpp)

# The names that a header declares at namespace scope. Such a declaration begins its line, as clang-format lays it out.
names_of() {
  awk '
    /^namespace .*detail \{|^namespace \{/ { hidden = 1 }
    /^}  \/\/ namespace/ { hidden = 0; next }
    hidden || !/^[a-zA-Z\[]/ { next }
    { line = $0; sub(/^((inline|constexpr|extern|static|\[\[[^]]*\]\]) )+/, "", line) }
    line ~ /^(class|struct|enum class) [a-zA-Z_]+( |$)/ && line !~ /;$/ {
      sub(/^(class|struct|enum class) /, "", line); sub(/[^a-zA-Z_].*/, "", line); print line; next }
    line ~ /^using [a-zA-Z0-9_]+ = / { sub(/^using /, "", line); sub(/ .*/, "", line); print line; next }
    line ~ /^using [a-zA-Z_:]+;/ { sub(/;.*/, "", line); sub(/.*[: ]/, "", line); print line; next }
    line ~ /^[a-zA-Z0-9_:<>&* ]+ [*&]*[a-z_]+\(/ && line !~ /^(requires|template|namespace|using)/ {
      sub(/\(.*/, "", line); sub(/.*[ *&]/, "", line); print line; next }
    line ~ /^[a-zA-Z_:]+ [a-zA-Z_]+( = .*)?;/ && line !~ /^(struct|class|using|return) / { sub(/( = .*)?;.*/, "", line); sub(/.* /, "", line); print line }
  ' "$1" | grep -vE '^(memory_order_[a-z_]+|operator|swap)$' | sort -u
}

declared=$(for header in "${headers[@]}"; do names_of "$header"; done | sort -u)
mentioned=$(grep -oE '`[a-zA-Z0-9_:]+' "$page" | sed 's/.*[`:]//' | sort -u)
described=$(grep -oE '`hocket::(testing::)?[a-zA-Z0-9_]+`' "$page" | tr -d '`' | sed 's/.*:://' | grep -vE '^memory_order_' | sort -u)
others=$(echo runtime detail unmodified this_thread; grep -ohE 'hocket::[a-z0-9]+' docs/targets.md docs/frameworks.md | sed 's/.*:://')  # namespaces and targets

failed=0
[[ $(wc -l <<<"$declared") -gt 80 ]] || { echo "only $(wc -l <<<"$declared") names were found in the headers"; failed=1; }
for name in $(comm -23 <(echo "$declared") <(echo "$mentioned")); do
  echo "$page does not have $name, which a public header declares"
  failed=1
done
for name in $(comm -13 <(echo "$declared") <(echo "$described")); do
  grep -qwx "$name" <<<"${others// /$'\n'}" && continue
  echo "$page has hocket::$name, which no public header declares"
  failed=1
done
exit $failed
