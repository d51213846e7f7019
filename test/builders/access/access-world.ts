// A cluster with objects of every kind in several namespaces, and twins that have some of the namespaces only.

import { createHash } from 'node:crypto';
import { WORKLOAD_ANNOTATIONS } from '../../../src/apis/annotations.ts';
import { mintApiKey } from '../../../src/core/access/api-key.ts';
import type { TimelineEntry } from '../../../src/ports/store/timeline.ts';
import { isoTime } from '#kube/time/iso-time';
import { GiB, HOUR_MS, type Instant } from '#kube/units';
import { FakeAccessStore } from '../../fakes/fake-access-store.ts';
import { seededRandom } from '../../fakes/seeded-random.ts';
import { dashboardWorld, type DashboardWorld } from '../dashboard-world.ts';
import { withExceptions } from '../exceptions.ts';
import { anHpaRecord } from '../rightsizing.ts';
import { makeIdle } from '../shop/idle-shop.ts';
import { policyGrants, type AccessCaller } from './callers.ts';

export interface AccessWorld {
  readonly world: DashboardWorld;
  readonly store: FakeAccessStore;
}

/** Time of sessions, which is real time. */
export const SESSION_NOW: Instant = Date.UTC(2026, 10, 27, 12);
/** The local admin's credentials, as a body of the sign-in. */
export const LOCAL_ADMIN = { email: 'admin@example.com', password: 'correct horse battery' };

/** An access request that every world has. */
export const PENDING_REQUEST = {
  ...{ id: 'pendingrequ1', email: 'newcomer@example.com', requestedRole: 'viewer', requestedNamespaces: ['shop'], reason: 'on call' },
  ...{ requestedAt: '2026-11-20T14:00:00.000Z', state: 'pending' },
} as const;

/** Namespaces of a twin; `all`: every one, but no record without a namespace. */
export type TwinNamespaces = 'full' | 'all' | readonly string[];

/** A world with these namespaces alone. @param passwordHash of the local admin */
export function accessWorld(namespaces: TwinNamespaces, passwordHash: string): AccessWorld {
  const store = new FakeAccessStore();
  const shop = dashboardWorld();
  const world: DashboardWorld = { ...shop, sources: { ...shop.sources, access: store } };
  addDetails(world);
  store.grant(...policyGrants(isoTime(world.clock.now() - 1)));
  Object.assign(store, { requests: [PENDING_REQUEST] });
  // While authentication is off, the policy is read from the cluster.
  world.cluster.own.set('accesspolicies', [{ ...store.object() }]);
  store.admin = { email: LOCAL_ADMIN.email, passwordHash };
  if (namespaces !== 'full') retain(world, (namespace) => namespace !== null && (namespaces === 'all' || namespaces.includes(namespace)));
  return { world, store };
}

/** Adds what the shop has none of: overrides, exceptions, idled workloads, autoscalers, quotas, and changes of cluster-scoped objects. */
function addDetails(world: DashboardWorld): void {
  const { cluster, clock, history } = world;
  const now = clock.now();
  for (const name of ['web', 'risk-score', 'mailer']) {
    withExceptions(world, name, {}, { resource: 'cpu', type: 'cpu-throttled', limit: '500m', observed: '500m', proposed: '750m' });
  }
  for (const name of ['catalogue', 'ledger', 'indexer']) makeIdle(world, name, now);
  const overridden: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    checkout: { [WORKLOAD_ANNOTATIONS.floor]: '{"*":{"cpu":"100m"}}' },
    web: { [WORKLOAD_ANNOTATIONS.ceiling]: '{"app":{"memory":"2Gi"}}', [WORKLOAD_ANNOTATIONS.mode]: 'Auto' },
    ledger: { [WORKLOAD_ANNOTATIONS.exclude]: 'true' },
    query: { [WORKLOAD_ANNOTATIONS.heldUntil]: isoTime(now + HOUR_MS) },
  };
  cluster.workloadList = cluster.workloadList.map((workload) => ({
    ...workload,
    annotations: { ...workload.annotations, ...overridden[workload.name] },
  }));
  cluster.hpaList = ['web', 'risk-score'].map((name) => {
    const { namespace, kind } = cluster.workloadList.find((workload) => workload.name === name) ?? { namespace: '', kind: '' };
    return anHpaRecord({ namespace, name, uid: `uid-hpa-${name}`, target: { namespace, group: 'apps', kind, name } });
  });
  cluster.quotaList = ['shop', 'pay'].map((namespace) => ({
    namespace,
    name: 'compute',
    hardRequests: { cpuMillicores: 20_000, memoryBytes: 40 * GiB },
    hardLimits: { cpuMillicores: null, memoryBytes: 80 * GiB },
    usedRequests: { cpuMillicores: 9_000, memoryBytes: 12 * GiB },
    usedLimits: { cpuMillicores: null, memoryBytes: 15 * GiB },
  }));
  history.entries = [nodeEntry('n-1', now - HOUR_MS), ...history.entries];
}

