// Patterns in schemas and CEL are Go's (RE2). JavaScript lacks some of its syntax and has other syntax that RE2 refuses (back-references,
// look-around); the latter is refused here too, so that a pattern that works here works on a real cluster.

const POSIX_CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const REFUSED = /\\[1-9]|\(\?(?:=|!|<=|<!)/;

/** Compiles a Go regular expression; undefined when Go would refuse it. */
export function compileRe2(pattern: string, flags = ''): RegExp | undefined {
  if (REFUSED.test(pattern.replaceAll('\\\\', ''))) return undefined;
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const body = inline === null ? pattern : pattern.slice(inline[0].length);
  const translated = body
    .replaceAll('\\z', '$')
    .replaceAll('\\A', '^')
    .replaceAll('(?P<', '(?<')
    .replace(/\[:(\w+):\]/g, (whole, name: string) => POSIX_CLASSES[name] ?? whole);
  const allFlags = `${flags}${inline?.[1] ?? ''}`;
  try {
    return new RegExp(translated, `${allFlags}u`);
  } catch {
    // The u flag refuses unnecessary escapes (`\-`), which RE2 accepts.
    try {
      return new RegExp(translated, allFlags);
    } catch {
      return undefined;
    }
  }
}
