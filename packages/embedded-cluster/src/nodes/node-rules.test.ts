import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { RequestsAndLimits } from '#kube/records/resources';
import { GiB, MINUTE_MS, MiB, SECOND_MS } from '#kube/units';
import { readScript } from './kubelet/container-script.ts';
import { shareCpu } from './kubelet/cpu-sharing.ts';
import { compareForEviction } from './kubelet/eviction-order.ts';
import { findMachineType, nodeSizeOf } from './machine-types.ts';
import { podRequests, type ContainerRole } from './kubelet/pods/pod-spec.ts';
import { firstSuccessMs } from './kubelet/pods/probe-timing.ts';
import { goFloat, prometheusText, seriesLabels } from './endpoints/prometheus-text.ts';
import { compareDeferred, decideActuation, decideResize } from './kubelet/pods/resize-decision.ts';
import { goDuration, RestartBackoff } from './kubelet/pods/restart-backoff.ts';
import { WorkloadLoad } from './load/workload-load.ts';

const of = (cpuMillicores: number, memoryMib: number) => ({ cpuMillicores, memoryBytes: memoryMib * MiB });
const both = (request: number | null, limit: number | null): RequestsAndLimits => ({
  requests: { cpuMillicores: 100, memoryBytes: request === null ? null : request * MiB },
  limits: { cpuMillicores: null, memoryBytes: limit === null ? null : limit * MiB },
});

describe('decideResize', () => {
  test.each([
    ['nothing asked for', of(100, 128), true, of(0, 0), 'settled'],
    ['room beside the others', of(900, 512), false, of(3000, 1024), 'allocate'],
    ['exactly the room that is left', of(1000, 512), false, of(3000, 1024), 'allocate'],
    ['CPU taken by others', of(1001, 512), false, of(3000, 1024), 'deferred'],
    ['memory taken by others', of(100, 7169), false, of(100, 1024), 'deferred'],
    ['more CPU than the node has', of(4001, 128), false, of(0, 0), 'infeasible'],
    ['more memory than the node has', of(100, 9000), false, of(0, 0), 'infeasible'],
  ])('%s', (_, desired, settled, othersAllocated, kind) => {
    expect(decideResize({ desired, settled, othersAllocated, nodeAllocatable: of(4000, 8192) }).kind).toBe(kind);
  });

  test('deferred resizes are retried in the order of the kubelet: no increase, priority, QoS class, wait', () => {
    const base = { increases: true, priority: 0, qosClass: 'Burstable', since: 10 };
    const ranked = [
      { ...base, name: 'young' },
      { ...base, name: 'old', since: 5 },
      { ...base, name: 'guaranteed', qosClass: 'Guaranteed' },
      { ...base, name: 'important', priority: 7 },
      { ...base, name: 'smaller', increases: false },
    ].sort(compareDeferred);
    expect(ranked.map(({ name }) => name)).toEqual(['smaller', 'important', 'guaranteed', 'old', 'young']);
  });
});

describe('decideActuation', () => {
  const never = { cpu: false, memory: false };
  test.each([
    ['a request alone', both(100, 200), both(50, 200), never, 150, 'update'],
    ['a higher limit', both(100, 200), both(100, 300), never, 150, 'update'],
    ['a lower limit above what is used', both(100, 200), both(100, 160), never, 150, 'update'],
    ['a lower limit below what is used', both(100, 200), both(100, 140), never, 150, 'refuse'],
    ['a first limit below what is used', both(100, null), both(100, 140), never, 150, 'refuse'],
    ['memory where memory restarts', both(100, 200), both(100, 140), { cpu: false, memory: true }, 150, 'restart'],
    ['memory where only CPU restarts', both(100, 200), both(120, 200), { cpu: true, memory: false }, 150, 'update'],
  ])('%s', (_, from, to, restartOn, usedMib, kind) => {
    expect(decideActuation({ container: 'app', from, to, restartOn, usedMemoryBytes: usedMib * MiB }).kind).toBe(kind);
  });
});

describe('CPU sharing', () => {
  const containers = fc.array(fc.record({ wanted: fc.integer({ min: 0, max: 4000 }), weight: fc.integer({ min: 2, max: 4000 }) }), {
    minLength: 1,
    maxLength: 30,
  });

  test('gives no container more than its demand, wastes nothing, and is fair by weight', () => {
    fc.assert(
      fc.property(containers, fc.integer({ min: 100, max: 16_000 }), (all, capacity) => {
        const wanted = Float64Array.from(all, (each) => each.wanted);
        const weights = Float64Array.from(all, (each) => each.weight);
        const granted = new Float64Array(all.length);
        shareCpu(wanted, weights, granted, all.length, capacity);
        const total = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
        expect(total(granted)).toBeCloseTo(Math.min(capacity, total(wanted)), 4);
        const short: number[] = [];
        granted.forEach((grant, index) => {
          expect(grant).toBeLessThanOrEqual(wanted[index]! + 1e-9);
          if (grant < wanted[index]! - 1e-6) short.push(grant / weights[index]!);
        });
        // All containers that get less than their demand have the same share of their weight; no other has a greater one.
        const share = short[0];
        if (share === undefined) return;
        for (const other of short) expect(other).toBeCloseTo(share, 6);
        granted.forEach((grant, index) => expect(grant / weights[index]!).toBeLessThanOrEqual(share + 1e-6));
      }),
    );
  });
});

