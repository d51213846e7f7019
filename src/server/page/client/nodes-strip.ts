import type { Node } from '../../../apis/http/types.generated.ts';
import { emptyState } from './card.ts';
import { h, styled, type PageElement } from './dom.ts';
import { count, money, percent } from './format.ts';

/** Beyond this the strip says enough and a list would only be long. */
const MAX_LISTED = 24;

/** One cell a node: the room asked for, what of it is used, and the hatched rest that is paid for and does nothing. */
export function nodesStrip(nodes: readonly Node[]): readonly PageElement[] {
  if (nodes.length === 0) return [emptyState('No node yet', 'Nodes stand here as soon as one has joined the cluster.')];
  const strip = h(
    'div',
    { class: 'strip', role: 'img', 'aria-label': `Requested and used share of ${count(nodes.length, 'node')}` },
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
  const trouble = !node.ready ? 'down' : node.phase === 'ready' ? '' : 'held';
  return h(
    'span',
    { class: `cell ${node.capacityType === 'spot' ? 'spotn' : ''} ${trouble}`, title: describe(node) },
    styled(h('i', {}), { height: height(requested) }),
    styled(h('b', {}), { height: height(used) }),
  );
}

function line(node: Node): PageElement {
  return h('li', {}, h('span', { class: 'nowrap strong' }, node.name), h('span', {}, describe(node).slice(node.name.length + 3)));
}

function describe(node: Node): string {
  const state = node.ready ? (node.phase === 'ready' ? [] : [node.phase]) : ['not ready'];
  const month = node.costPerHourUsd === null ? [] : [`${money(node.costPerHourUsd * 730)} a month`];
  const spot = node.capacityType === 'spot' ? ['spot'] : [];
  const shares = `requested ${percent(dominant(node, node.requested))}, used ${percent(dominant(node, node.used))}`;
  return [node.name, ...state, ...(node.machineType === null ? [] : [node.machineType]), ...spot, shares, ...month].join(' · ');
}

/** The fuller of CPU and memory: what a pod meets first. */
function dominant(node: Node, part: { readonly cpuMillicores: number | null; readonly memoryBytes: number | null }): number | null {
  if (part.cpuMillicores === null || part.memoryBytes === null) return null;
  return Math.max(part.cpuMillicores / node.allocatable.cpuMillicores, part.memoryBytes / node.allocatable.memoryBytes);
}
