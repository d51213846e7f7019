import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { aWorkload, packFiles, preferencesOf, REQUIRED } from '../../../test/builders/pack-files.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

const pools = fc
  .array(
    fc.record({
      type: fc.constantFrom('small', 'large'),
      zone: fc.constantFrom('a', 'b', 'c'),
      capacity: fc.constantFrom('spot', 'on-demand'),
      max: fc.constantFrom('', '', '', '1', '3'),
      label: fc.constantFrom('', 'disk=ssd'),
      taint: fc.constantFrom('', '', 'dedicated=batch:NoSchedule', 'soft=x:PreferNoSchedule'),
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((rows) => {
    const lines = rows.map(({ type, zone, capacity, max, label, taint }, at) => {
      const size = type === 'small' ? '2,4' : '8,32';
      return `${type}-${at},${size},${(type === 'small' ? 0.1 : 0.35) + at / 100},${zone},${capacity},${max},${label},${taint}`;
    });
    return ['machine_type,vcpu,memory_gib,usd_per_hour,zone,capacity_type,max,labels,taints', ...lines, ''].join('\n');
  });

/** Rules of pods with the label `app`. */
function rules(app: string): fc.Arbitrary<string> {
  const selector = `labelSelector: { matchLabels: { app: ${app} } }`;
  const term = (key: string): string => `{ topologyKey: ${key}, ${selector} }`;
  const spread = (key: string, when: string, skew: number): string =>
    `{ maxSkew: ${skew}, whenUnsatisfiable: ${when}, topologyKey: ${key}, ${selector} }`;
  const key = fc.constantFrom(ZONE, HOST);
  const spreads = fc
    .array(fc.tuple(key, fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'), fc.constantFrom(1, 2, 3)), { maxLength: 2 })
    .map((each) => `topologySpreadConstraints: [${each.map((of) => spread(...of)).join(', ')}]`);
  const affinity = fc
    .record({
      kind: fc.constantFrom('podAffinity', 'podAntiAffinity', 'podAntiAffinity', ''),
      key,
      preferred: fc.boolean(),
      zone: fc.constantFrom('', '', 'a', 'b'),
    })
    .map(({ kind, key: of, preferred, zone }) => {
      const pods = preferred
        ? `${kind}: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: ${term(of)} }] }`
        : `${kind}: { ${REQUIRED}: [${term(of)}] }`;
      const nodes = `nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [{ key: ${ZONE}, operator: In, values: [${zone}] }] } }] }`;
      return `affinity: { ${[...(kind === '' ? [] : [pods]), ...(zone === '' ? [] : [nodes])].join(', ')} }`;
    });
  const node = fc.constantFrom('', '', '', 'nodeSelector: { evenkeel.io/capacity-type: spot }', `nodeSelector: { ${ZONE}: a }`);
  const tolerations = fc.constantFrom('', '', 'tolerations: [{ operator: Exists }]', 'tolerations: [{ key: dedicated, operator: Exists }]');
  const priority = fc.constantFrom('', '', 'priority: 10');
  return fc.tuple(spreads, affinity, node, tolerations, priority).map((parts) => parts.filter((part) => part !== '').join(', '));
}

const workloads = fc
  .array(
    fc.record({
      kind: fc.constantFrom('Deployment', 'Deployment', 'StatefulSet', 'DaemonSet'),
      replicas: fc.integer({ min: 1, max: 6 }),
      cpu: fc.constantFrom(100, 300, 700, 1500),
      app: fc.constantFrom('x', 'y', 'z'),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .chain((each) =>
    fc.tuple(
      ...each.map(({ kind, replicas, cpu, app }, at) =>
        rules(app).map((rule) => {
          const name = `w${at}`;
          const requests = `containers: [{ name: main, resources: { requests: { cpu: ${kind === 'DaemonSet' ? 50 : cpu}m, memory: ${cpu}Mi } } }]`;
          const isPlain = kind === 'DaemonSet';
          return aWorkload(name, replicas, `{ ${requests}${isPlain ? '' : `, ${rule}`} }`, {
            kind,
            app: isPlain ? 'agent' : app,
            spec: kind === 'StatefulSet' ? 'volumeClaimTemplates: [{ metadata: { name: data }, spec: { storageClassName: ssd } }]' : '',
          });
        }),
      ),
    ),
  );

const STORAGE = [
  '{ apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: { name: ssd }, provisioner: x.csi.io, volumeBindingMode: WaitForFirstConsumer }\n',
  '{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data-w0-0, namespace: shop }, spec: { volumeName: pv } }\n',
  `{ apiVersion: v1, kind: PersistentVolume, metadata: { name: pv }, spec: { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ${ZONE}, operator: In, values: [b] }] }] } } } }\n`,
];

test('whatever manifests and pools say, a packing is refused by name or proven by the scheduler', async () => {
  let packed = 0;
  await fc.assert(
    fc.asyncProperty(pools, workloads, async (pool, manifests) => {
      const { problems, pods } = packFiles([...manifests, ...STORAGE], pool);
      for (const problem of problems) expect(problem).toMatch(/^\.\/(pods\.yaml|pools\.csv)|fits? on no machine type/);
      if (pods.length === 0) return;
      packed += 1;
      await preferencesOf([...manifests, ...STORAGE], pool, { preferenceCost: 0.5 });
    }),
    { numRuns: 100 },
  );
  expect(packed).toBeGreaterThan(10);
});
