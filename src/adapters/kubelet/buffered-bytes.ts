import { PageTooLarge } from '../../ports/page-too-large.ts';

/** Bytes of a page that count against no common bound: all that an ordinary node's page has. */
const FREE_BYTES = 1024 * 1024;
/** Of all pages under way together, beyond that. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** What pages under way hold together, so that many large ones at once are bounded. Small pages are never refused for large ones. */
export class BufferedBytes {
  #left: number;

  constructor(most = MAX_HELD_BYTES) {
    this.#left = most;
  }

  /** Reads a page chunk by chunk. @throws PageTooLarge where pages hold too much together and this one is not small */
  async hold(read: (take: (chunk: Buffer) => void) => Promise<void>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let [bytes, held] = [0, 0];
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      const more = Math.max(0, bytes - FREE_BYTES) - held;
      if (more > this.#left) throw new PageTooLarge(`the answer has more than ${FREE_BYTES} bytes while other large ones are read`);
      this.#left -= more;
      held += more;
      chunks.push(chunk);
    };
    try {
      await read(take);
      return Buffer.concat(chunks);
    } finally {
      this.#left += held;
    }
  }
}
