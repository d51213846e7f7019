// Ids of stream events. A sequence number would show each client how many events there were, also those of namespaces that it may not read.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const BLOCK_BYTES = 16;
const NONCE_BYTES = 8;

/** Writes and reads ids of one process: an encrypted block of a random number and the sequence number. */
export class EventIds {
  readonly #key = randomBytes(BLOCK_BYTES);

  /** Each call returns another id. */
  idOf(seq: number): string {
    const block = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(BLOCK_BYTES - NONCE_BYTES)]);
    block.writeBigUInt64BE(BigInt(seq), NONCE_BYTES);
    return createCipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false).update(block).toString('base64url');
  }

  /** null for another form. The number of an id of another process is random, which is far above every sequence number. */
  seqOf(id: string): number | null {
    const block = Buffer.from(id, 'base64url');
    if (block.length !== BLOCK_BYTES) return null;
    return Number(createDecipheriv('aes-128-ecb', this.#key, null).setAutoPadding(false).update(block).readBigUInt64BE(NONCE_BYTES));
  }
}
