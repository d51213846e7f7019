// Pausing controllers during an uninstall, and ownership of the pause ConfigMap.

import { describe, expect, test } from '@jest/globals';
import { isoTime } from '#kube/time/iso-time';
import { MINUTE_MS } from '#kube/units';
import { ApiWorld, type Wire } from '#embedded-cluster/testing/api-world';
import { FastTimer } from '../../../test/fakes/fast-timer.ts';
import { ClusterAccess } from './cluster-access.ts';
import { Standstill } from './standstill.ts';

const NAMESPACE = 'default';
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const PAUSE = `${CONFIG_MAPS}/evenkeel-pause`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const LASTS_MS = 10 * MINUTE_MS;
const SIGNAL = new AbortController().signal;

function standstillIn(world: ApiWorld): { readonly standstill: Standstill; readonly printed: string[] } {
  const printed: string[] = [];
  const parts = { cluster: new ClusterAccess(world.transport), namespace: NAMESPACE, timer: new FastTimer(), lastsMs: LASTS_MS };
  return { standstill: new Standstill({ ...parts, print: (line) => printed.push(line) }), printed };
}

/** A pause ConfigMap set by a user. */
async function pausedByUser(world: ApiWorld, endsInMs: number | null): Promise<Wire> {
  const until = endsInMs === null ? {} : { until: isoTime(world.clock.now() + endsInMs) };
  const made = await world.post(CONFIG_MAPS, { metadata: { name: 'evenkeel-pause' }, data: { reason: 'an audit', ...until } });
  return made.body as Wire;
}

async function pauseOf(world: ApiWorld): Promise<Wire> {
  const { status, body } = await world.get(PAUSE);
  return status === 404 ? null : body;
}

async function aController(world: ApiWorld): Promise<void> {
  const labels = { 'app.kubernetes.io/part-of': 'evenkeel', 'app.kubernetes.io/component': 'controller' };
  const containers = [{ name: 'c', image: 'i' }];
  const template = { metadata: { labels }, spec: { containers } };
  await world.post(DEPLOYMENTS, {
    metadata: { name: 'evenkeel-controller', labels },
    spec: { selector: { matchLabels: labels }, template },
  });
}

describe('a pause', () => {
  test.each([
    ['without an end', null],
    ['that ends after the uninstall’s own would', LASTS_MS * 2],
  ])('by a user %s stays: it is neither shortened, owned nor ended', async (_which, endsInMs) => {
    const world = new ApiWorld();
    await aController(world);
    const before = await pausedByUser(world, endsInMs);
    const { standstill, printed } = standstillIn(world);
    await standstill.begin(SIGNAL);
    expect(await pauseOf(world)).toEqual(before);
    expect(printed.join('\n')).toContain('evenkeel-pause');

    await world.delete(`${DEPLOYMENTS}/evenkeel-controller`);
    const { standstill: after } = standstillIn(world);
    await after.begin(SIGNAL);
    expect(await after.end(SIGNAL)).toMatch(/configmap default\/evenkeel-pause/i);
    expect(await pauseOf(world)).toEqual(before);
  });

  test.each([
    ['that is over', 0 - MINUTE_MS],
    ['that ends while the uninstall may be at work', MINUTE_MS],
  ])('by a user %s is replaced by the uninstall’s', async (_which, endsInMs) => {
    const world = new ApiWorld();
    await pausedByUser(world, endsInMs);
    const { standstill } = standstillIn(world);
    await standstill.begin(SIGNAL);
    expect((await pauseOf(world)).data).toEqual({ reason: 'evenkeel uninstall is running', until: isoTime(world.clock.now() + LASTS_MS) });
    expect(await standstill.end(SIGNAL)).toBeNull();
    expect(await pauseOf(world)).toBeNull();
  });

  test('of an interrupted uninstall is reused, and is deleted with the controller', async () => {
    const world = new ApiWorld();
    await aController(world);
    await standstillIn(world).standstill.begin(SIGNAL);
    await world.clock.advance(MINUTE_MS);
    const { standstill } = standstillIn(world);
    await standstill.begin(SIGNAL);
    const pause = await pauseOf(world);
    expect(pause.data.until).toBe(isoTime(world.clock.now() + LASTS_MS));
    expect(pause.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'evenkeel-controller' }]);
    expect(await standstill.end(SIGNAL)).toMatch(/stay until the Deployment/);
    expect(await pauseOf(world)).not.toBeNull();
  });
});
