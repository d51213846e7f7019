// A reset to what was deployed, on any cluster: asked for through the API, carried out by the leader.

import { expect } from '@jest/globals';
import type { Recommendation } from '../../src/apis/v1alpha1/index.ts';
import type { ResourceAudit } from '../../src/apis/http/types.generated.ts';
import { read, send } from './dashboard.ts';
import { eventuallyReads } from '../eventually.ts';

export interface ResetWorld {
  readonly dashboard: string;
  readonly withinMs: number;
  /** Of the API server. */
  get<T>(path: string): Promise<T>;
  merge(path: string, body: object): Promise<void>;
  readonly namespace: string;
  /** Of a Deployment with a Recommendation, now or soon. */
  readonly name: string;
}

interface Deployment {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly template: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } } };
}

const HELD = 'evenkeel.io/held-until';

export async function proveReset(world: ResetWorld): Promise<void> {
  const { dashboard, namespace, name, withinMs } = world;
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`;
  const recommendationPath = `/apis/evenkeel.io/v1alpha1/namespaces/${namespace}/recommendations/deployment-${name}`;
  const uidOf = async (): Promise<string> => (await world.get<Recommendation>(recommendationPath)).metadata.uid ?? '';
  const before = await eventuallyReads('it has a Recommendation: a policy governs it', withinMs, uidOf, (uid) => uid !== '');
  await world.merge(path, {
    metadata: { annotations: { 'evenkeel.io/floor': '{"*":{"cpu":"50m"}}', 'evenkeel.io/do-not-disrupt': 'true' } },
  });
  await eventuallyReads(
    'the floor is known: the informer follows the workload',
    withinMs,
    () => read<ResourceAudit>(dashboard, `resource-audit/${namespace}/${name}`),
    ({ annotations }) => annotations['evenkeel.io/floor'] !== undefined,
  );
  const revisionOf = ({ metadata }: Deployment): number => Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
  const first = await eventuallyReads(
    'its first roll-out has a revision: the controllers set it',
    withinMs,
    () => world.get<Deployment>(path),
    (now) => revisionOf(now) > 0,
  );
  const revision = revisionOf(first);

  const answer = await send<ResourceAudit>(dashboard, 'POST', `resource-audit/${namespace}/${name}/reset-to-deploy`, {
    for: '6h',
    reason: 'proof',
  });
  expect([answer.status, answer.envelope.data.resetPending]).toEqual([202, true]);
  const after = await eventuallyReads(
    'the reset has ended: the leader carries it out',
    withinMs,
    () => world.get<Deployment>(path),
    ({ metadata }) => metadata.annotations?.['evenkeel.io/reset-to-deploy'] === undefined,
  );
  expect(after.spec.template.metadata?.annotations?.['kubectl.kubernetes.io/restartedAt']).toMatch(/^\d{4}-/);
  const left = Object.keys(after.metadata.annotations ?? {}).filter((key) => key.startsWith('evenkeel.io/'));
  expect(left.sort()).toEqual(['evenkeel.io/do-not-disrupt', HELD, 'evenkeel.io/override-notes']);
  const made = await eventuallyReads(
    'it has another Recommendation: the next cycle creates it',
    withinMs,
    uidOf,
    (uid) => uid !== '' && uid !== before,
  );
  expect(made).not.toBe(before);
  // One change of the template: one roll-out.
  const rolledOut = await eventuallyReads(
    'the pods are rolled out: the template has changed',
    withinMs,
    () => world.get<Deployment>(path),
    (now) => revisionOf(now) > revision,
  );
  expect(revisionOf(rolledOut)).toBe(revision + 1);
  const acts = await read<readonly { readonly reason: string }[]>(dashboard, `scaling?namespace=${namespace}&q=${name}`);
  expect(acts.filter(({ reason }) => reason.endsWith('requested it: proof'))).toHaveLength(1);
}