/** A change of a cluster-scoped object. */
export function nodeEntry(name: string, at: Instant): TimelineEntry {
  return {
    ...{ id: `node-${name}-${at}`, at, kind: 'scale-up', object: { kind: 'Node', name }, namespace: null, pod: null, container: null },
    ...{ from: null, to: 'ready', reason: 'pending pods', actor: 'evenkeel', outcome: 'applied', message: '' },
    ...{ durationMs: 40_000, costDeltaPerHourUsd: 0.17 },
  };
}

/** Removes every object of other namespaces, and records without one where `null` is not retained. */
function retain({ cluster, history }: DashboardWorld, isRetained: (namespace: string | null) => boolean): void {
  const within = <T extends { readonly namespace: string }>(items: readonly T[]): T[] =>
    items.filter(({ namespace }) => isRetained(namespace));
  cluster.namespaceList = cluster.namespaceList.filter(({ name }) => isRetained(name));
  cluster.workloadList = within(cluster.workloadList);
  cluster.podList = within(cluster.podList);
  cluster.hpaList = within(cluster.hpaList);
  cluster.scaledObjectList = within(cluster.scaledObjectList);
  cluster.vpaList = within(cluster.vpaList);
  cluster.budgetList = within(cluster.budgetList);
  cluster.quotaList = within(cluster.quotaList);
  cluster.recommendationList = cluster.recommendationList.filter(({ metadata }) => isRetained(metadata.namespace ?? null));
  history.entries = history.entries.filter(({ namespace }) => isRetained(namespace));
  history.usagePoints = history.usagePoints.filter(({ key }) => isRetained(key.slice(0, key.indexOf('/'))));
}

/** The API key of a caller: the same in every world. */
export function apiKeyOf(caller: AccessCaller): { readonly id: string; readonly text: string } {
  return keyNumber(createHash('sha256').update(caller.name).digest().readUInt32BE());
}

const LISTED_KEY = keyNumber(1);
/** Id of a key that every world lists. */
export const LISTED_KEY_ID = LISTED_KEY.id;

/** Stores the keys of the callers, and one that no caller has. */
export function storeKeys({ store, world }: AccessWorld, callers: readonly AccessCaller[]): void {
  const keys = callers.flatMap((caller) =>
    caller.credential === 'API key' && caller.email !== null ? [{ ...apiKeyOf(caller), email: caller.email, label: caller.name }] : [],
  );
  for (const { id, text, email, label } of [...keys, { ...LISTED_KEY, email: LOCAL_ADMIN.email, label: 'listed' }]) {
    const hash = createHash('sha256').update(text).digest('hex');
    const createdAt = world.clock.now();
    // Used within the minute of the requests, so that they record no use.
    store.stored.set(id, { id, email, label, hash, createdAt, createdBy: LOCAL_ADMIN.email, lastUsedAt: SESSION_NOW });
  }
}

function keyNumber(seed: number): { readonly id: string; readonly text: string } {
  const random = seededRandom(seed);
  return mintApiKey((below) => Math.floor(random.next() * below));
}
