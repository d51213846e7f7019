// The line above everything: which cluster, in which mode, and how old what is shown is.

import type { Cluster, Mode } from '../../../apis/http/types.generated.ts';
import { byId, h, page, replaceContent, type PageElement } from './dom.ts';
import { clockSeconds, count } from './format.ts';
import { icon } from './icons.ts';

export interface TopBarView {
  readonly cluster: Cluster | null;
  readonly mode: Mode | null;
  /** How old the data is, in words; null: not too old. */
  readonly staleFor: string | null;
  readonly isConnected: boolean;
  /** Time of the last answer (RFC 3339); empty before the first. */
  readonly lastSeen: string;
}

export function drawTopBar(view: TopBarView): void {
  const { cluster, mode } = view;
  const name = cluster?.name ?? mode?.clusterName ?? '';
  byId('cluster-name').textContent = name;
  page().title = name === '' ? 'Evenkeel' : `${name} · Evenkeel`;
  replaceContent(byId('mode'), modeChip(cluster?.mode ?? mode?.mode ?? null));
  drawAge(view);
  drawBanner(view);
  byId('facts').textContent = [...factsOf(cluster), ...(mode === null ? [] : [`Evenkeel ${mode.version}`])].join(' · ');
}

/** The clock beside which everything is read: amber once the data is old, or the server gone. */
function drawAge({ staleFor, isConnected, lastSeen }: TopBarView): void {
  const asof = byId('asof');
  asof.classList.toggle('late', staleFor !== null || !isConnected);
  const seen = lastSeen === '' ? 'connecting' : `as of ${clockSeconds(lastSeen)} UTC`;
  replaceContent(asof, h('span', { class: 'dot' }), h('span', {}, staleFor === null ? seen : `data ${staleFor} old`));
  page().body.dataset['stale'] = String(staleFor !== null);
}

function drawBanner({ isConnected, lastSeen }: TopBarView): void {
  const banner = byId('banner');
  banner.hidden = isConnected;
  if (isConnected) return;
  const known = lastSeen === '' ? 'last' : `at ${clockSeconds(lastSeen)} UTC`;
  replaceContent(
    banner,
    icon('triangle'),
    h('span', {}, `The dashboard’s server does not answer. Shown is what was known ${known}; it comes back by itself.`),
  );
}

function factsOf(cluster: Cluster | null): readonly string[] {
  if (cluster === null) return [];
  const waiting = cluster.waitingForNodeCapacity?.pods ?? 0;
  return [
    ...(cluster.kubernetesVersion === null ? [] : [`Kubernetes ${cluster.kubernetesVersion}`]),
    count(cluster.pods.total, 'pod'),
    ...(waiting === 0 ? [] : [`${count(waiting, 'raise')} waiting for node capacity`]),
  ];
}

function modeChip(mode: Cluster['mode'] | null): PageElement {
  if (mode === null) return h('span', {});
  if (mode === 'active') return h('span', { class: 'chip' }, icon('check', true), 'Active');
  if (mode === 'dry-run') return h('span', { class: 'chip infoc' }, icon('circle', true), 'Dry-run');
  return h('span', { class: 'chip warn' }, icon('pause', true), 'Paused');
}
