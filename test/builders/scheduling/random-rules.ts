// Random affinity, topology spread, tolerations and selectors.

import type { Dice } from './dice.ts';
import { HOSTNAME, NAMESPACES, TOPOLOGY_KEYS, ZONE, ZONES } from './wire-cluster.ts';

const APPS = ['web', 'db', 'cache'] as const;
const TIERS = ['front', 'back'] as const;

export function randomLabels(dice: Dice): Record<string, string> {
  return {
    ...(dice.chance(0.9) && { app: dice.pick(APPS) }),
    ...(dice.chance(0.5) && { tier: dice.pick(TIERS) }),
    ...(dice.chance(0.4) && { revision: dice.pick(['1', '2']) }),
  };
}

export function randomSelector(dice: Dice): object {
  if (dice.chance(0.06)) return {};
  if (dice.chance(0.7)) return { matchLabels: { app: dice.pick(APPS), ...(dice.chance(0.2) && { tier: dice.pick(TIERS) }) } };
  const operator = dice.pick(['In', 'NotIn', 'Exists', 'DoesNotExist']);
  const key = dice.pick(['app', 'tier', 'none', 'constructor']);
  const values = operator === 'In' || operator === 'NotIn' ? { values: dice.some([...APPS, ...TIERS], 0.5).concat('web') } : {};
  return { matchExpressions: [{ key, operator, ...values }] };
}

function randomNamespaceSelector(dice: Dice): object {
  if (dice.chance(0.25)) return {};
  if (dice.chance(0.6)) return { matchLabels: { env: dice.pick(['prod', 'dev']) } };
  const operator = dice.pick(['NotIn', 'Exists', 'DoesNotExist']);
  return { matchExpressions: [{ key: dice.pick(['env', 'team']), operator, ...(operator === 'NotIn' && { values: ['prod', 'red'] }) }] };
}

export function randomPodTerm(dice: Dice): object {
  const keys = ['revision', 'nothing'];
  return {
    topologyKey: dice.pick(TOPOLOGY_KEYS),
    ...(dice.chance(0.95) && {
      labelSelector: randomSelector(dice),
      ...(dice.chance(0.15) && { matchLabelKeys: dice.some(keys, 0.7) }),
      ...(dice.chance(0.1) && { mismatchLabelKeys: ['shard'] }),
    }),
    ...(dice.chance(0.15) && { namespaces: dice.some(NAMESPACES, 0.5) }),
    ...(dice.chance(0.2) && { namespaceSelector: randomNamespaceSelector(dice) }),
  };
}

export function randomSpread(dice: Dice): object[] {
  const keys = [...new Set(dice.times(dice.pick([1, 1, 2]), () => dice.pick(TOPOLOGY_KEYS)))];
  return keys.map((topologyKey) => {
    const hard = dice.chance(0.85);
    return {
      ...{ topologyKey, maxSkew: dice.pick([1, 1, 2, 3]), whenUnsatisfiable: hard ? 'DoNotSchedule' : 'ScheduleAnyway' },
      ...(dice.chance(0.93) && {
        labelSelector: randomSelector(dice),
        ...(dice.chance(0.2) && { matchLabelKeys: ['revision'] }),
      }),
      ...(hard && dice.chance(0.2) && { minDomains: dice.between(1, 5) }),
      ...(dice.chance(0.25) && { nodeAffinityPolicy: dice.pick(['Honor', 'Ignore']) }),
      ...(dice.chance(0.25) && { nodeTaintsPolicy: dice.pick(['Honor', 'Ignore']) }),
    };
  });
}

export function randomTolerations(dice: Dice): object[] {
  return dice.times(dice.pick([1, 1, 2]), () => {
    const effect = dice.maybe(0.6, () => ({ effect: dice.pick(['NoSchedule', 'NoExecute', 'PreferNoSchedule']) }));
    if (dice.chance(0.15)) return { operator: 'Exists', ...effect };
    const key = dice.pick(['gpu', 'dedicated', 'node.kubernetes.io/unschedulable', 'node.kubernetes.io/not-ready']);
    if (dice.chance(0.5)) return { key, operator: 'Exists', ...effect };
    return {
      key,
      ...(dice.chance(0.5) && { operator: 'Equal' }),
      ...(dice.chance(0.7) && { value: dice.pick(['yes', 'no', '5']) }),
      ...effect,
    };
  });
}

export function randomNodeSelector(dice: Dice): Record<string, string> {
  return dice.pick([{ disk: 'ssd' }, { disk: 'hdd' }, { [ZONE]: dice.pick(ZONES) }, { rack: '' }, { disk: 'ssd', rack: 'r1' }]);
}

export function randomNodeTerms(dice: Dice, nodes: number): object {
  return { nodeSelectorTerms: dice.times(dice.pick([1, 1, 2, 3]), () => randomNodeTerm(dice, nodes)) };
}

function randomNodeTerm(dice: Dice, nodes: number): object {
  if (dice.chance(0.05)) return {};
  const byName = dice.chance(0.2);
  const name = `node-${dice.below(nodes + 1)}`;
  return {
    ...((!byName || dice.chance(0.3)) && { matchExpressions: dice.times(dice.pick([1, 1, 2]), () => randomRequirement(dice)) }),
    ...(byName && {
      matchFields: [{ key: 'metadata.name', operator: dice.pick(['In', 'NotIn', 'In']), values: [name] }, ...secondName(dice, nodes)],
    }),
  };
}

function secondName(dice: Dice, nodes: number): object[] {
  return dice.chance(0.15) ? [{ key: 'metadata.name', operator: 'In', values: [`node-${dice.below(nodes)}`] }] : [];
}

function randomRequirement(dice: Dice): object {
  const operator = dice.pick(['In', 'In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']);
  if (operator === 'Gt' || operator === 'Lt')
    return { key: dice.pick(['generation', 'generation', 'disk', 'none']), operator, values: [dice.pick(['0', '1', '5', '007'])] };
  if (operator === 'Exists' || operator === 'DoesNotExist')
    return { key: dice.pick(['disk', 'rack', 'generation', 'constructor']), operator };
  const [key, values] = dice.pick([
    ['disk', ['ssd', 'hdd']],
    [ZONE, [...ZONES]],
    ['rack', ['r1', 'r2', '']],
    [HOSTNAME, ['node-0', 'node-1', 'node-2']],
  ] as const);
  return { key, operator, values: [dice.pick(values), ...dice.some(values, 0.3)] };
}
