// Text that a browser keeps, sealed by a key that all replicas share: it cannot be read or changed outside, and any replica opens it.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Instant } from '#kube/units';
import { sealingKey } from '../../core/access/session-keys.ts';
import type { SessionKey } from '../../ports/access-store.ts';

/** What a text is for: one that was sealed for another purpose does not open. */
type Purpose = 'session' | 'sign-in';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Browsers keep at most 4096 bytes of one cookie. */
const MAX_LENGTH = 4096;

/** Seals a text with the key that seals at the time. @throws RangeError without a key */
export function sealText(text: string, purpose: Purpose, keys: readonly SessionKey[], now: Instant): string {
  const key = sealingKey(keys, now);
  if (key === undefined) throw new RangeError('no session key');
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key.bytes, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(purpose, key.id));
  const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${key.id}.${sealed.toString('base64url')}`;
}

/** Opens a text with the key that sealed it; null where none of these keys did, for this purpose. */
export function openText(value: string, purpose: Purpose, keys: readonly SessionKey[]): string | null {
  if (value.length > MAX_LENGTH) return null;
  const dot = value.lastIndexOf('.');
  const key = keys.find(({ id }) => id === value.slice(0, Math.max(0, dot)));
  const text = value.slice(dot + 1);
  const sealed = Buffer.from(text, 'base64url');
  // Node.js ignores characters that are not base64: one text would have many forms.
  if (key === undefined || sealed.length < IV_BYTES + TAG_BYTES || sealed.toString('base64url') !== text) return null;
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(associatedData(purpose, key.id));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    // The tag does not match: forged, or sealed by another installation.
    return null;
  }
}

function associatedData(purpose: Purpose, keyId: string): Buffer {
  return Buffer.from(`evenkeel ${purpose} 1 ${keyId}`, 'utf8');
}
