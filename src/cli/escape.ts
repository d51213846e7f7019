// Names come from file systems and Prometheus: they must not be interpreted as markup or control sequences.

const XML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Replaces control characters. */
export function printable(text: string): string {
  return text.replace(/\p{C}/gu, '\uFFFD');
}

/** Escapes text and quoted attributes of HTML and SVG. */
export function escapeXml(text: string): string {
  return printable(text).replace(/[&<>"']/g, (char) => XML[char] ?? char);
}

/** Escapes a line or table cell of Markdown. */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replace(/[&<>]/g, (char) => XML[char] ?? char)
    .replace(/[\\`*_{}[\]()#+!|~$]/g, '\\$&');
}
