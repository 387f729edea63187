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
