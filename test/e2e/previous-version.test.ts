// An upgrade and a rollback with the code of both versions: each runs on the custom resources, the store and the settings of the other.
// `make test` compares their formats: test/contract/previous-version.test.ts.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import type { HealthCheck, RecommendationDetail } from '../../src/apis/http/types.generated.ts';
import { PLURALS } from '../../src/apis/v1alpha1/index.ts';
import { SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { eventually, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { samples } from '../builders/crds.ts';
import { type ClusterClient, PATHS } from './cluster-client.ts';
import { NAMESPACE } from './constant-cluster.ts';
import { logged, runController } from './controller-process.ts';
import { CONTAINERS, CrashWorld } from './crash-world.ts';
import { read } from './dashboard.ts';
import { freePorts } from './free-ports.ts';
import { checkOutPrevious, findPreviousCode } from './previous-code.ts';
import { type RunningProcess, TestFixture } from './processes.ts';

const suite = 'the version before this one';
const previous = findPreviousCode();
if (previous.found) describe(suite, () => tests(previous.commit));
else {
  // Jest prints no names when all tests of a file are skipped.
  process.stderr.write(`${suite}: skipped: ${previous.problem}\n`);
  describe.skip(`${suite} (skipped: ${previous.problem})`, () => tests(''));
}

interface Controller {
  readonly process: RunningProcess;
  readonly dashboard: string;
}

function tests(commit: string): void {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'is upgraded, rolled back and upgraded again: each version continues with the data of the other',
    async () => {
      const root = checkOutPrevious(fixture, commit);
      const world = await CrashWorld.start(fixture, 'upgraded');

      const before = await start(world.settings, root);
      await world.createPolicy();
      await world.waitForMoment('a first pod changed', () => world.watch.changes > 0);
      await end(before);

      const upgraded = await start(world.settings);
      await createSamples(world.cluster);
      await world.waitUntilApplied();
      expect(await notInOrder(upgraded)).toEqual([]);
      await end(upgraded);

      const config = join(fixture.folder, 'settings.yaml');
      writeFileSync(config, stringify(Object.fromEntries(Object.entries(SETTINGS).map(([path, setting]) => [path, setting.default]))));
      const rolledBack = await start({ ...world.settings, config, 'config-compat': 'true' }, root);
      const acts = await actsOn('web', rolledBack);
      await world.cluster.merge(`${PATHS.policies}/quick`, { spec: { cpu: { margin: 0.6 } } });
      await eventually('the previous version raises the CPU of web: its policy asks for more', HANG_MS, async () => {
        return (await actsOn('web', rolledBack)) > acts;
      });
      await world.waitUntilApplied();
      expect(await notInOrder(rolledBack)).toEqual([]);
      const known = await actsOn('web', rolledBack);
      await end(rolledBack);

      const again = await start(world.settings);
      await world.waitUntilApplied();
      expect(await notInOrder(again)).toEqual([]);
      expect(logged(again.process, 'Restored checkpoints')).toMatchObject([{ containers: CONTAINERS, unreadable: 0 }]);
      expect(await actsOn('web', again)).toBeGreaterThanOrEqual(known);
      await world.expectPodsIntact();
    },
    HANG_TEST_MS,
  );

  /** Waits for the readiness probe, because log messages may differ between versions. */
  async function start(settings: Readonly<Record<string, string>>, root?: string): Promise<Controller> {
    const [dashboard, probes] = await freePorts(2);
    const addresses = { 'dashboard.addr': `127.0.0.1:${dashboard}`, 'controller.probeAddr': `127.0.0.1:${probes}` };
    const process = runController(fixture, { ...settings, ...addresses }, {}, root);
    await eventually('ready: the cluster and the store are there', HANG_MS, async () => {
      if (!process.isRunning) return true;
      return (await boundedFetch(`http://127.0.0.1:${probes}/readyz`, 'readiness of the controller')).status === 200;
    });
    if (!process.isRunning) throw new Error(`the controller exited\n${process.recentOutput()}`);
    return { process, dashboard: `http://127.0.0.1:${dashboard}` };
  }

  async function end({ process }: Controller): Promise<void> {
    process.signal('SIGTERM');
    expect(await process.exit()).toEqual({ code: 0, signal: null });
  }
}

/** Creates objects of every other kind, as an administrator of this version does. */
async function createSamples(cluster: ClusterClient): Promise<void> {
  for (const { object } of samples()) {
    const { kind, metadata } = object as { readonly kind: keyof typeof PLURALS; readonly metadata: { readonly namespace?: string } };
    if (kind === 'Recommendation') continue;
    const scope = metadata.namespace === undefined ? '' : `namespaces/${metadata.namespace}/`;
    await cluster.create(`/apis/evenkeel.io/v1alpha1/${scope}${PLURALS[kind]}`, object);
  }
}

/** Problems that the controller reports about its store and about custom resources. */
async function notInOrder({ dashboard }: Controller): Promise<readonly string[]> {
  const checks = await read<readonly HealthCheck[]>(dashboard, 'health');
  const shared = checks.filter(({ name }) => /^(store|informer\/.+\.evenkeel\.io)$/.test(name));
  expect(shared).toHaveLength(1 + Object.keys(PLURALS).length);
  return shared.filter(({ status }) => status !== 'ok').map(({ name, message }) => `${name}: ${message}`);
}

/** Number of applied changes of a Deployment in the controller's history. */
async function actsOn(name: string, { dashboard }: Controller): Promise<number> {
  const { audit } = await read<RecommendationDetail>(dashboard, `recommendations/${NAMESPACE}/${name}`);
  return (audit.history ?? []).filter(({ outcome }) => outcome === 'applied').length;
}
