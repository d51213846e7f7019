// Splits a byte stream only at 0x0A. Node's readline also splits at U+2028 and U+2029, which JSON strings may contain: it would break a
// watch event in two.

const NEWLINE = 0x0a;

/**
 * Yields complete lines as text, one batch per chunk with any: a busy watch costs one await per chunk instead of one per event. A last line
 * without a newline is yielded at the end.
 * @throws Error where a line exceeds `maxBytes`
 */
export async function* lineBatches(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string[]> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at);
      const line = pending.length === 0 ? piece.toString('utf8') : Buffer.concat([...pending, piece]).toString('utf8');
      pending = [];
      pendingBytes = 0;
      from = at + 1;
      if (line !== '') lines.push(line);
    }
    if (from < chunk.length) {
      pending.push(chunk.subarray(from));
      pendingBytes += chunk.length - from;
      if (pendingBytes > maxBytes) throw new Error(`a line of the stream is longer than ${maxBytes} bytes`);
    }
    if (lines.length > 0) yield lines;
  }
  if (pendingBytes > 0) yield [Buffer.concat(pending).toString('utf8')];
}
