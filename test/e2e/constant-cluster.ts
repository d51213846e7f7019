// A small cluster whose containers have constant usage, so that Evenkeel's result is exact, whenever it samples and however often it is
// interrupted.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { PodResizePolicySpec } from '../../src/apis/v1alpha1/index.ts';
import { aPolicy, ClusterClient, type Resources } from './cluster-client.ts';
import { type Demo, startDemo } from './demo-process.ts';
import type { TestFixture } from './processes.ts';

export interface ConstantContainer {
  readonly name: string;
  readonly resources: Resources;
  /** Constant usage of each replica. */
  readonly uses: { readonly cpuMillicores: number; readonly memoryMib: number };
}

export interface ConstantWorkload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly name: string;
  readonly replicas: number;
  readonly containers: readonly ConstantContainer[];
}

export const NAMESPACE = 'shop';

/** Arguments of `evenkeel demo` for a cluster with only these workloads. */
export function constantInput(
  fixture: TestFixture,
  name: string,
  workloads: readonly ConstantWorkload[],
  speed: number,
): readonly string[] {
  const manifests = join(fixture.folder, `${name}.yaml`);
  writeFileSync(manifests, workloads.map((workload) => stringify(manifestOf(workload))).join('---\n'));
  const usage = join(fixture.folder, `${name}-usage`);
  mkdirSync(usage);
  for (const workload of workloads) {
    for (const container of workload.containers) {
      const { cpuMillicores, memoryMib } = container.uses;
      const rows = [0, 3600].map((at) => `${at},${cpuMillicores},${memoryMib}`);
      writeFileSync(join(usage, `${NAMESPACE}_${workload.name}_${container.name}.csv`), ['t_s,cpu_m,mem_mib', ...rows, ''].join('\n'));
    }
  }
  return ['--no-controller', '--manifests', manifests, '--usage', usage, '--nodes', '3', '--speed', String(speed)];
}

/** Starts the cluster without a controller; its clock runs at `speed`. */
export async function startConstantCluster(
  fixture: TestFixture,
  name: string,
  workloads: readonly ConstantWorkload[],
  speed: number,
): Promise<{ readonly demo: Demo; readonly cluster: ClusterClient }> {
  const demo = await startDemo(fixture, constantInput(fixture, name, workloads, speed), {}, name);
  return { demo, cluster: await ClusterClient.connect(fixture, demo.kubeconfig) };
}

/**
 * A policy that decides within two hours of virtual time, by a fixed rule, because the learned one changes while it learns: 20 % above
 * usage. Limits are unchanged, so that the result does not depend on the weekday.
 */
export function aQuickPolicy(name: string, spec: Partial<PodResizePolicySpec> = {}): object {
  const rule = { percentile: 0.95, margin: 0.2, limit: { rule: 'Keep' } } as const;
  return aPolicy(name, {
    mode: 'Auto',
    cpu: rule,
    memory: rule,
    minConfidence: 0,
    cooldown: '5m',
    interval: '1m',
    rollback: { within: '2m' },
    ...spec,
  });
}

function manifestOf({ kind, name, replicas, containers }: ConstantWorkload): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { namespace: NAMESPACE, name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      template: {
        metadata: { labels },
        spec: {
          containers: containers.map((container) => ({
            name: container.name,
            image: 'registry.example/app:1',
            resources: container.resources,
          })),
        },
      },
    },
  };
}
