import type { Dice } from './dice.ts';
import { randomLabels, randomNodeSelector, randomNodeTerms, randomPodTerm, randomSpread, randomTolerations } from './random-rules.ts';
import { GPU, NAMESPACES, type WireObject } from './wire-cluster.ts';

/**
 * Factors for the frequency of each kind of constraint in a cluster. With many kinds together almost nothing fits, and the last filters
 * hardly run.
 */
export interface Theme {
  readonly nodes: number;
  readonly affinity: number;
  readonly spread: number;
  readonly volumes: number;
  readonly ports: number;
}

/** Parameters of a random pod. */
export interface PodPlan {
  readonly name: string;
  /** Node of a running pod; absent for a pending pod. */
  readonly node?: string;
  readonly nodes: number;
  readonly theme: Theme;
  /** Claims that it may mount, by namespace. */
  readonly claims: Readonly<Record<string, readonly string[]>>;
}

type Requests = Record<string, string>;

const CPU = ['0', '1m', '50m', '100m', '250m', '500m', '1', '0.1', '1.5', '2', '100u'];
const MEMORY = ['0', '1', '64Mi', '128Mi', '100M', '1Gi', '1.5Gi', '2Gi', '1e9', '500m'];

export function randomPod(dice: Dice, plan: PodPlan): WireObject {
  const running = plan.node !== undefined;
  const { theme } = plan;
  const namespace = dice.pick(NAMESPACES);
  const hostNetwork = dice.chance(0.06);
  const containers = dice.times(dice.pick([1, 1, 1, 2]), (index) => randomContainer(dice, `main-${index}`, theme.ports, hostNetwork));
  const initContainers = dice.chance(0.15)
    ? dice.times(dice.pick([1, 2, 3]), (index) => randomInit(dice, `init-${index}`, theme.ports))
    : [];
  // Pending pods have more constraints: each of them is evaluated on every node.
  const often = running ? 0.4 : 1;
  const rules = {
    ...(dice.chance(0.15 * often * theme.nodes) && { nodeSelector: randomNodeSelector(dice) }),
    ...affinityOf(dice, often, plan),
    ...(dice.chance(0.3 * often) && { tolerations: randomTolerations(dice) }),
    ...(dice.chance(0.3 * often * theme.spread) && { topologySpreadConstraints: randomSpread(dice) }),
  };
  return {
    metadata: {
      ...{
        name: plan.name,
        namespace,
        uid: `uid-${plan.name}`,
        labels: { ...randomLabels(dice), ...(dice.chance(0.3) && { shard: dice.pick(['x', 'y']) }) },
      },
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(running && dice.chance(0.08) && { deletionTimestamp: '2026-01-02T00:00:00Z', deletionGracePeriodSeconds: 30 }),
    },
    spec: {
      ...{ containers, ...(initContainers.length > 0 && { initContainers }), ...rules },
      ...(running && { nodeName: plan.node }),
      ...(hostNetwork && { hostNetwork }),
      ...(dice.chance(0.5) && { restartPolicy: 'Always' }),
      ...(dice.chance(0.7) && { priority: dice.pick([-10, 0, 0, 5, 10, 100, 1_000_000]) }),
      ...(dice.chance(0.08) && { preemptionPolicy: 'Never' }),
      ...(dice.chance(0.06) && { overhead: { cpu: '100m', memory: '32Mi' } }),
      ...(dice.chance(0.08) && { resources: wholePod(dice) }),
      ...volumesOf(dice, plan, namespace),
      ...(!running && dice.chance(0.03) && { schedulingGates: [{ name: 'example.com/wait' }] }),
    },
    status: running ? randomStatus(dice, containers, initContainers) : { phase: 'Pending' },
  };
}

function affinityOf(dice: Dice, often: number, { nodes, theme }: PodPlan): object {
  const terms = (): object[] => dice.times(dice.pick([1, 1, 2]), () => randomPodTerm(dice));
  const affinity = {
    ...(dice.chance(0.25 * often * theme.nodes) && {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: randomNodeTerms(dice, nodes) },
    }),
    ...(dice.chance(0.15 * often * theme.affinity) && { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms() } }),
    ...(dice.chance(0.3 * often * theme.affinity) && { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms() } }),
  };
  return Object.keys(affinity).length > 0 ? { affinity } : {};
}

