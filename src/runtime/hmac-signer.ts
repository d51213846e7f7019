import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RecordBinding, RecordSigner } from '../ports/record-signer.ts';

/** HMAC-SHA-256 over kind, uid, field and the record's text. */
export class HmacSigner implements RecordSigner {
  readonly #key: () => Buffer | null;

  /** @param key returns null before the key is available */
  constructor(key: () => Buffer | null) {
    this.#key = key;
  }

  get hasKey(): boolean {
    return this.#key() !== null;
  }

  sign(binding: RecordBinding, record: string): string {
    const key = this.#key();
    if (key === null) throw new Error('no key to sign records is available yet; health shows the reason (source record-key)');
    return `${record.slice(0, -1)},"signature":"${macOf(key, binding, record).toString('base64url')}"}`;
  }

  isAuthentic(binding: RecordBinding, value: string): boolean {
    const key = this.#key();
    const [, text, signature] = /^(.*),"signature":"([\w-]{43})"\}$/s.exec(value) ?? [];
    if (key === null || text === undefined || signature === undefined) return false;
    const actual = Buffer.from(signature, 'base64url');
    const expected = macOf(key, binding, `${text}}`);
    return actual.length === expected.length && timingSafeEqual(actual, expected);
  }
}

function macOf(key: Buffer, { kind, uid, field }: RecordBinding, record: string): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([kind, uid, field, record]))
    .digest();
}
