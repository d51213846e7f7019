// Splits a byte stream at 0x0A and nowhere else. Node's readline also splits at U+2028 and U+2029, which may stand raw
// inside a JSON string: it would tear one watch event into two broken ones.

const NEWLINE = 0x0a;

/**
 * Complete lines of a stream as text, in one batch per chunk that ends any: a busy watch costs one await per chunk instead
 * of one per event. What follows the last newline is given as a line of its own when the stream ends.
 *
 * @throws when a line grows past `maxBytes`: the peer is not what it says it is
 */
export async function* lineBatches(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<string[]> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, at);
      const line = held.length === 0 ? piece.toString('utf8') : Buffer.concat([...held, piece]).toString('utf8');
      held = [];
      heldBytes = 0;
      from = at + 1;
      if (line !== '') lines.push(line);
    }
    if (from < chunk.length) {
      held.push(chunk.subarray(from));
      heldBytes += chunk.length - from;
      if (heldBytes > maxBytes) throw new Error(`a line of the stream is longer than ${maxBytes} bytes`);
    }
    if (lines.length > 0) yield lines;
  }
  if (heldBytes > 0) yield [Buffer.concat(held).toString('utf8')];
}
