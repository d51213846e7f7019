// Names come from file systems and Prometheus: nothing in them may be read as markup or move a terminal's cursor.

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\uFFFD');
}

/** For HTML and SVG, in text and in quoted attributes. */
export function escapeXml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (char) => XML[char] ?? char);
}

/** For a line or a table cell of Markdown. */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replace(/[&<>]/g, (char) => XML[char] ?? char)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, '\\$&');
}
