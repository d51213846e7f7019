import { BlockList, isIPv4 } from 'node:net';
import { canonicalAddress } from './canonical-address.ts';

interface AddressRange {
  readonly address: string;
  /** Bits that are compared. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Whether the text is an IP address, or a range such as 10.0.0.0/8. Every address (prefix 0) is no range. */
export function isAddressRange(text: string): boolean {
  return parseRange(text) !== null;
}

/** Whether an address is in one of the ranges. Spellings of one address are equal, and so is an IPv4 address that is mapped into IPv6. */
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  // One list for each family: in a list of both, an IPv6 range contains mapped IPv4 addresses.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of ranges) {
    const range = parseRange(text);
    if (range === null) throw new RangeError(`"${text}" is no IP address or range`);
    lists[range.family].addSubnet(range.address, range.prefix, range.family);
  }
  return (text) => {
    const address = canonicalAddress(text);
    if (address === null) return false;
    const family = familyOf(address);
    return lists[family].check(address, family);
  };
}

function parseRange(text: string): AddressRange | null {
  const [network = '', prefix, ...rest] = text.split('/');
  const address = canonicalAddress(network);
  if (address === null || rest.length > 0 || network.includes('%')) return null;
  const family = familyOf(address);
  const bits = family === 'ipv4' ? 32 : 128;
  if (prefix === undefined) return { address, prefix: bits, family };
  // The prefix of a mapped address would count bits of the IPv6 spelling.
  if (!/^[1-9]\d{0,2}$/.test(prefix) || Number(prefix) > bits || (family === 'ipv4' && !isIPv4(network))) return null;
  return { address, prefix: Number(prefix), family };
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
