// The form of an API key: `ek_<id>_<secret>`. The last six characters are a checksum, so that a mistyped key is recognized without a look-up
// and secret scanners can distinguish a key from other text.

const LOWER_ALPHANUMERIC = 'abcdefghijklmnopqrstuvwxyz0123456789';
const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_LENGTH = 12;
/** 43 characters of 62 are 256 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^(ek_([a-z0-9]{${ID_LENGTH}})_[A-Za-z0-9]{${SECRET_LENGTH}})([A-Za-z0-9]{${CHECKSUM_LENGTH}})$`);

/** A key whose checksum is correct; it may still be unknown or revoked. */
export interface ApiKey {
  /** Public, and part of the name of its Secret. */
  readonly id: string;
  /** The whole key. Only its hash is stored. */
  readonly text: string;
}

/** Parses a key; null where its form or checksum is wrong. */
export function parseApiKey(text: string): ApiKey | null {
  const match = FORM.exec(text);
  const [, unsigned, id, checksum] = match ?? [];
  if (unsigned === undefined || id === undefined || checksum !== checksumOf(unsigned)) return null;
  return { id, text };
}

/** A new key. @param draw uniform integer from 0 to below its argument, from a cryptographic source */
export function mintApiKey(draw: (below: number) => number): ApiKey {
  const textOf = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(draw(alphabet.length))).join('');
  const id = textOf(LOWER_ALPHANUMERIC, ID_LENGTH);
  const unsigned = `ek_${id}_${textOf(BASE62, SECRET_LENGTH)}`;
  return { id, text: `${unsigned}${checksumOf(unsigned)}` };
}

/** CRC-32 in base 62, as GitHub's tokens have it. 62^6 is more than 2^32. */
function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = BASE62.charAt(rest % BASE62.length) + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}

/** CRC-32 of IEEE 802.3 over the char codes, which are ASCII here. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index += 1) {
    crc ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
