import { type GapCause, roundParts } from '../../../core/packing/gap/split-gap.ts';
import { printable } from '../../escape.ts';
import type { PackSummary } from './summary.ts';

/** Digits of dollars: to the cent; where the whole costs little, to a hundredth of it. */
export function dollarDigits({ methods }: PackSummary): number {
  return (methods[0]?.usdPerHour ?? 0) < 10 ? 4 : 2;
}

/** Nodes that are named beside a reason. */
const MAX_NAMED = 3;

/** The nodes that exist, and why some of them stay. */
export function describeExisting(summary: PackSummary): string[] {
  const { existing } = summary;
  if (existing === null) return [];
  const dollars = (usd: number): string => `$${usd.toFixed(dollarDigits(summary))}`;
  const { nodes, usdPerHour, pendingPods, staying, priceSources } = existing;
  const prices = priceSources.length === 0 ? [] : [`Prices: ${printable(priceSources.join('; '))}.`];
  const pending = pendingPods === 0 ? '' : `; ${counted(pendingPods, 'pod')} of them on no node`;
  const first = `${counted(nodes, 'node')} now, for ${dollars(usdPerHour)} an hour${pending}.`;
  if (staying.nodes === 0) return [`${first} Every pod may move.`, ...prices];
  return [
    `${first} ${staying.nodes} of them stay, for ${dollars(staying.usdPerHour)}, with ${counted(staying.pods, 'pod')} that cannot move:`,
    ...staying.reasons.map(({ reason, pods, nodes: names }) => {
      const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
      const on = `${names.slice(0, MAX_NAMED).map(printable).join(', ')}${more}`;
      return `  ${printable(reason)}: ${pods === 0 ? on : `${counted(pods, 'pod')} on ${on}`}`;
    }),
    ...prices,
  ];
}

const CAUSES: Readonly<Record<GapCause, string>> = {
  fragmentation: 'fragmentation: pods that may move, packed again',
  'pending-pods': 'pending pods: nodes that do not exist yet',
  'immovable-pods': 'immovable pods: their nodes given up, too',
  policy: 'policy: max of the pools and headroom left out',
  'spot-caution': 'spot caution: spot nodes for every pod',
  'not-proven': 'not proven: packing against the lower bound',
};

export const GAP_HEADER = ['why money is left', '$/hour', 'of the cost now'];

/** Parts of the gap, and their sum. */
export function gapRows(summary: PackSummary): string[][] {
  const { gap, existing } = summary;
  if (gap === null || existing === null) return [];
  const digits = dollarDigits(summary);
  const amounts = roundParts(gap.parts, digits);
  const row = (name: string, usd: number): string[] => [name, usd.toFixed(digits), share(usd, existing.usdPerHour)];
  const sum = gap.parts.reduce((total, { usdPerHour }) => total + usdPerHour, 0);
  return [...gap.parts.map(({ cause }, at) => row(CAUSES[cause], amounts[at] ?? 0)), row('the nodes now, less the lower bound', sum)];
}

/** What the sum is counted from. */
export function describeGap(summary: PackSummary): string[] {
  const { gap } = summary;
  if (gap === null) return [];
  const bound = gap.boundUsdPerHour.toFixed(dollarDigits(summary));
  return [`Without these restrictions, no packing costs less than $${bound} an hour; pods with a rule between zones keep their zone.`];
}

function share(usd: number, whole: number): string {
  return whole === 0 ? '–' : `${((usd / whole) * 100).toFixed(1)} %`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
