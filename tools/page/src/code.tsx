// A line of C++ with its words told apart.
import { visible } from "./visible";

const keywords = new Set(
  ("alignas auto bool break case catch char class co_await co_return co_yield const consteval constexpr continue " +
    "decltype default delete do double else enum explicit extern false float for friend if inline int long mutable " +
    "namespace new noexcept nullptr operator override private protected public return short signed sizeof static " +
    "static_cast struct switch template this thread_local throw true try typedef typename union unsigned using " +
    "virtual void volatile while").split(" "),
);

const token = /(\/\/.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+')|\b(\d[\w'.]*)|([A-Za-z_]\w*)/g;

export function Code({ line }: { line: string }) {
  const parts = [];
  let end = 0;
  for (const match of line.matchAll(token)) {
    const [text, comment, string, number, word] = match;
    const kind = comment ? "comment" : string ? "string" : number ? "number" : keywords.has(word!) ? "keyword" : "";
    parts.push(visible(line.slice(end, match.index)));
    parts.push(kind === "" ? visible(text) : <span class={`code-${kind}`}>{visible(text)}</span>);
    end = match.index + text.length;
  }
  parts.push(visible(line.slice(end)));
  return <code>{parts}</code>;
}
