// Heap per pod record: 10,000 pods of 500 templates (Deployments with affinity and spread, StatefulSets with claims, DaemonSets,
// devices), decoded as from a list, with and without their scheduling facts. Goal: the facts, with the references to them, take at
// most 50 bytes per pod. Then 100,000 pods with unique facts: the facts are released with the pods.
//
//   make bench BENCH=pod-heap
//   node test/bench/pod-heap.bench.ts [--record]

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setImmediate } from 'node:timers/promises';
import { readPod } from '../../src/adapters/kubernetes/decode/decode-pod.ts';
import { Interner } from '../../src/adapters/kubernetes/decode/interner.ts';
import type { PodRecord } from '#kube/records/pod';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

const TEMPLATES = 500;
const PODS_PER_TEMPLATE = 20;
const PODS = TEMPLATES * PODS_PER_TEMPLATE;
const HOSTILE = 100_000;
/** The heap differs between runs by some bytes per pod, so the median counts. */
const RUNS = 5;
const MAX_FACTS_BYTES = 50;
const MAX_LEFT_BYTES = 2 ** 20;
const AT = '2026-01-01T00:00:00Z';
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** A weak reference keeps its object until the end of the job, and finalizers run in a job of their own. */
async function heap(): Promise<number> {
  for (let pass = 0; pass < 2; pass++) {
    await setImmediate();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Tolerations that the API server adds to every pod. */
const DEFAULT_TOLERATIONS = ['not-ready', 'unreachable'].map((name) => ({
  key: `node.kubernetes.io/${name}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));

function specOf(template: number, pod: string, node: string): object {
  const selector = { matchLabels: { app: `app-${template}` } };
  switch (template % 5) {
    case 0:
      return {
        affinity: {
          podAntiAffinity: {
            [PREFERRED]: [{ weight: 100, podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: selector } }],
          },
        },
      };
    case 1:
      return {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
        ],
        nodeSelector: { 'kubernetes.io/os': 'linux' },
      };
    case 2:
      return { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${pod}` } }] };
    case 3:
      return {
        affinity: {
          nodeAffinity: {
            [REQUIRED]: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }] },
          },
        },
      };
    default:
      return {};
  }
}

function podJson(template: number, index: number, hasRules: boolean): string {
  const name = `app-${template}-6d4cf56db6-${String(index).padStart(5, 'x')}`;
  const node = `node-${(template * 7 + index) % 200}`;
  const resources = { requests: { cpu: '250m', memory: '256Mi', ...(template % 50 === 4 && { 'nvidia.com/gpu': '1' }) } };
  return JSON.stringify({
    metadata: {
      name,
      namespace: `team-${template % 40}`,
      uid: `6e8f0a5e-1c1e-4c63-9d3a-${String(template * 1_000 + index).padStart(12, '0')}`,
      resourceVersion: String(template * 100 + index),
      creationTimestamp: AT,
      labels: { app: `app-${template}`, 'pod-template-hash': '6d4cf56db6' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `app-${template}-6d4cf56db6`, uid: `rs-${template}`, controller: true },
      ],
    },
    spec: {
      nodeName: node,
      containers: [{ name: 'app', resources }],
      ...(hasRules ? { tolerations: DEFAULT_TOLERATIONS, ...specOf(template, name, node) } : {}),
    },
    status: {
      phase: 'Running',
      qosClass: 'Burstable',
      podIP: `10.1.${template % 250}.${index}`,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: AT }],
      containerStatuses: [{ name: 'app', ready: true, restartCount: 0, state: { running: { startedAt: AT } } }],
    },
  });
}

function decode(json: string, interner: Interner): PodRecord {
  return readPod(JSON.parse(json) as Record<string, unknown>, interner);
}

/** Bytes per pod record; without rules, all records share the same empty facts. */
async function bytesPerPod(hasRules: boolean): Promise<number> {
  const interner = new Interner();
  const before = await heap();
  const records: PodRecord[] = [];
  for (let template = 0; template < TEMPLATES; template++) {
    for (let index = 0; index < PODS_PER_TEMPLATE; index++) {
      records.push(decode(podJson(template, index, hasRules), interner));
    }
  }
  const bytes = ((await heap()) - before) / PODS;
  if (records.length !== PODS) throw new Error('pods are missing');
  // Read after the measurement, so that the tables of shared records are alive and counted.
  if (interner.text('') !== '') throw new Error('the interner does not share');
  return Math.round(bytes);
}

async function medianBytes(hasRules: boolean): Promise<number> {
  const runs: number[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await bytesPerPod(hasRules));
  return runs.sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? 0;
}

/** Bytes that pods with unique facts leave behind when they are deleted. */
async function bytesLeft(): Promise<number> {
  const interner = new Interner();
  const pod = (index: number): PodRecord =>
    readPod(
      { metadata: { name: 'p', namespace: 'a', uid: 'u' }, spec: { nodeSelector: { [`key-${index}`]: 'x'.repeat(index % 1_000) } } },
      interner,
    );
  for (let index = 0; index < 10; index++) pod(index);
  const before = await heap();
  for (let index = 0; index < HOSTILE; index++) {
    pod(index);
    // As between two pages of a list.
    if (index % 500 === 0) await setImmediate();
  }
  const remaining = (await heap()) - before;
  if (interner.text('') !== '') throw new Error('the interner does not share');
  return remaining;
}

// A first pass creates compiled code and hidden classes, which do not belong to the pods.
for (let pass = 0; pass < 2; pass++) await bytesPerPod(true);
const withFacts = await medianBytes(true);
const without = await medianBytes(false);
const remainingBytes = await bytesLeft();

const input = `${PODS} pods of ${TEMPLATES} templates`;
const measured: Figure[] = [
  { id: 'pod-heap/without-scheduling', value: without, unit: 'bytes', input },
  { id: 'pod-heap/with-scheduling', value: withFacts, unit: 'bytes', input },
];
for (const { id, value, unit, input: of } of measured) console.log(JSON.stringify({ figure: id, value, unit, input: of }));
console.log(JSON.stringify({ figure: 'pod-heap', facts: withFacts - without, mostFacts: MAX_FACTS_BYTES }));
console.log(JSON.stringify({ figure: 'pod-heap: different facts', pods: HOSTILE, left: remainingBytes, mostLeft: MAX_LEFT_BYTES }));
const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
console.log(JSON.stringify({ figure: 'pod-heap: regression-check', compared, notCompared, regressions }));
if (regressions.length > 0 || withFacts - without > MAX_FACTS_BYTES || remainingBytes > MAX_LEFT_BYTES) process.exitCode = 1;
if (process.argv.includes('--record')) recordFigures(measured);
