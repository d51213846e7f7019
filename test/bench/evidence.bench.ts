// CPU time of reading throttling: pages of `/metrics/cadvisor` over HTTPS as from a kubelet, read, parsed and compared with the
// reading before; all CPU time of the process counts. Measured for a full node, and extrapolated to the largest cluster that
// Kubernetes supports (5,000 nodes, 150,000 pods), where one node in ten is read every 5 minutes and the others once an hour. Goal:
// at most 5 % of a core.
//
//   make bench BENCH=evidence
//   node test/bench/evidence.bench.ts [--record]

import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { fork } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { generate } from 'selfsigned';
import { DirectKubeletFetcher } from '../../src/adapters/kubelet/kubelet-fetcher.ts';
import { CounterDeltas } from '../../src/adapters/kubelet/counter-deltas.ts';
import { InlinePageReader, TextPages } from '../../src/adapters/kubelet/pages/text-pages.ts';
import { aNodeRecord } from '../builders/records.ts';
import { compareFigures, type Figure, readRecordedFigures, recordFigures } from './figures.ts';

/** Pods of a full node, and of the largest cluster. */
const FULL_NODE_PODS = 110;
const LARGE_CLUSTER_PODS = 30;
const CONTAINERS_OF_A_POD = 2;
/** Series of one container on a cAdvisor page with the kubelet's configuration, including the three families that are read. */
const SERIES_OF_A_CONTAINER = 60;
const WANTED = ['container_cpu_cfs_periods_total', 'container_cpu_cfs_throttled_periods_total', 'container_oom_events_total'];
const WARM_UP_READINGS = 10;
const READINGS = 100;
const NODES = 5_000;
const CLOSE_SHARE = 0.1;
const READINGS_A_SECOND = NODES * ((1 - CLOSE_SHARE) / 3600 + CLOSE_SHARE / 300);
/** 5 % of a core. */
const MAX_PAGE_BYTES = 64 * 1024 * 1024;
const MAX_CPU_MS_A_SECOND = 50;
const inputOf = (pods: number): string => `${pods} pods of ${CONTAINERS_OF_A_POD} containers, ${SERIES_OF_A_CONTAINER} series each`;

/** A page with its families in alphabetical order, each with its comments and a line per cgroup: containers, pause containers and pods. */
function aPage(pods: number): Buffer {
  const others = Array.from({ length: SERIES_OF_A_CONTAINER - WANTED.length }, (_, index) => `container_family_${100 + index}_total`);
  const cgroups = Array.from({ length: pods }, (_, pod) => [
    labelsOf(pod, '', 'pod'),
    labelsOf(pod, '', 'pause'),
    ...Array.from({ length: CONTAINERS_OF_A_POD }, (_each, container) => labelsOf(pod, `app-${container}`, `c${container}`)),
  ]).flat();
  const families = [...WANTED, ...others].sort().map((name) => {
    const lines = cgroups.map((labels, index) => `${name}{${labels}} ${1e6 + index * 17} 1767576450032\n`);
    return `# HELP ${name} Count of what is counted for the container.\n# TYPE ${name} counter\n${lines.join('')}`;
  });
  return Buffer.from(families.join(''));
}

function labelsOf(pod: number, container: string, scope: string): string {
  const uid = `0f3c9e1d_77aa_4b1c_8d2e_${String(pod).padStart(12, '0')}`;
  const slice = `/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid}.slice`;
  const hex = `${scope}${pod}`.padEnd(64, 'a');
  const image = container === '' ? '' : 'registry.example/team/service@sha256:9e107d9d372bb6826bd81d3542a419d6';
  const id = scope === 'pod' ? slice : `${slice}/cri-containerd-${hex}.scope`;
  return `container="${container}",id="${id}",image="${image}",name="${scope === 'pod' ? '' : hex}",namespace="team-${pod % 9}",pod="service-${pod}-7d4f9c5b8d-x2k4v"`;
}

