/** A cell of CSV, quoted where it contains a delimiter. A spreadsheet evaluates a cell that begins like a formula, so such a cell gets an apostrophe. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
