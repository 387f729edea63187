// Text as it is shown: characters that turn the direction of what follows, or that nobody sees, are written as their
// numbers. Otherwise a name could make a line read as another one.

const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

export function visible(text: string): string {
  return text.replace(unseen, (one) => `⟨U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** 20 000 */
export function numberText(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A place of which the end stays: the line says more than the end of a long name. */
export function placeText(place: string, most: number): string {
  const text = visible(place);
  if (text.length <= most) return text;
  const line = text.slice(text.lastIndexOf(":"));
  return line.length + 2 > most ? text.slice(0, most - 1) + "…" : text.slice(0, most - line.length - 1) + "…" + line;
}