interface ServerData {
  readonly pods: number;
  readonly key: string;
  readonly cert: string;
}

if (process.argv.includes('--serve')) process.once('message', (data) => serve(data as ServerData));
else await measure();

/** The kubelet runs in a separate process, so that its CPU time is not counted. */
function serve({ pods, key, cert }: ServerData): void {
  const zipped = gzipSync(aPage(pods));
  const server = https.createServer({ key, cert }, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped));
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

/** CPU time of one reading of a node with `pods` pods, in milliseconds. */
async function readingCost(pods: number): Promise<number> {
  const made = await generate([{ name: 'commonName', value: 'n1' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  const kubelet = fork(import.meta.filename, ['--serve'], { execArgv: process.execArgv });
  kubelet.send({ pods, key: made.private, cert: made.cert } satisfies ServerData);
  const port = await new Promise<number>((resolve) => kubelet.once('message', (sent) => resolve(sent as number)));
  const fetcher = new DirectKubeletFetcher(
    { server: 'https://x', tls: { verify: true, ca: made.cert }, headers: async () => ({}) },
    { port: null, loopback: true },
  );
  const node = aNodeRecord({ name: 'n1', internalIp: '127.0.0.1', kubeletPort: port });
  const pages = new TextPages(new InlinePageReader(fetcher));
  const deltas = new CounterDeltas();
  const { signal } = new AbortController();
  let containers = 0;
  const readTimes = async (times: number): Promise<void> => {
    for (let reading = 0; reading < times; reading++) {
      containers = deltas.read(
        await pages.containerCounters(node, signal, { maxBytes: MAX_PAGE_BYTES, maxContainers: 20_000 }),
        Date.now() + reading,
        () => true,
      ).length;
    }
  };
  await readTimes(WARM_UP_READINGS);
  const before = process.cpuUsage();
  await readTimes(READINGS);
  const { user, system } = process.cpuUsage(before);
  fetcher.close();
  kubelet.kill();
  if (containers !== pods * CONTAINERS_OF_A_POD) throw new Error(`${containers} containers were found on the page`);
  return (user + system) / 1000 / READINGS;
}

async function measure(): Promise<void> {
  const page = aPage(FULL_NODE_PODS);
  const cpuMs = await readingCost(FULL_NODE_PODS);
  const cpuMsASecond = (await readingCost(LARGE_CLUSTER_PODS)) * READINGS_A_SECOND;
  const input = inputOf(FULL_NODE_PODS);
  const measured: Figure[] = [
    { id: 'evidence/page/bytes', value: page.length, unit: 'bytes', input },
    { id: 'evidence/page/gzipBytes', value: gzipSync(page).length, unit: 'bytes', input },
    { id: 'evidence/page/cpu', value: round(cpuMs, 10), unit: 'milliseconds', input },
    { id: 'evidence/5000-nodes/cpuPerSecond', value: round(cpuMsASecond, 10), unit: 'milliseconds', input: inputOf(LARGE_CLUSTER_PODS) },
  ];
  for (const { id, value, unit, input: of } of measured) console.log(JSON.stringify({ figure: id, value, unit, input: of }));
  const bytesASecond = Math.round(gzipSync(aPage(LARGE_CLUSTER_PODS)).length * READINGS_A_SECOND);
  console.log(
    JSON.stringify({
      figure: 'evidence/5000-nodes',
      readingsASecond: round(READINGS_A_SECOND, 100),
      bytesASecond,
      mostCpuMs: MAX_CPU_MS_A_SECOND,
    }),
  );
  const { regressions, compared, notCompared } = compareFigures(measured, readRecordedFigures());
  console.log(JSON.stringify({ figure: 'evidence: regression-check', compared, notCompared, regressions }));
  if (regressions.length > 0 || cpuMsASecond > MAX_CPU_MS_A_SECOND) process.exitCode = 1;
  if (process.argv.includes('--record')) recordFigures(measured);
}

function round(value: number, by: number): number {
  return Math.round(value * by) / by;
}
