// Secrets that tests use. None of them may be in a log line, an Event, or the body of an error.

interface KnownSecret {
  /** What it is, for messages, which must not have the secret either. */
  readonly what: string;
  readonly forms: readonly string[];
}

/** Shorter texts are found by chance. */
const MIN_LENGTH = 8;
const known = new Map<string, KnownSecret>();

/** Registers a secret, and returns it. Its forms are the text itself, and as JSON, URLs and base64 have it. @throws RangeError where it is short */
export function knownSecret(what: string, text: string): string {
  if (text.length < MIN_LENGTH) throw new RangeError(`${what}: a secret of a test has at least ${MIN_LENGTH} characters`);
  const bytes = Buffer.from(text, 'utf8');
  const forms = [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    ...[0, 1, 2].map((skipped) => innerBase64(bytes, skipped)),
  ];
  known.set(text, { what, forms: [...new Set(forms)] });
  return text;
}

/** Which registered secrets are in lines, each with where, and the line without them. */
export function findSecrets(where: string, lines: Iterable<string>): readonly string[] {
  const found: string[] = [];
  for (const line of lines) {
    for (const { what, forms } of known.values()) {
      if (forms.some((form) => line.includes(form))) found.push(`${what} is in ${where}: ${masked(line).slice(0, 400)}`);
    }
  }
  return found;
}

function masked(line: string): string {
  return [...known.values()].flatMap(({ forms }) => forms).reduce((text, form) => text.replaceAll(form, '***'), line);
}

/** The base64 of the bytes inside of another text, which begins at any of three offsets: without the characters that depend on its neighbours. */
function innerBase64(bytes: Buffer, skipped: number): string {
  const inner = bytes.subarray(skipped);
  return inner.subarray(0, inner.length - (inner.length % 3)).toString('base64');
}
