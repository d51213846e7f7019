import { isIP, isIPv6 } from 'node:net';

/**
 * The one spelling of an IP address: lower case, zeros compressed, without a zone, and an IPv4 address that is mapped into IPv6 as IPv4.
 * null: not an address.
 */
export function canonicalAddress(text: string): string | null {
  const [address = ''] = text.split('%');
  if (isIP(address) === 0) return null;
  if (!isIPv6(address)) return address;
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  return mapped === null ? canonical : [mapped[1], mapped[2]].flatMap((hextet) => octetsOf(hextet ?? '')).join('.');
}

function octetsOf(hextet: string): readonly number[] {
  const value = Number.parseInt(hextet, 16);
  return [value >> 8, value & 0xff];
}
