// Values that fit into a reference of an object as small integers (31 bits and a sign). A string or another number takes 16 to 40 bytes more.

import type { Instant } from '#kube/units';

const SECOND_MS = 1000;
const IPV4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** Seconds of a time, which are whole in Kubernetes; null: none. */
export function packTime(at: Instant | null): number | null {
  return at === null ? null : at / SECOND_MS;
}

/** The inverse of `packTime`. */
export function unpackTime(seconds: number | null): Instant | null {
  return seconds === null ? null : Math.round(seconds * SECOND_MS);
}

/** A text of digits as the number that has this text; another text unchanged. */
export function packNumber(text: string): string | number {
  const number = Number(text);
  return Number.isSafeInteger(number) && String(number) === text ? number : text;
}

/** An IPv4 address as a 32-bit integer; another text unchanged. */
export function packAddress(text: string): string | number {
  const [, ...bytes] = IPV4.exec(text) ?? [];
  const packed = bytes.reduce((number, byte) => (number << 8) | Number(byte), 0);
  return bytes.length > 0 && unpackAddress(packed) === text ? packed : text;
}

/** The inverse of `packAddress`. */
export function unpackAddress(address: string | number): string {
  return typeof address === 'string' ? address : [24, 16, 8, 0].map((shift) => (address >> shift) & 255).join('.');
}
