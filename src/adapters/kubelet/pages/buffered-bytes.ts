import { PageTooLarge } from '../../../ports/usage/page-too-large.ts';

/** Bytes of each page that are exempt from the shared bound: an ordinary node's page fits. */
const FREE_BYTES = 1024 * 1024;
/** Shared bound of the bytes beyond FREE_BYTES over all pages being read. */
const MAX_HELD_BYTES = 128 * 1024 * 1024;

/** Bounds the memory of large pages that are read concurrently. Pages up to FREE_BYTES are never rejected. */
export class BufferedBytes {
  #left: number;

  constructor(max = MAX_HELD_BYTES) {
    this.#left = max;
  }

  /** Reads a page chunk by chunk and returns it. @throws PageTooLarge where large pages together exceed the bound */
  async hold(read: (take: (chunk: Buffer) => void) => Promise<void>): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let [bytes, counted] = [0, 0];
    const take = (chunk: Buffer): void => {
      bytes += chunk.length;
      const more = Math.max(0, bytes - FREE_BYTES) - counted;
      if (more > this.#left) throw new PageTooLarge(`the answer has more than ${FREE_BYTES} bytes while other large pages are being read`);
      this.#left -= more;
      counted += more;
      chunks.push(chunk);
    };
    try {
      await read(take);
      return Buffer.concat(chunks);
    } finally {
      this.#left += counted;
    }
  }
}