function randomContainer(
  dice: Dice,
  name: string,
  ports: number,
  hostNetwork: boolean,
): { name: string; resources: { requests: Requests; limits?: Requests } } & object {
  const requests: Requests = {
    ...(dice.chance(0.85) && { cpu: dice.pick(CPU) }),
    ...(dice.chance(0.75) && { memory: dice.pick(MEMORY) }),
    ...(dice.chance(0.15) && { 'ephemeral-storage': dice.pick(['100Mi', '1Gi', '5Gi', '1M']) }),
  };
  // Extended resources cannot be overcommitted: the API requires limits that equal the requests.
  const limits: Requests = {
    ...(dice.chance(0.08) && { [GPU]: dice.pick(['1', '2']) }),
    ...(requests['cpu'] !== undefined && dice.chance(0.05) && { 'hugepages-2Mi': dice.pick(['2Mi', '64Mi']) }),
  };
  // Containers of one pod must not use the same host port.
  const port = dice.pick([80, 443, 8080]) + Number(name.at(-1));
  const wanted = [
    {
      containerPort: port,
      ...(dice.chance(0.3) && { protocol: dice.pick(['TCP', 'UDP', 'SCTP']) }),
      ...(hostNetwork ? dice.maybe(0.5, () => ({ hostPort: port })) : { hostPort: port }),
      ...(dice.chance(0.3) && { hostIP: dice.pick(['0.0.0.0', '127.0.0.1', '10.0.0.1']) }),
    },
  ];
  return {
    ...{ name, image: 'example.com/app:1' },
    resources: { requests: { ...requests, ...limits }, ...(Object.keys(limits).length > 0 && { limits }) },
    ...((hostNetwork || dice.chance(0.1 * ports)) && { ports: wanted }),
    ...(dice.chance(0.02) && {
      restartPolicy: 'Never',
      restartPolicyRules: [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }],
    }),
  };
}

function randomInit(dice: Dice, name: string, ports: number): ReturnType<typeof randomContainer> {
  const sidecar = dice.chance(0.5);
  const container = randomContainer(dice, name, ports, false);
  return sidecar ? { ...container, ...{ restartPolicy: 'Always', restartPolicyRules: undefined } } : container;
}

/** Pod-level requests, above the sum of any two containers, as the API requires. */
function wholePod(dice: Dice): object {
  return {
    requests: { ...(dice.chance(0.8) && { cpu: dice.pick(['8', '10']) }), ...(dice.chance(0.8) && { memory: dice.pick(['8Gi', '16Gi']) }) },
  };
}

function volumesOf(dice: Dice, { name, claims, theme }: PodPlan, namespace: string): object {
  const volumes: object[] = dice.chance(0.25 * theme.volumes)
    ? dice.some(claims[namespace] ?? [], 0.3).map((claimName, index) => ({ name: `claim-${index}`, persistentVolumeClaim: { claimName } }))
    : [];
  if (dice.chance(0.02)) volumes.push({ name: 'missing', persistentVolumeClaim: { claimName: `${name}-nowhere` } });
  if (dice.chance(0.03)) {
    const claim = { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'wait', resources: { requests: { storage: '1Gi' } } } };
    volumes.push({ name: 'scratch', ephemeral: { volumeClaimTemplate: claim } });
  }
  if (dice.chance(0.06 * theme.volumes)) volumes.push({ name: 'disk', ...randomDisk(dice) });
  return volumes.length > 0 ? { volumes } : {};
}

function randomDisk(dice: Dice): object {
  const readOnly = dice.chance(0.5);
  return dice.pick([
    { gcePersistentDisk: { pdName: dice.pick(['d1', 'd2']), readOnly } },
    { awsElasticBlockStore: { volumeID: 'vol-1', readOnly } },
    { iscsi: { targetPortal: '10.0.0.9:3260', iqn: 'iqn.2026-01.com.example:disk', lun: 0, readOnly } },
    { rbd: { monitors: dice.some(['m1', 'm2'], 0.6).concat('m3').slice(0, 1), image: dice.pick(['i1', 'i2']), readOnly } },
  ]);
}

function randomStatus(
  dice: Dice,
  containers: readonly { name: string; resources: { requests: Requests } }[],
  inits: readonly { name: string }[],
): object {
  const phase = dice.chance(0.06) ? dice.pick(['Succeeded', 'Failed']) : 'Running';
  const started = {
    startTime: `2026-01-01T${String(dice.below(24)).padStart(2, '0')}:${String(dice.below(60)).padStart(2, '0')}:${String(dice.below(60)).padStart(2, '0')}Z`,
  };
  if (!dice.chance(0.25)) return { phase, ...started };
  const resized = (name: string): object => ({
    ...{ name, image: 'example.com/app:1', imageID: '', ready: true, restartCount: 0 },
    ...(dice.chance(0.85) && {
      resources: { requests: { ...(dice.chance(0.9) && { cpu: dice.pick(CPU) }), ...(dice.chance(0.8) && { memory: dice.pick(MEMORY) }) } },
    }),
    ...(dice.chance(0.7) && { allocatedResources: { cpu: dice.pick(CPU), memory: dice.pick(MEMORY) } }),
  });
  const condition = { type: 'PodResizePending', status: 'True', reason: dice.pick(['Infeasible', 'Deferred']) };
  return {
    ...{ phase, ...started },
    ...(dice.chance(0.3) && { conditions: [condition] }),
    containerStatuses: containers.map(({ name }) => resized(name)),
    initContainerStatuses: inits.map(({ name }) => resized(name)),
    ...(dice.chance(0.3) && { resources: { requests: { cpu: '9', memory: '9Gi' } }, allocatedResources: { cpu: dice.pick(['7', '12']) } }),
  };
}
