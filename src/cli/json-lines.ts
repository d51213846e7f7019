// Lines of a JSON text, which JSON.parse does not report.

const [QUOTE, BACKSLASH, NEWLINE] = ['"', '\\', '\n'].map((character) => character.charCodeAt(0));
const OPEN = new Set(['{', '['].map((character) => character.charCodeAt(0)));
const CLOSE = new Set(['}', ']'].map((character) => character.charCodeAt(0)));

/**
 * Lines of the items of a list: of each object or list in the `items` of the object that a valid text is. Items of other types are left out.
 */
export function itemLines(text: string): readonly number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let isItems = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) line += 1;
    else if (code === QUOTE) {
      const start = at + 1;
      at = endOfText(text, at);
      // The last text before a bracket on this level is the key of what the bracket opens.
      if (depth === 1) isItems = text.slice(start, at) === 'items';
    } else if (OPEN.has(code)) {
      if (depth === 2 && isItems) lines.push(line);
      depth += 1;
    } else if (CLOSE.has(code)) depth -= 1;
  }
  return lines;
}

/** Place of the quote that ends a text. @param start of the one that begins it */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
