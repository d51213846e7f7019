// A report as one HTML page without scripts or external resources.

import { escapeXml } from './escape.ts';

const STYLE = `
:root{color-scheme:light dark;--text:#1b2228;--soft:#5a6670;--line:#d9dee3;--back:#fff}
@media(prefers-color-scheme:dark){:root{--text:#eef1f4;--soft:#a7b1ba;--line:#343c44;--back:#14181c}}
body{font:14px/20px system-ui,sans-serif;color:var(--text);background:var(--back);max-width:1120px;margin:32px auto;padding:0 16px}
h1{font-size:24px;line-height:32px}h2{font-size:20px;margin-top:40px}h3{font-size:14px;margin:24px 0 4px}
p,li,figcaption{color:var(--soft)}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums;white-space:nowrap}
th,td{padding:4px 10px;border-bottom:1px solid var(--line);text-align:right}th:first-child,td:first-child{text-align:left}
tr.sum td{font-weight:600}figure{margin:16px 0}svg{width:100%;height:auto;border:1px solid var(--line)}
`;

/** @param title text @param body HTML */
export function htmlPage(title: string, body: readonly string[]): string {
  const escaped = escapeXml(title);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escaped}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped}</h1>`,
    ...body,
    '</body></html>',
    '',
  ].join('\n');
}

/** A table of text. @param last class of the last row */
export function htmlTable(header: readonly string[], rows: readonly (readonly string[])[], last = ''): string {
  const cells = (tag: string, row: readonly string[]) => row.map((cell) => `<${tag}>${escapeXml(cell)}</${tag}>`).join('');
  const body = rows.map(
    (row, index) => `<tr${last !== '' && index === rows.length - 1 ? ` class="${last}"` : ''}>${cells('td', row)}</tr>`,
  );
  return `<div class="scroll"><table><thead><tr>${cells('th', header)}</tr></thead><tbody>${body.join('\n')}</tbody></table></div>`;
}