describe('rules of nodes', () => {
  test('eviction prefers pods above their request, then lower priority, then the greatest excess', () => {
    const pod = (name: string, priority: number, requested: number, used: number) => ({
      name,
      priority,
      requestedMemoryBytes: requested,
      usedMemoryBytes: used,
    });
    const ranked = [pod('within', 0, 100, 90), pod('important', 9, 100, 500), pod('little', 0, 100, 150), pod('much', 0, 100, 400)];
    expect(ranked.sort(compareForEviction).map(({ name }) => name)).toEqual(['much', 'little', 'important', 'within']);
  });

  test('back-off doubles from 10 s to 5 minutes and is reset after 10 minutes without a crash', () => {
    const backoff = new RestartBackoff();
    const waits = Array.from({ length: 8 }, () => backoff.next(0, 1000) / SECOND_MS);
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect(backoff.next(0, 10 * MINUTE_MS)).toBe(0);
    expect([goDuration(10_000), goDuration(80_000), goDuration(300_000)]).toEqual(['10s', '1m20s', '5m0s']);
  });

  test.each([
    [['sleep', '30'], { runMs: 30_000, exitCode: 0 }],
    [['sh', '-c', 'echo hi && sleep 2; exit 4'], { runMs: 2000, exitCode: 4 }],
    [['false'], { runMs: 1000, exitCode: 1 }],
    [['sleep', 'infinity'], null],
    [['nginx', '-g', 'daemon off;'], null],
    [[], null],
  ])('reads the command %j', (command, expected) => {
    expect(readScript(command)).toEqual(expected);
  });

  test.each([
    [{ initialDelayMs: 0, periodMs: 10_000, successThreshold: 1 }, 3000, 10_000],
    [{ initialDelayMs: 5000, periodMs: 10_000, successThreshold: 1 }, 3000, 5000],
    [{ initialDelayMs: 5000, periodMs: 10_000, successThreshold: 2 }, 16_000, 35_000],
  ])('a probe first succeeds at one of its periods: %j', (probe, answersAfterMs, expected) => {
    expect(firstSuccessMs(probe, answersAfterMs)).toBe(expected);
  });

  test('a node has the allocatable that GKE documents for its machine type', () => {
    const size = nodeSizeOf(findMachineType('e2-standard-4')!);
    expect(size.allocatable.cpuMillicores).toBe(3920);
    expect(size.allocatable.memoryBytes / GiB).toBeCloseTo(12.93, 1); // the documentation's example says 13498416Ki
  });

  test('a pod requests the sum of its containers, or an init container with the sidecars before it', () => {
    const container = (role: ContainerRole, cpu: number) => ({ role, requests: { cpuMillicores: cpu, memoryBytes: null } });
    expect(podRequests([container('init', 300), container('main', 100), container('main', 100)]).cpuMillicores).toBe(300);
    expect(podRequests([container('sidecar', 50), container('init', 300), container('main', 100)]).cpuMillicores).toBe(350);
    expect(podRequests([container('sidecar', 50), container('main', 400)]).cpuMillicores).toBe(450);
  });

  test.each([
    [0, '0'],
    [380_928, '380928'],
    [12_533_760, '1.253376e+07'],
    [1_616_273_408, '1.616273408e+09'],
    [4.710169, '4.710169'],
    [0.00001, '1e-05'],
    [1_000_000, '1e+06'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
  ])('prints %p as Go does', (value, expected) => {
    expect(goFloat(value)).toBe(expected);
  });

  test('label values are escaped', () => {
    const samples = [{ labels: seriesLabels({ a: 'x"y\\z\n' }), value: 1, timestampMs: null }];
    expect(prometheusText([{ name: 'm', help: 'h', type: 'gauge', samples }])).toBe('# HELP m h\n# TYPE m gauge\nm{a="x\\"y\\\\z\\n"} 1\n');
  });
});

describe('WorkloadLoad', () => {
  test('distributes the load of the first replicas over the ready ones', () => {
    const load = new WorkloadLoad({ namespace: 'shop', kind: 'Deployment', name: 'web' }, 4, true);
    load.addReady(1);
    expect(load.cpuFactor(true, 1.05)).toBe(4);
    load.addReady(1);
    expect(load.cpuFactor(true, 1)).toBe(2);
    expect(load.cpuFactor(false, 1)).toBeLessThan(0.1);
    expect(load.memoryFactor(true, 1)).toBeLessThan(1.2);
  });

  test('pods of a DaemonSet have separate loads', () => {
    const load = new WorkloadLoad({ namespace: 'shop', kind: 'DaemonSet', name: 'agent' }, 1, false);
    for (let i = 0; i < 5; i++) load.addReady(1);
    expect(load.cpuFactor(true, 1.05)).toBe(1);
  });
});
