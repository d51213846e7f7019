// The top bar: cluster, mode and age of the displayed data.

import type { Cluster, Mode } from '../../../../apis/http/types.generated.ts';
import { byId, h, page, replaceContent, type PageElement } from '../dom.ts';
import { clockSeconds, count, moment } from '../format.ts';
import { icon } from '../icons.ts';

/** Keeps the top bar on one line; `/mode` has the whole reason. */
const MAX_REASON = 80;

export interface TopBarView {
  readonly cluster: Cluster | null;
  readonly mode: Mode | null;
  /** Age of outdated data; null: current. */
  readonly staleFor: string | null;
  readonly isConnected: boolean;
  /** Time of the last answer (RFC 3339); empty before the first. */
  readonly lastAnswerAt: string;
}

export function drawTopBar(view: TopBarView): void {
  const { cluster, mode } = view;
  const name = cluster?.name ?? mode?.clusterName ?? '';
  byId('cluster-name').textContent = name;
  page().title = name === '' ? 'Evenkeel' : `${name} · Evenkeel`;
  replaceContent(byId('mode'), modeChip(cluster?.mode ?? mode?.mode ?? null, mode?.pause ?? null));
  drawAge(view);
  drawBanner(view);
  byId('facts').textContent = [...factsOf(cluster), ...(mode === null ? [] : [`Evenkeel ${mode.version}`])].join(' · ');
}

/** Draws the time of the data: amber where it is old or the server is unreachable. */
function drawAge({ staleFor, isConnected, lastAnswerAt }: TopBarView): void {
  const asof = byId('asof');
  asof.classList.toggle('late', staleFor !== null || !isConnected);
  const seen = lastAnswerAt === '' ? 'connecting' : `as of ${clockSeconds(lastAnswerAt)} UTC`;
  replaceContent(asof, h('span', { class: 'dot' }), h('span', {}, staleFor === null ? seen : `data ${staleFor} old`));
  page().body.dataset['stale'] = String(staleFor !== null);
}

function drawBanner({ isConnected, lastAnswerAt }: TopBarView): void {
  const banner = byId('banner');
  banner.hidden = isConnected;
  if (isConnected) return;
  const known = lastAnswerAt === '' ? 'the last answer' : `${clockSeconds(lastAnswerAt)} UTC`;
  replaceContent(
    banner,
    icon('triangle'),
    h('span', {}, `The dashboard’s server does not answer. The page shows data from ${known} and reconnects automatically.`),
  );
}

function factsOf(cluster: Cluster | null): readonly string[] {
  if (cluster === null) return [];
  const waiting = cluster.waitingForNodeCapacity?.pods ?? 0;
  return [
    ...(cluster.kubernetesVersion === null ? [] : [`Kubernetes ${cluster.kubernetesVersion}`]),
    count(cluster.pods.total, 'pod'),
    ...(waiting === 0 ? [] : [`${count(waiting, 'increase')} waiting for node capacity`]),
  ];
}

function modeChip(mode: Cluster['mode'] | null, pause: Mode['pause']): PageElement {
  if (mode === null) return h('span', {});
  if (mode === 'active') return h('span', { class: 'chip' }, icon('check', true), 'Active');
  if (mode === 'dry-run') return h('span', { class: 'chip infoc' }, icon('circle', true), 'Dry-run');
  return h('span', { class: 'chip warn' }, icon('pause', true), pauseText(pause));
}

/** `Paused until 26 Nov 14:00 UTC: investigating an incident`; `Paused` before the pause has been read. */
export function pauseText(pause: Mode['pause']): string {
  if (pause === null) return 'Paused';
  const end = pause.until === null ? '' : ` until ${moment(pause.until)} UTC`;
  return `Paused${end}${pause.reason === '' ? '' : `: ${shortened(pause.reason)}`}`;
}

function shortened(reason: string): string {
  return reason.length <= MAX_REASON ? reason : `${reason.slice(0, MAX_REASON - 1)}…`;
}
