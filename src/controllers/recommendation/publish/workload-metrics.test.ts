import { describe, expect, test } from '@jest/globals';
import { UNSET_RESOURCES } from '#kube/records/resources';
import { MiB } from '#kube/units';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { PrometheusMetrics } from '../../../runtime/metrics.ts';
import { WorkloadMetrics } from './workload-metrics.ts';

const WEB = 'shop/Deployment/web';

/** A container that requests 500m and 512Mi, with a recommended CPU request, or no recommendation. */
function aContainer(name: string, recommendedMillicores: number | null) {
  const current = { requests: { cpuMillicores: 500, memoryBytes: 512 * MiB }, limits: UNSET_RESOURCES };
  if (recommendedMillicores === null) return { name, current, target: null };
  const requests = { cpuMillicores: recommendedMillicores, memoryBytes: 128 * MiB };
  return { name, current, target: { requests, limits: UNSET_RESOURCES, steps: [], memoryLimitReason: null } };
}

function exporter(maxWorkloads: number) {
  const registry = new PrometheusMetrics();
  const logger = new RecordingLogger();
  const metrics = new WorkloadMetrics(registry, maxWorkloads, logger);
  const lines = async (): Promise<readonly string[]> => {
    return (await registry.expose()).split('\n').filter((line) => line.startsWith('evenkeel_'));
  };
  const names = async (): Promise<readonly string[]> => {
    return (await lines()).flatMap((line) => /^evenkeel_workload_requested_cpu_cores\{.*,name="(\w+)"/.exec(line)?.[1] ?? []).sort();
  };
  return { metrics, logger, lines, names };
}

describe('metrics of workloads', () => {
  test('are the recommended and current requests of each container, in cores and bytes', async () => {
    const { metrics, lines } = exporter(10);
    metrics.setWorkload(WEB, [aContainer('main', 250), aContainer('proxy', null)]);
    expect(await lines()).toEqual([
      'evenkeel_workload_recommended_cpu_cores{namespace="shop",kind="Deployment",name="web",container="main"} 0.25',
      `evenkeel_workload_recommended_memory_bytes{namespace="shop",kind="Deployment",name="web",container="main"} ${128 * MiB}`,
      'evenkeel_workload_requested_cpu_cores{namespace="shop",kind="Deployment",name="web",container="main"} 0.5',
      'evenkeel_workload_requested_cpu_cores{namespace="shop",kind="Deployment",name="web",container="proxy"} 0.5',
      `evenkeel_workload_requested_memory_bytes{namespace="shop",kind="Deployment",name="web",container="main"} ${512 * MiB}`,
      `evenkeel_workload_requested_memory_bytes{namespace="shop",kind="Deployment",name="web",container="proxy"} ${512 * MiB}`,
      'evenkeel_workloads_without_metrics 0',
    ]);
  });

  test('have no series of a container or a recommendation that is gone, and none after the term', async () => {
    const { metrics, lines } = exporter(10);
    metrics.setWorkload(WEB, [aContainer('main', 250), aContainer('proxy', 100)]);
    metrics.setWorkload(WEB, [aContainer('main', null)]);
    expect((await lines()).filter((line) => /proxy|recommended/.test(line))).toEqual([]);
    metrics.reset();
    expect(await lines()).toEqual(['evenkeel_workloads_without_metrics 0']);
  });

  test('are those of the first workloads by name, whatever the order in which they are decided', async () => {
    const { metrics, logger, lines, names } = exporter(2);
    for (const name of ['d', 'b', 'c', 'a']) metrics.setWorkload(`shop/Deployment/${name}`, [aContainer('main', 250)]);
    metrics.setWorkload('shop/Deployment/d', [aContainer('main', 300)]);
    expect(await names()).toEqual(['a', 'b']);
    expect(await lines()).toContain('evenkeel_workloads_without_metrics 2');
    expect(logger.lines.filter(({ message }) => message.startsWith('More workloads than metrics.maxWorkloads'))).toHaveLength(1);
    metrics.setWorkload('shop/Deployment/a', null);
    expect(await names()).toEqual(['b', 'c']);
    expect(await lines()).toContain('evenkeel_workloads_without_metrics 1');
  });

  test('are switched off by 0', async () => {
    const { metrics, logger, lines } = exporter(0);
    metrics.setWorkload(WEB, [aContainer('main', 250)]);
    expect(await lines()).toEqual(['evenkeel_workloads_without_metrics 0']);
    expect(logger.lines).toEqual([]);
  });
});
