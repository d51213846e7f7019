import { describe, expect, test } from '@jest/globals';
import { aPodRecord, aWorkloadRecord, T0 } from '../../../../test/builders/rightsizing.ts';
import { FakeClusterReader } from '../../../../test/fakes/fake-cluster-reader.ts';
import { FakeHistory } from '../../../../test/fakes/fake-history.ts';
import { WEB } from '../../../../test/fakes/worlds/resize-world.ts';
import { DEFAULT_IDLE_RULES } from '../../../core/resize/policy/idle-rules.ts';
import { HOUR_MS, MINUTE_MS } from '#kube/units';
import type { NetworkUsage } from '#kube/records/usage';
import { SILENT_LOGGER } from '../../../runtime/logging.ts';
import type { SampleListener } from '../../../state/usage/usage-model.ts';
import { IdleWatch } from './idle-watch.ts';

const RULES = { ...DEFAULT_IDLE_RULES, enabled: true };

function aWatch() {
  const cluster = new FakeClusterReader();
  cluster.workloadList = [aWorkloadRecord()];
  cluster.podList = [aPodRecord({ labels: { workload: 'web' } })];
  const history = new FakeHistory();
  const listeners: SampleListener[] = [];
  const received: { bytes: number; at: number } = { bytes: 0, at: T0 };
  const inUse: string[] = [];
  const network = (namespace: string, pod: string): NetworkUsage => ({
    namespace,
    pod,
    at: received.at,
    receiveBytes: received.bytes,
  });
  const watch = new IdleWatch({
    cluster,
    rollups: history,
    logger: SILENT_LOGGER,
    usage: {
      onSample: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
      graphs: { series: () => [], seriesOf: () => [] },
      networkOf: network,
    },
    onInUse: (key) => void inUse.push(key),
  });
  const notify = (at: number, cpuMillicores: number): void =>
    listeners.forEach((listener) => listener(WEB, 'main', aPodRecord({ name: 'web-1' }), { at, cpuMillicores, memoryBytes: 1 }));
  const begin = () => watch.watch(aWorkloadRecord(), RULES, T0);
  return { watch, cluster, history, received, inUse, notify, begin };
}

/** One point per five minutes up to T0. */
function past(cpu: readonly number[]) {
  return cpu.map((cpuMillicores, index) => ({
    key: `${WEB}/main`,
    at: T0 - (cpu.length - index) * 5 * MINUTE_MS,
    cpuMillicores,
    memoryBytes: 1,
    replicas: 1,
  }));
}

describe('The idle watch', () => {
  test('tracks only watched workloads, and drops those that are no longer watched', async () => {
    const { watch, notify, begin } = aWatch();
    notify(T0, 1);
    expect(watch.activityOf(WEB)).toBeNull();
    await begin();
    notify(T0 + MINUTE_MS, 1);
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: T0 + MINUTE_MS });
    await watch.watch(aWorkloadRecord(), null, T0);
    expect(watch.activityOf(WEB)).toBeNull();
  });

  test('keeps its start and each pod’s last sample when watch is called again', async () => {
    const { watch, notify, begin } = aWatch();
    await begin();
    expect(watch.activityOf(WEB)?.samples).toEqual({ since: T0, newest: new Map() });
    notify(T0 + MINUTE_MS, 1);
    await watch.watch(aWorkloadRecord(), RULES, T0 + HOUR_MS);
    expect(watch.activityOf(WEB)?.samples).toEqual({ since: T0, newest: new Map([['web-1', T0 + MINUTE_MS]]) });
  });

  test('continues where the store ends: a restart does not interrupt an idle period', async () => {
    const { watch, history, notify, begin } = aWatch();
    history.usagePoints = past([700, ...Array<number>(24).fill(1)]);
    await begin();
    notify(T0 + MINUTE_MS, 1);
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: T0 - 2 * HOUR_MS, maxCpuMillicores: 700 });
  });

  test('reads an unreachable store again, and works without it meanwhile', async () => {
    const { watch, history, notify, begin } = aWatch();
    const usage = history.readUsage.bind(history);
    history.readUsage = () => Promise.reject(new Error('away'));
    await begin();
    notify(T0 + MINUTE_MS, 1);
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: T0 + MINUTE_MS });
    history.readUsage = usage;
    history.usagePoints = past(Array<number>(24).fill(1));
    await begin();
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: T0 - 2 * HOUR_MS });
  });

  test('reports a sample of a workload in use at once', async () => {
    const { inUse, notify, begin } = aWatch();
    await begin();
    notify(T0, 9);
    expect(inUse).toEqual([]);
    notify(T0 + MINUTE_MS, 10);
    expect(inUse).toEqual([WEB]);
  });

  test('counts more traffic than probes send as use, whatever the CPU', async () => {
    const { watch, received, notify, begin } = aWatch();
    await begin();
    notify(T0, 1);
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: T0 });
    Object.assign(received, { at: T0 + 10 * MINUTE_MS, bytes: 1_000_000 });
    notify(T0 + 10 * MINUTE_MS, 1);
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: T0 });
    Object.assign(received, { at: T0 + 20 * MINUTE_MS, bytes: 9_000_000 });
    expect(watch.activityOf(WEB)).toMatchObject({ belowThresholdSince: null });
  });
});
