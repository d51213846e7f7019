import { isIP } from 'node:net';

/** Express' names of private address ranges. */
const NAMED_RANGES: readonly string[] = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether Express accepts the text as a range of trusted proxies: an address, `10.0.0.0/8`, `10.0.0.0/255.0.0.0`, or a name. */
export function isProxyRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true;
  const [address = '', mask, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (mask === undefined) return true;
  if (/^\d{1,3}$/.test(mask)) return Number(mask) > 0 && Number(mask) <= (family === 4 ? 32 : 128);
  return family === 4 && isNetmask(mask);
}

/** Whether the bits are ones followed by zeros, with at least one one. */
function isNetmask(mask: string): boolean {
  if (isIP(mask) !== 4) return false;
  const bits = mask
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('');
  return /^1+0*$/.test(bits);
}
