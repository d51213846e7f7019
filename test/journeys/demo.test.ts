// The demo as a newcomer starts it: no options but free ports, speed 60.

import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Cluster } from '../../src/apis/http/types.generated.ts';
import { readQuantities } from '../../src/core/recommendations/quantities.ts';
import { boundedFetch } from '../bounded-fetch.ts';
import { ClusterClient, type Resources } from '../e2e/cluster-client.ts';
import { read } from '../e2e/dashboard.ts';
import { startDemo } from '../e2e/demo-process.ts';
import { eventuallyReads, HANG_MS, HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from '../e2e/processes.ts';

interface Workload {
  readonly spec: {
    readonly replicas?: number;
    readonly template: { readonly spec: { readonly containers: readonly { readonly resources?: Resources }[] } };
  };
}

describe('evenkeel demo', () => {
  let fixture: TestFixture;
  beforeEach(() => {
    fixture = new TestFixture();
  });
  afterEach(() => fixture.tearDown());

  test(
    'has recommendations and resized pods, shows before and after, and leaves nothing behind',
    async () => {
      const demo = await startDemo(fixture, []);
      const cluster = await ClusterClient.connect(fixture, demo.kubeconfig);
      const recommended = await eventuallyReads(
        'a recommendation for each of the dozen: each has 14 days of usage',
        HANG_MS,
        () => cluster.recommendations(),
        (all) => all.length === 12 && all.every(({ status }) => status?.containers?.every((each) => each.recommended !== undefined)),
      );
      expect(recommended.some(({ status }) => (status?.savingsPerMonthUsd ?? 0) > 0)).toBe(true);

      // The first page comes from the same address as the API.
      expect((await boundedFetch(`${demo.dashboard}/`, 'the page of the dashboard')).text).toContain('<title>');
      // Against the templates, which nothing changes: pods may have been resized by now.
      const deployed = await requestedByTemplates(cluster);
      await eventuallyReads(
        'less CPU and memory requested than deployed: the dozen asks for more than it uses',
        HANG_MS,
        async () => (await read<Cluster>(demo.dashboard, 'cluster')).requested,
        ({ cpuMillicores, memoryBytes }) => cpuMillicores < deployed.cpuMillicores && memoryBytes < deployed.memoryBytes,
      );
      // An autoscaler changes the sum as well, but no pod.
      await eventuallyReads(
        'a change recorded as applied: the policy is in mode Auto',
        HANG_MS,
        () => cluster.recommendations(),
        (all) => all.some(({ status }) => status?.lastApplied !== undefined),
      );

      demo.process.signal('SIGINT');
      expect(await demo.process.exit()).toEqual({ code: 0, signal: null });
      const output = demo.process.stderr.join('\n');
      // How much it is before depends on the hour: the report's Job runs every six.
      expect(output).toMatch(/requested CPU\s+1[78]\.30 cores\s+\d+\.\d+ cores/);
      expect(output).toMatch(/of it waste\s+\$[\d.]+ a month\s+\$[\d.]+ a month/);
      expect(readdirSync(demo.temporary)).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'without its controller prints how to start one apart',
    async () => {
      const demo = await startDemo(fixture, ['--no-controller']);
      await demo.process.line('stdout', new RegExp(`Start the controller apart: .* --kubernetes.kubeconfig ${demo.kubeconfig}$`));
      demo.process.signal('SIGTERM');
      expect(await demo.process.exit()).toEqual({ code: 0, signal: null });
    },
    HANG_TEST_MS,
  );
});

/** Of Deployments and StatefulSets, all replicas. */
async function requestedByTemplates(cluster: ClusterClient): Promise<{ readonly cpuMillicores: number; readonly memoryBytes: number }> {
  const workloads = (
    await Promise.all(['deployments', 'statefulsets'].map((kind) => cluster.list<Workload>(`/apis/apps/v1/${kind}`)))
  ).flat();
  const sum = { cpuMillicores: 0, memoryBytes: 0 };
  for (const { spec } of workloads) {
    for (const { resources } of spec.template.spec.containers) {
      const { cpuMillicores, memoryBytes } = readQuantities(resources?.requests);
      sum.cpuMillicores += (spec.replicas ?? 1) * (cpuMillicores ?? 0);
      sum.memoryBytes += (spec.replicas ?? 1) * (memoryBytes ?? 0);
    }
  }
  return sum;
}
