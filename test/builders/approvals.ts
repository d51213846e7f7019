import { MiB, MINUTE_MS } from '#kube/units';
import { decideWorkload } from '../../src/core/resize/layers/decide-workload.ts';
import type { WorkloadDecision } from '../../src/core/resize/model/decision.ts';
import { NO_USER_REQUESTS, type WorkloadSituation } from '../../src/core/resize/model/situation.ts';
import { aContainer, amounts, anAdvice, aPodRecord, aSituation, autoPolicy, aWorkloadRecord, resized, T0 } from './rightsizing.ts';

export const APPROVE = autoPolicy({ mode: 'Approve' });

/** The situation after a user has approved all values that are shown. */
export function approved(situation: WorkloadSituation): WorkloadSituation {
  const values = new Map(
    decideWorkload(situation).containers.flatMap(({ name, target }) => (target === null ? [] : [[name, target] as const])),
  );
  return { ...situation, userRequests: { ...NO_USER_REQUESTS, approved: { at: situation.now, by: 'ann', values } } };
}

/** Decides every `step` minutes; the pods get the values. @returns the last situation and the decisions */
export function run(
  s: WorkloadSituation,
  minutes: number,
  step = 5,
  each: (s: WorkloadSituation, m: number) => Partial<WorkloadSituation> = () => ({}),
): { readonly s: WorkloadSituation; readonly decisions: readonly WorkloadDecision[] } {
  const start = s.now;
  const decisions: WorkloadDecision[] = [];
  for (let m = 0; m <= minutes; m += step) {
    const now = start + m * MINUTE_MS;
    s = { ...s, now, demand: s.demand.map((d) => ({ ...d, throttlingMeasuredAt: now })) };
    s = { ...s, ...each(s, m) };
    const d = decideWorkload(s);
    decisions.push(d);
    const changed = (uid: string): boolean => d.steps.some(({ pod }) => pod.uid === uid);
    const after = resized(s.pods, d.steps).map((p) => (changed(p.uid) ? { ...p, resizedBy: { manager: 'evenkeel', at: now } } : p));
    s = { ...s, memory: d.memory, pods: after };
  }
  return { s, decisions };
}

export function cpusOf({ pods }: WorkloadSituation, container = 0): readonly (number | null)[] {
  return pods.map(({ containers }) => containers[container]!.requests.cpuMillicores);
}

/** In MiB. */
export function memoryOf({ pods }: WorkloadSituation): readonly number[] {
  return pods.map(({ containers }) => containers[0]!.requests.memoryBytes! / MiB);
}

/** A workload in mode Approve with the containers main and proxy, which are too large. */
export function two(change: Partial<WorkloadSituation> = {}, n = 3, proxy = amounts('500m', '512Mi')): WorkloadSituation {
  const cs = [aContainer({ name: 'main' }), aContainer({ name: 'proxy', requests: proxy })];
  return aSituation({
    policy: APPROVE,
    pods: Array.from({ length: n }, (_, i) => aPodRecord({ name: `web-${i + 1}`, containers: cs })),
    workload: aWorkloadRecord({
      containers: cs.map(({ name, requests, limits }) => ({ name, requests, limits, sidecar: false, image: name })),
      replicas: { desired: n, current: n, ready: n },
    }),
    advice: [anAdvice(), anAdvice({ container: 'proxy' })],
    demand: ['main', 'proxy'].map((container) => ({ container, windows: [], throttlingMeasuredAt: T0 })),
    ...change,
  });
}
