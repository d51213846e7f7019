// Karpenter itself on the pods of its benchmark: test/bench/karpenter, compiled from its Go module.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type MixedPod, mixedMachineTypes, ZONES } from './karpenter-mix.ts';

const MODULE = join(import.meta.dirname, '..', 'karpenter');
const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

export interface KarpenterResult {
  /** False: the time was over first. */
  readonly finished: boolean;
  readonly unscheduled: number;
  /** Of the scheduling alone. */
  readonly seconds: number;
  /** The same in CPU time, garbage collection included. */
  readonly cpuSeconds: number;
  readonly nodes: number;
  readonly usdPerHour: number;
}

interface KarpenterAnswer extends KarpenterResult {
  readonly machineTypes: readonly {
    readonly name: string;
    readonly cpuMillicores: number;
    readonly memoryMib: number;
    readonly maxPods: number;
    readonly offerings: readonly { readonly zone: string; readonly usdPerHour: number }[];
  }[];
}

/** Compiles it, which takes minutes the first time. @returns the path of the binary, or why there is none */
export function buildKarpenter(): { readonly binary: string } | { readonly problem: string } {
  const binary = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'evenkeel', 'bench', 'karpenter');
  mkdirSync(dirname(binary), { recursive: true });
  const env = { ...process.env, CGO_ENABLED: '0' };
  const { status, error } = spawnSync('go', ['build', '-trimpath', '-o', binary, '.'], { cwd: MODULE, env, stdio: ['ignore', 2, 2] });
  if (error !== undefined) return { problem: `go does not run: ${error.message}` };
  return status === 0 ? { binary } : { problem: `\`go build\` in ${MODULE} exited with ${status}` };
}

/** Schedules the pods. @throws where it fails, and where its machine types are not the ones that are packed here */
export function runKarpenter(binary: string, pods: readonly MixedPod[], timeoutSeconds: number): KarpenterResult {
  const { status, stdout, error } = spawnSync(binary, [`-timeout=${timeoutSeconds}s`], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'PodList', items: pods.map(manifestOf) }),
    stdio: ['pipe', 'pipe', 2],
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (error !== undefined || status !== 0) throw new Error(`Karpenter failed with ${status}`, { cause: error });
  const { machineTypes, ...result } = JSON.parse(stdout) as KarpenterAnswer;
  checkMachineTypes(machineTypes);
  return result;
}

function checkMachineTypes(machineTypes: KarpenterAnswer['machineTypes']): void {
  const offered = machineTypes.map(({ offerings, ...type }) => {
    const prices = ZONES.map((zone) => Math.min(...offerings.filter((each) => each.zone === zone).map(({ usdPerHour }) => usdPerHour)));
    return { ...type, prices: prices.map(rounded) };
  });
  const expected = mixedMachineTypes().map(({ name, cpuMillicores, memoryMib, maxPods, usdPerHour }) => {
    return { name, cpuMillicores, memoryMib, maxPods, prices: ZONES.map(() => rounded(usdPerHour)) };
  });
  if (!isDeepStrictEqual(offered, expected)) throw new Error('Karpenter has other machine types than karpenter-mix.ts');
}

/** Its sums of floating-point numbers are in another order. */
function rounded(usd: number): string {
  return usd.toFixed(9);
}

function manifestOf({ kind, cpuMillicores, memoryMib, label, selected }: MixedPod, index: number): object {
  const requests = { cpu: `${cpuMillicores}m`, memory: `${memoryMib}Mi` };
  const labelSelector = { matchLabels: { [label.key]: selected } };
  const spread = (topologyKey: string): object => {
    return { topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector }] };
  };
  const required = (topologyKey: string): object => ({ requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey }] });
  const rule = {
    generic: {},
    'zone-spread': spread('topology.kubernetes.io/zone'),
    'host-spread': spread('kubernetes.io/hostname'),
    'zone-affinity': { affinity: { podAffinity: required('topology.kubernetes.io/zone') } },
    'host-anti-affinity': { affinity: { podAntiAffinity: required('kubernetes.io/hostname') } },
  }[kind];
  return {
    metadata: { name: `pod-${index}`, namespace: 'default', uid: `pod-${index}`, labels: { [label.key]: label.value } },
    spec: { containers: [{ name: 'main', image: 'main', resources: { requests } }], ...rule },
    status: { phase: 'Pending' },
  };
}
