import { isIPv6 } from 'node:net';

const HEXTETS = 8;
const PREFIX_HEXTETS = 4;

/**
 * The key by which limits count a client: an IPv4 address (also where it is mapped into IPv6), or the /64 prefix of an IPv6 address, because
 * one client usually has a whole prefix.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, HEXTETS - before.length - after.length)).fill('0');
  const prefix = [...before, ...zeros, ...after].slice(0, PREFIX_HEXTETS);
  return `${prefix.map((hextet) => Number.parseInt(hextet, 16).toString(16)).join(':')}::/64`;
}
