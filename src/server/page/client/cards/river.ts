import type { AppliedValue, Recommendation, RecommendationDetail } from '../../../../apis/http/types.generated.ts';
import { emptyState } from '../card.ts';
import { h, type PageElement } from '../dom.ts';
import { count, cpu, memory, moment } from '../format.ts';
import { icon, type IconName } from '../icons.ts';

/** Number of workloads whose latest changes are read. */
export const RIVER_WORKLOADS = 8;
const ENTRIES_SHOWN = 12;

/** A change of one container, over all pods that were changed together. */
export interface RiverEntry {
  readonly at: string;
  readonly workload: string;
  readonly container: string;
  readonly from: unknown;
  readonly to: unknown;
  readonly pods: number;
  readonly outcome: AppliedValue['outcome'];
  readonly reason: string;
}

/** The most recently changed workloads, whose history is read. */
export function riverSources(items: readonly Recommendation[]): readonly Recommendation[] {
  return items
    .filter((item) => item.appliedAt !== null)
    .sort((a, b) => ((a.appliedAt ?? '') < (b.appliedAt ?? '') ? 1 : -1))
    .slice(0, RIVER_WORKLOADS);
}

/** Groups pods with the same values, outcome and hour into one entry. */
export function riverEntries(details: readonly RecommendationDetail[]): readonly RiverEntry[] {
  const entries = new Map<string, RiverEntry>();
  for (const detail of details) {
    for (const value of detail.audit.history ?? []) {
      const workload = `${detail.namespace}/${detail.name}`;
      const key = JSON.stringify([workload, value.container, value.from, value.to, value.outcome, value.at.slice(0, 13)]);
      const known = entries.get(key);
      const at = known === undefined || value.at > known.at ? value.at : known.at;
      entries.set(key, {
        at,
        workload,
        container: value.container,
        from: value.from,
        to: value.to,
        pods: (known?.pods ?? 0) + 1,
        outcome: value.outcome,
        reason: value.reason,
      });
    }
  }
  return [...entries.values()].sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, ENTRIES_SHOWN);
}

const OUTCOMES: Readonly<Record<AppliedValue['outcome'], { word: string; icon: IconName; tone: string }>> = {
  applied: { word: 'in place', icon: 'check', tone: 'save' },
  deferred: { word: 'deferred: no node capacity yet', icon: 'clock', tone: 'warn' },
  infeasible: { word: 'infeasible on its node', icon: 'triangle', tone: 'warn' },
  rejected: { word: 'rejected', icon: 'octagon', tone: 'crit' },
  'rolled-back': { word: 'rolled back', icon: 'back', tone: 'warn' },
  'dry-run': { word: 'dry-run', icon: 'circle', tone: 'infoc' },
  failed: { word: 'failed', icon: 'octagon', tone: 'crit' },
};

/** Draws recent changes, latest first. */
export function river(entries: readonly RiverEntry[]): readonly PageElement[] {
  if (entries.length === 0) {
    return [
      emptyState('Nothing was resized yet', 'Changes appear here as they are applied, after an approval or by a policy in mode Auto.'),
    ];
  }
  return [h('ol', { class: 'river' }, ...entries.map(entry))];
}

function entry(item: RiverEntry): PageElement {
  const outcome = OUTCOMES[item.outcome];
  const mark = h('span', { class: `mk ${outcome.tone}` }, icon(outcome.icon));
  return h(
    'li',
    {},
    h('span', { class: 'when t3' }, h('time', { datetime: item.at }, moment(item.at))),
    mark,
    h('span', { class: 'what' }, h('b', {}, item.workload), ` ${item.container}: ${changes(item.from, item.to)}`),
    h('span', { class: 'how t2' }, `${outcome.word} on ${count(item.pods, 'pod')}`),
  );
}

function changes(from: unknown, to: unknown): string {
  const [before, after] = [requestsOf(from), requestsOf(to)];
  const parts = [
    before.cpuMillicores === after.cpuMillicores ? null : `CPU ${cpu(before.cpuMillicores)} → ${cpu(after.cpuMillicores)}`,
    before.memoryBytes === after.memoryBytes ? null : `memory ${memory(before.memoryBytes)} → ${memory(after.memoryBytes)}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'limits only' : parts.join(', ');
}

function requestsOf(value: unknown): { readonly cpuMillicores: number | null; readonly memoryBytes: number | null } {
  const requests = (
    value as { readonly requests?: { readonly cpuMillicores?: number | null; readonly memoryBytes?: number | null } } | null
  )?.requests;
  return { cpuMillicores: requests?.cpuMillicores ?? null, memoryBytes: requests?.memoryBytes ?? null };
}
