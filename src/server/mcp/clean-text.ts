// Text from the cluster in answers to a model.

/** Longer texts are cut: an annotation may have 256 KiB. */
const MAX_CHARACTERS = 500;

/**
 * Control and format characters (bidirectional controls, tag characters), private use, halves of surrogate pairs, and what is not shown:
 * variation selectors, fillers, joiners and the blank of Braille, of which a text can be written that only a model reads.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]+/gu;

/** The text without characters that are invisible or change how others are shown, on one line, at most 500 characters. */
export function cleanText(text: string): string {
  const printable = text.replaceAll(UNPRINTABLE, ' ');
  return printable.length > MAX_CHARACTERS
    ? `${printable
        .slice(0, MAX_CHARACTERS - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
    : printable;
}

/** Plain JSON data with all texts cleaned, names of fields included. */
export function cleanData<T>(value: T): T {
  if (typeof value === 'string') return cleanText(value) as T;
  if (Array.isArray(value)) return value.map(cleanData) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]: [string, unknown]) => [cleanText(key), cleanData(child)])) as T;
}
