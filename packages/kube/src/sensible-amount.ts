// Amounts of CPU and memory that a user configures, without those that only a forgotten or wrong suffix explains.

import { parsed, refused, type Parsed } from './parsed.ts';
import { parseCpuMillicores, parseMemoryBytes, parseQuantity } from './quantity.ts';
import { NANO } from './read-quantity.ts';
import type { ResourceName } from './records/resources.ts';
import { MiB } from './units.ts';

const NANO_PER_MILLICORE = NANO / 1000n;
const MIN_MEMORY_NANO = BigInt(MiB) * NANO;

/**
 * Parses an amount to millicores or bytes. Refuses memory below 1Mi or with a fraction of a byte, and CPU below 1m; 0 is valid.
 */
export function parseSensibleAmount(resource: ResourceName, given: string | number): Parsed<number> {
  const amount = resource === 'cpu' ? parseCpuMillicores(given) : parseMemoryBytes(given);
  const quantity = parseQuantity(given);
  if (!amount.ok || !quantity.ok || amount.value === 0) return amount;
  const { nano } = quantity.value;
  const text = String(given);
  if (resource === 'cpu') {
    return nano < NANO_PER_MILLICORE ? refused(`${text} is less than a thousandth of a core; write an amount such as 250m or 2`) : amount;
  }
  if (nano % NANO === 0n && nano >= MIN_MEMORY_NANO) return parsed(amount.value);
  return refused(`${text} is ${bytesText(nano)}; write ${suggestion(text)}`);
}

function bytesText(nano: bigint): string {
  const bytes = Number(nano) / Number(NANO);
  if (bytes === 0.1) return 'a tenth of a byte';
  return bytes === 1 ? '1 byte' : `${bytes} bytes`;
}

/** The same digits in mebibytes, which a plain number or the suffix of CPU usually means. */
function suggestion(text: string): string {
  const digits = /^\+?([0-9]{1,5})m?$/.exec(text)?.[1];
  return digits === undefined ? 'a whole number of bytes of at least 1Mi, such as 100Mi' : `${digits}Mi`;
}
