import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { MiB } from '#kube/units';

/** One of OWASP's choices for scrypt, the one with the least memory: 32 MiB, and about 0.3 s. */
const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 3 };
/** Above 128 × N × r bytes, which Node.js refuses at its default. */
const MAX_MEMORY_BYTES = 48 * MiB;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORM = /^scrypt\$15\$8\$3\$([A-Za-z0-9+/]{22}==)\$([A-Za-z0-9+/]{43}=)$/;

/** Shortest and longest password that is accepted; longer ones only cost time. */
export const PASSWORD_LENGTH = { min: 12, max: 1024 } as const;

/** Hashes a password as `scrypt$15$8$3$SALT$HASH`: log2 of the cost, block size, parallelism, and base64. */
export async function hashPassword(password: string, salt: Buffer = randomBytes(SALT_BYTES)): Promise<string> {
  const hash = await derive(password, salt);
  return `scrypt$15$8$3$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** Whether the password has the hash. Does the same work for a hash that is malformed, so that the response time is the same. */
export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, salt, expected] = FORM.exec(hash) ?? [];
  const derived = await derive(password, salt === undefined ? Buffer.alloc(SALT_BYTES) : Buffer.from(salt, 'base64'));
  return expected !== undefined && timingSafeEqual(derived, Buffer.from(expected, 'base64'));
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { ...COST, maxmem: MAX_MEMORY_BYTES }, (err, key) => {
      if (err === null) resolve(key);
      else reject(err);
    });
  });
}
