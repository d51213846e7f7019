import type { Node } from '../../../../apis/http/types.generated.ts';
import { emptyState } from '../card.ts';
import { h, styled, type PageElement } from '../dom.ts';
import { count, money, percent } from '../format.ts';

/** Above this number only the strip is drawn, without a list. */
const MAX_LISTED = 24;

/** Draws one cell per node: the requested capacity, the used part of it, and the hatched idle rest. */
export function nodesStrip(nodes: readonly Node[]): readonly PageElement[] {
  if (nodes.length === 0) return [emptyState('No node yet', 'Nodes appear here once they have joined the cluster.')];
  const strip = h(
    'div',
    { class: 'strip', role: 'img', 'aria-label': `Requested and used capacity of ${count(nodes.length, 'node')}` },
    ...nodes.map(cell),
  );
  return nodes.length > MAX_LISTED ? [strip] : [strip, h('ul', { class: 'nodes' }, ...nodes.map(line))];
}

export function nodesLine(nodes: readonly Node[]): string {
  const ready = nodes.filter((node) => node.ready).length;
  const pods = nodes.reduce((sum, node) => sum + node.pods.count, 0);
  return `${ready} of ${nodes.length} ready · ${count(pods, 'pod')}`;
}

function cell(node: Node): PageElement {
  const requested = dominant(node, node.requested);
  const used = dominant(node, node.used);
  const height = (ratio: number | null): string => `${Math.round(Math.min(1, ratio ?? 0) * 100)}%`;
  const status = !node.ready ? 'down' : node.phase === 'ready' ? '' : 'held';
  return h(
    'span',
    { class: `cell ${node.capacityType === 'spot' ? 'spotn' : ''} ${status}`, title: describe(node) },
    styled(h('i', {}), { height: height(requested) }),
    styled(h('b', {}), { height: height(used) }),
  );
}

function line(node: Node): PageElement {
  return h('li', {}, h('span', { class: 'nowrap strong' }, node.name), h('span', {}, describe(node).slice(node.name.length + 3)));
}

function describe(node: Node): string {
  const state = node.ready ? (node.phase === 'ready' ? [] : [node.phase]) : ['not ready'];
  const month = node.costPerHourUsd === null ? [] : [`${money(node.costPerHourUsd * 730)} per month`];
  const spot = node.capacityType === 'spot' ? ['spot'] : [];
  const shares = `requested ${percent(dominant(node, node.requested))}, used ${percent(dominant(node, node.used))}`;
  return [node.name, ...state, ...(node.machineType === null ? [] : [node.machineType]), ...spot, shares, ...month].join(' · ');
}

/** The higher ratio of CPU and memory, which limits new pods. */
function dominant(node: Node, part: { readonly cpuMillicores: number | null; readonly memoryBytes: number | null }): number | null {
  if (part.cpuMillicores === null || part.memoryBytes === null) return null;
  return Math.max(part.cpuMillicores / node.allocatable.cpuMillicores, part.memoryBytes / node.allocatable.memoryBytes);
}
