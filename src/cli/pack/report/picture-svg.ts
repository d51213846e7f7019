// The packing as a picture: a row for each machine type, in which each node is as wide as its price, with its requested CPU above and its
// requested memory below.

import type { Packing, PackedNodes } from '../../../core/packing/packing.ts';
import { type PackingProblem, RESOURCE_COUNT } from '../../../core/packing/packing-problem.ts';
import { escapeXml } from '../../escape.ts';

const SIZE = { width: 960, label: 150, right: 90, row: 44, half: 15, top: 8 } as const;
/** Rows of the picture; further types, the cheapest, are one row. */
const MAX_ROWS = 24;
/** Narrower nodes are drawn as one with the mean of their shares. */
const MIN_WIDTH = 1;

const STYLE = [
  '.ek-packing{font:11px system-ui,sans-serif}.ek-packing text{fill:#4a5560}.ek-packing .free{fill:#8894a0;opacity:.25}',
  '.ek-packing .cpu{fill:#3d7fc4}.ek-packing .memory{fill:#0b8a72}',
  '@media(prefers-color-scheme:dark){.ek-packing text{fill:#b6bfc8}.ek-packing .cpu{fill:#6fb0f2}.ek-packing .memory{fill:#41d6b4}}',
].join('');

export const PICTURE_LEGEND =
  'A row is a machine type, its width the cost. Of each node, the share of its CPU (blue) and of its memory (green) that pods request; grey is requested by none.';

/** Equal shares of nodes next to each other. */
interface Bar {
  readonly usdPerHour: number;
  readonly cpu: number;
  readonly memory: number;
}

interface Row {
  readonly name: string;
  readonly nodes: number;
  readonly usdPerHour: number;
  readonly bars: readonly Bar[];
}

export function pictureSvg(problem: PackingProblem, packing: Packing): string {
  const rows = rowsOf(problem, packing);
  const widest = Math.max(...rows.map(({ usdPerHour }) => usdPerHour), Number.MIN_VALUE);
  const scale = (SIZE.width - SIZE.label - SIZE.right) / widest;
  const height = SIZE.top * 2 + rows.length * SIZE.row;
  return [
    `<svg class="ek-packing" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.width} ${height}" role="img" aria-label="Nodes by machine type">`,
    `<title>Nodes by machine type</title><style>${STYLE}</style>`,
    ...rows.map((row, at) => rowSvg(row, SIZE.top + at * SIZE.row, scale)),
    '</svg>',
  ].join('');
}

function rowSvg({ name, nodes, usdPerHour, bars }: Row, top: number, scale: number): string {
  const width = usdPerHour * scale;
  const { label, half } = SIZE;
  let x: number = label;
  const cpu: string[] = [];
  const memory: string[] = [];
  for (const bar of mergeNarrow(bars, MIN_WIDTH / scale)) {
    const right = x + bar.usdPerHour * scale;
    cpu.push(block(x, right, top + half, half * bar.cpu));
    memory.push(block(x, right, top + 2 * half + 1, half * bar.memory));
    x = right;
  }
  return [
    `<text x="${label - 8}" y="${top + half - 1}" text-anchor="end">${escapeXml(name)}</text>`,
    `<text x="${label - 8}" y="${top + 2 * half - 1}" text-anchor="end">${nodes} ${nodes === 1 ? 'node' : 'nodes'}</text>`,
    `<rect class="free" x="${label}" y="${top}" width="${round(width)}" height="${2 * half + 1}"/>`,
    `<path class="cpu" d="${cpu.join('')}"/><path class="memory" d="${memory.join('')}"/>`,
    `<text x="${round(label + width + 8)}" y="${top + half + 4}">$${usdPerHour.toFixed(2)}</text>`,
  ].join('');
}

/** A rectangle above `bottom`. */
function block(left: number, right: number, bottom: number, height: number): string {
  return `M${round(left)} ${round(bottom)}V${round(bottom - height)}H${round(right)}V${round(bottom)}Z`;
}

function rowsOf(problem: PackingProblem, { nodes }: Packing): Row[] {
  // What is free has no width.
  const paid = nodes.filter(({ shape }) => (problem.usdPerHour[shape] ?? 0) > 0);
  const byType = [...Map.groupBy(paid, ({ shape }) => shape)].map(([shape, same]): Row => {
    const bars = same.map((each) => barOf(problem, each)).sort((a, b) => b.cpu + b.memory - a.cpu - a.memory);
    return {
      name: problem.machineTypes[shape]?.name ?? '',
      nodes: same.reduce((sum, { copies }) => sum + copies, 0),
      usdPerHour: bars.reduce((sum, bar) => sum + bar.usdPerHour, 0),
      bars,
    };
  });
  byType.sort((a, b) => b.usdPerHour - a.usdPerHour || (a.name < b.name ? -1 : 1));
  if (byType.length <= MAX_ROWS) return byType;
  const others = byType.slice(MAX_ROWS - 1);
  return [
    ...byType.slice(0, MAX_ROWS - 1),
    {
      name: `${others.length} other types`,
      nodes: others.reduce((sum, { nodes: count }) => sum + count, 0),
      usdPerHour: others.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0),
      bars: others.flatMap(({ bars }) => bars),
    },
  ];
}

function barOf({ requests, capacities, usdPerHour }: PackingProblem, { shape, classes, counts, copies }: PackedNodes): Bar {
  const share = (resource: number): number => {
    const used = classes.reduce((sum, podClass, at) => sum + (requests[podClass * RESOURCE_COUNT + resource] ?? 0) * (counts[at] ?? 0), 0);
    return used === 0 ? 0 : used / (capacities[shape * RESOURCE_COUNT + resource] ?? 0);
  };
  return { usdPerHour: (usdPerHour[shape] ?? 0) * copies, cpu: share(0), memory: share(1) };
}

function mergeNarrow(bars: readonly Bar[], minUsd: number): Bar[] {
  const merged: Bar[] = [];
  for (const bar of bars) {
    const last = merged.at(-1);
    if (last === undefined || last.usdPerHour >= minUsd) merged.push(bar);
    else merged[merged.length - 1] = joined(last, bar);
  }
  return merged;
}

function joined(a: Bar, b: Bar): Bar {
  const usdPerHour = a.usdPerHour + b.usdPerHour;
  const mean = (of: (bar: Bar) => number): number => (usdPerHour === 0 ? 0 : (of(a) * a.usdPerHour + of(b) * b.usdPerHour) / usdPerHour);
  return { usdPerHour, cpu: mean((bar) => bar.cpu), memory: mean((bar) => bar.memory) };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
