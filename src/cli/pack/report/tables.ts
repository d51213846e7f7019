import type { BoundKind } from '../../../core/packing/choose-bound.ts';
import { printable } from '../../escape.ts';
import { describeExisting, describeGap, dollarDigits, GAP_HEADER, gapRows } from './existing-tables.ts';
import type { PackSummary } from './summary.ts';
import type { TypeTotals } from './type-totals.ts';

/** What each lower bound is, in words. */
const BOUND_TEXTS: Readonly<Record<BoundKind | 'patterns', string>> = {
  patterns: 'linear program over patterns of pods on a node',
  classes: 'linear program over pod classes and machine types',
  'merged-classes': 'linear program over machine types and pod classes that are merged by rounding their requests down',
  resources: 'linear program over resources and machine types',
  'single-resource': 'the most expensive resource at its lowest price, because the solver was not done in time',
};

/** Lines of the result. */
export function printTables(summary: PackSummary): string[] {
  return [
    describeInput(summary),
    ...describeExisting(summary),
    '',
    ...alignedTable(...nodeTable(summary)),
    '',
    ...alignedTable(METHOD_HEADER, methodRows(summary)),
    '',
    ...describeBound(summary),
    ...(summary.gap === null ? [] : ['', ...alignedTable(GAP_HEADER, gapRows(summary)), '', ...describeGap(summary), '']),
    ...describePreferences(summary),
    ...describeNotes(summary),
    ...describePending(summary),
    `Checked: every pod once, no node over its allocatable, every filter kept, costs added up again${summary.isProvenByFilters ? '; by the filters of kube-scheduler, every pod on its node' : ''}.`,
  ];
}

export function describeInput({ pods, classes, requested }: PackSummary): string {
  const gpus = requested.gpus > 0 ? `, ${requested.gpus} GPUs` : '';
  return `${pods} ${pods === 1 ? 'pod' : 'pods'} of ${classes} ${classes === 1 ? 'size' : 'sizes'}: ${requested.cores.toFixed(1)} cores, ${requested.memoryGib.toFixed(1)} GiB${gpus}`;
}

export function describeBound({ pods, lowerBound: { kind, usdPerCore, usdPerGib } }: PackSummary): string[] {
  if (pods === 0) return ['Lower bound: no pod can be packed, so that it is the cost of the nodes that stay.'];
  return [
    `Lower bound: ${BOUND_TEXTS[kind]}. No packing of these pods costs less.`,
    `One more core costs about $${usdPerCore.toFixed(4)} an hour, one more GiB $${usdPerGib.toFixed(4)}.`,
  ];
}

export const METHOD_HEADER = ['method', 'nodes', '$/hour', 'over the bound'];

/** Notes that are printed; the others are counted, and are all in the JSON output. */
const MAX_NOTES = 10;

/** What the result depends on and is not stated. */
export function describeNotes({ notes }: PackSummary): string[] {
  const left = notes.length - MAX_NOTES;
  return [...notes.slice(0, MAX_NOTES), ...(left > 0 ? [`and ${left} more notes`] : [])].map((note) => `Note: ${printable(note)}.`);
}

/** What became of the preferences. */
export function describePreferences(summary: PackSummary): string[] {
  const { preferences } = summary;
  if (preferences === null) return [];
  const { kept, total, keptWithout, isObeyed, usdPerHour, maxUsdPerHour } = preferences;
  const dollars = (usd: number): string => `$${usd.toFixed(4)}`;
  if (isObeyed) {
    return [
      `Preferences: ${kept} of ${total} are kept, for ${dollars(usdPerHour ?? 0)} an hour; a packing without regard to them keeps ${keptWithout}.`,
    ];
  }
  const why =
    usdPerHour === null
      ? 'no packing within max keeps more'
      : maxUsdPerHour === 0
        ? 'none more is worth its cost'
        : `more would cost ${dollars(usdPerHour)} an hour, and may cost ${dollars(maxUsdPerHour)}`;
  return [`Preferences: ${kept} of ${total} are kept; ${why}.`];
}

/** Pending pods that are printed; the others are counted. */
const MAX_PENDING = 20;

/** Pods that stay pending. */
export function describePending({ pending }: PackSummary): string[] {
  if (pending.length === 0) return [];
  const left = pending.length - MAX_PENDING;
  return [
    `Pending: ${pending.length} ${pending.length === 1 ? 'pod of low priority finds' : 'pods of low priority find'} no place within max.`,
    ...pending.slice(0, MAX_PENDING).map(({ name, priority, reason }) => `  ${printable(name)} (priority ${priority}): ${reason}`),
    ...(left > 0 ? [`  and ${left} more`] : []),
  ];
}

/** The methods, and the lower bound. */
export function methodRows(summary: PackSummary): string[][] {
  const { methods, lowerBound, existing } = summary;
  const dollars = dollarsOf(summary);
  const rows = methods.map(({ method, outcome, nodes, usdPerHour, gap }) => {
    if (outcome === 'found') return [method, String(nodes), dollars(usdPerHour ?? 0), percent(gap, 2)];
    return [method, outcome === 'none' ? 'none found' : 'not done', '', ''];
  });
  const gapNow = existing === null || lowerBound.usdPerHour === 0 ? null : existing.usdPerHour / lowerBound.usdPerHour - 1;
  const now = existing === null ? [] : [['the nodes now', String(existing.nodes), dollars(existing.usdPerHour), percent(gapNow, 2)]];
  return [...now, ...rows, ['lower bound', '', dollars(lowerBound.usdPerHour), '']];
}

const NODE_HEADER = ['nodes', 'pods', '$/hour', 'CPU requested', 'memory requested'];

/** Nodes by machine type, zone and capacity type, where pools state them, and their sum: the header and the rows. */
export function nodeTable(summary: PackSummary): readonly [header: readonly string[], rows: readonly (readonly string[])[]] {
  const { machineTypes, methods } = summary;
  const pods = machineTypes.reduce((sum, type) => sum + type.pods, 0);
  const dollars = dollarsOf(summary);
  const own = methods[0];
  const names = [
    { header: 'machine type', of: ({ machineType, stays }: TypeTotals) => `${printable(machineType)}${stays ? ' (stays)' : ''}` },
    ...(machineTypes.some(({ zone }) => zone !== null) ? [{ header: 'zone', of: ({ zone }: TypeTotals) => zone ?? '' }] : []),
    ...(machineTypes.some(({ capacityType }) => capacityType !== null)
      ? [{ header: 'capacity', of: ({ capacityType }: TypeTotals) => capacityType ?? '' }]
      : []),
  ];
  const rows = machineTypes.map((totals) => [
    ...names.map(({ of }) => of(totals)),
    String(totals.nodes),
    String(totals.pods),
    dollars(totals.usdPerHour),
    percent(totals.cpuRequested),
    percent(totals.memoryRequested),
  ]);
  const total = ['total', ...names.slice(1).map(() => ''), String(own?.nodes ?? 0), String(pods), dollars(own?.usdPerHour ?? 0), '', ''];
  return [
    [...names.map(({ header }) => header), ...NODE_HEADER],
    [...rows, total],
  ];
}

/** Dollars to the cent; where the whole costs little, to a hundredth of it. */
function dollarsOf(summary: PackSummary): (usd: number) => string {
  const digits = dollarDigits(summary);
  return (usd) => usd.toFixed(digits);
}

/** A share as percent. */
function percent(share: number | null, digits = 1): string {
  return share === null ? '–' : `${(share * 100).toFixed(digits)} %`;
}

/** A table with its first column to the left and the others to the right. */
function alignedTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = header.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(header), ...rows.map(line)];
}
