// The string formats that Kubernetes validates in custom resources. Unknown formats are ignored.

import { parseQuantity } from '#kube/quantity';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const HOSTNAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const EMAIL = /^[^\s@<>(),;:"]+@[^\s@<>(),;:"]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h|d|w))+)$/;

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  datetime: (text) => DATE_TIME.test(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T'))),
  date: (text) => DATE.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => GO_DURATION.test(text),
  email: (text) => EMAIL.test(text),
  hostname: (text) => HOSTNAME.test(text),
  ipv4: (text) => IPV4.test(text),
  ipv6: isIpv6,
  cidr: isCidr,
  uuid: (text) => UUID.test(text),
  uri: isUri,
  byte: (text) => BASE64.test(text.replaceAll(/[\r\n]/g, '')),
  mac: (text) => /^(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  quantity: (text) => parseQuantity(text).ok,
};

/** Whether the text has the format. */
export function hasFormat(text: string, format: string): boolean {
  if (!Object.hasOwn(CHECKS, format)) return true;
  return CHECKS[format]?.(text) ?? true;
}

export function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

/** RFC 4291 text form, without a zone. */
export function isIpv6(text: string): boolean {
  if (!/^[0-9a-f:.]+$/i.test(text) || !text.includes(':')) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const mapped = last.includes('.');
  if (mapped && !IPV4.test(last)) return false;
  const words = mapped ? groups.slice(0, -1) : groups;
  if (!words.every((word) => /^[0-9a-f]{1,4}$/i.test(word))) return false;
  const count = words.length + (mapped ? 2 : 0);
  return halves.length === 2 ? count <= 7 : count === 8;
}

export function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(prefix)) return false;
  return (IPV4.test(address) && Number(prefix) <= 32) || (isIpv6(address) && Number(prefix) <= 128);
}

function isUri(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text);
}
