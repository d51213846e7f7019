// The chart, rendered by the real Helm and validated by the real API server; and config/, which installs the same objects without Helm.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CONTROLLER_PERMISSIONS, KUBELET_READER_PERMISSIONS, type GrantedWhen } from '../../src/adapters/kubernetes/access/permissions.ts';
import { UNINSTALL_PERMISSIONS } from '../../src/cli/uninstall/permissions.ts';
import { loadSettings } from '../../src/runtime/options/load-settings.ts';
import { EVENKEEL_SETTINGS, type SETTINGS } from '../../src/runtime/options/settings-schema.ts';
import { BY_DEFAULT, declared, forbiddenIn, grantsOf, manifestsOf, parseManifests, ROOT, type Manifest } from '../chart/rules.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { RealCluster } from './real-cluster.ts';

const CHART = join(ROOT, 'charts/evenkeel');
const NAMESPACE = 'evenkeel-system';

const POSTGRES = [
  'config.history.url=postgres://evenkeel@db.example.com:6432/evenkeel?sslmode=verify-full',
  'secrets.historyPassword.name=postgres',
  'secrets.historyCa.name=postgres-ca',
  'secrets.oidcClientSecret.name=oidc-client',
];

/** Usual values of an installation, and the permissions that they grant. */
const VALUE_SETS: readonly {
  readonly name: string;
  readonly values: readonly string[];
  readonly when?: readonly GrantedWhen[];
  /** Additional grants of the controller and of the uninstall, in the form of `grantsOf`. */
  readonly also?: readonly string[];
  readonly alsoOfController?: readonly string[];
}[] = [
  { name: 'the default values', values: [] },
  { name: 'two replicas on PostgreSQL', values: ['controller.replicas=2', ...POSTGRES] },
  { name: 'three replicas, the URL of PostgreSQL in a Secret', values: ['controller.replicas=3', 'secrets.historyUrl.name=postgres'] },
  {
    name: 'an Ingress with TLS',
    values: [
      'ingress.enabled=true',
      'ingress.className=nginx',
      'ingress.hosts={evenkeel.example.com}',
      'ingress.tls[0].secretName=evenkeel-tls',
      'ingress.tls[0].hosts={evenkeel.example.com}',
      'config.dashboard.publicUrl=https://evenkeel.example.com/',
      'config.dashboard.trustedProxies={10.0.0.0/8}',
    ],
  },
  { name: 'a dashboard over HTTPS', values: ['secrets.dashboardTls.name=evenkeel-tls'] },
  { name: 'no persistence', values: ['persistence.enabled=false'] },
  { name: 'an existing claim', values: ['persistence.existingClaim=mine'] },
  { name: 'no network policy', values: ['networkPolicy.enabled=false'] },
  {
    name: 'a cluster in mode Observe',
    values: ['rbac.effects=false'],
    when: ['always', 'rbac.kubelets', 'config.kubelet.viaProxy: false', 'config.crds.install'],
  },
  {
    name: 'usage from metrics-server',
    values: ['rbac.kubelets=false'],
    when: ['always', 'rbac.effects', 'config.kubelet.viaProxy: false', 'config.crds.install'],
  },
  {
    name: 'CRDs applied manually',
    values: ['config.crds.install=false'],
    when: ['always', 'rbac.effects', 'rbac.kubelets', 'config.kubelet.viaProxy: false'],
  },
  {
    name: 'authentication',
    values: ['config.auth.enabled=true', 'config.auth.initialAdmin=ana@example.com'],
    when: [...BY_DEFAULT, 'config.auth.enabled'],
  },
  {
    name: 'workloads of other groups',
    values: ['rbac.workloads[0].group=argoproj.io', 'rbac.workloads[0].resource=rollouts'],
    also: [
      ...['get', 'list', 'patch'].map((verb) => `cluster ${verb} rollouts.argoproj.io`),
      'cluster patch rollouts.argoproj.io/scale',
      'cluster get customresourcedefinitions.apiextensions.k8s.io named rollouts.argoproj.io',
    ],
    alsoOfController: ['cluster watch rollouts.argoproj.io'],
  },
  { name: 'dry-run', values: ['config.controller.dryRun=true', 'config.controller.logLevel=debug'] },
  {
    name: 'every value of a pod',
    values: [
      'image.digest=sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'imagePullSecrets[0].name=registry',
      'fullnameOverride=keel',
      'commonLabels.team=platform',
      'controller.podLabels.a=b',
      'controller.podAnnotations.c=d',
      'controller.priorityClassName=system-cluster-critical',
      'controller.tolerations[0].operator=Exists',
      'controller.extraEnv[0].name=EVENKEEL_CLUSTER_NAME',
      'controller.extraEnv[0].value=blue',
      'controller.extraVolumes[0].name=prices',
      'controller.extraVolumes[0].configMap.name=prices',
      'controller.extraVolumeMounts[0].name=prices',
      'controller.extraVolumeMounts[0].mountPath=/etc/prices',
      'config.prices.file=/etc/prices/prices.yaml',
      'config.dashboard.addr=:9999',
      'config.controller.probeAddr=:9998',
      'config.controller.metricsAddr=:9997',
      'config.prometheus.url=https://prometheus.example.com/',
      'serviceAccount.annotations.e=f',
      'uninstall.bestEffort=true',
    ],
  },
];

/** Values that are refused, and patterns of the error. */
const REFUSED: readonly { readonly values: readonly string[]; readonly words: readonly RegExp[] }[] = [
  {
    values: ['controller.replicas=2'],
    words: [/controller\.replicas/, /SQLite/, /config\.history\.url/, /secrets\.historyPassword\.name/],
  },
  { values: ['controller.replicas=-1'], words: [/\/controller\/replicas/] },
  { values: ['controler.replicas=1'], words: [/controler/] },
  { values: ['config.controler.dryRun=true'], words: [/\/config/, /controler/] },
  { values: ['config.controller.dryrun=true'], words: [/\/config\/controller/, /dryrun/] },
  { values: ['config.kubelet.interval=soon'], words: [/\/config\/kubelet\/interval/] },
  { values: ['config.controller.logLevel=loud'], words: [/\/config\/controller\/logLevel/] },
  { values: ['rbac.workloads[0].group=apps', 'rbac.workloads[0].resource=deployments'], words: [/\/rbac\/workloads\/0\/group/] },
  { values: ['config.dashboard.addr=127.0.0.1:9090'], words: [/\/config\/dashboard\/addr/] },
  { values: ['config.namespace=other'], words: [/\/config/, /namespace/] },
  { values: ['config.history.password=hunter2'], words: [/\/config\/history/, /password/] },
  { values: ['config.history.url=postgres://me:hunter2@db/evenkeel'], words: [/config\.history\.url/, /secrets\.historyPassword\.name/] },
  { values: ['config.history.url=postgres://me:hun/ter2@db/evenkeel'], words: [/config\.history\.url/, /secrets\.historyPassword\.name/] },
  { values: ['config.history.url=sqlite:evenkeel.sqlite'], words: [/config\.history\.url/, /\/var\/lib\/evenkeel/] },
  { values: ['config.history.url=null'], words: [/config\.history\.url/, /\/var\/lib\/evenkeel/] },
  { values: ['serviceAccount.create=false'], words: [/serviceAccount\.name/, /every pod of the namespace/] },
  { values: ['secrets.historyPassword.name=postgres'], words: [/secrets\.historyPassword\.name/, /SQLite/] },
  { values: ['controller.replicas=2', 'config.controller.leaderElect=false', ...POSTGRES], words: [/leaderElect/] },
  { values: ['config.controller.leaderElect=false'], words: [/leaderElect/, /an uninstall/] },
  { values: ['ingress.enabled=true'], words: [/ingress\.hosts/] },
  { values: ['image.pullPolicy=Sometimes'], words: [/\/image\/pullPolicy/] },
  { values: ['image.digest=latest'], words: [/\/image\/digest/] },
  { values: ['persistence.accessMode=ReadWriteMany'], words: [/\/persistence\/accessMode/] },
  { values: ['controller.terminationGracePeriodSeconds=1'], words: [/\/controller\/terminationGracePeriodSeconds/] },
];

let cluster: RealCluster;

beforeAll(async () => {
  cluster = await RealCluster.start({ name: 'chart', nodes: 1 });
  await cluster.kubectl('apply', '-f', join(ROOT, 'config/default/namespace.yaml'));
  await cluster.kubectl('apply', '--server-side', '-k', join(ROOT, 'config/crds'));
}, HANG_TEST_MS);
afterAll(() => cluster.stop(), HANG_TEST_MS);

async function rendered(...values: readonly string[]): Promise<readonly Manifest[]> {
  const sets = values.flatMap((value) => ['--set', value.replaceAll(/,/g, '\\,')]);
  return parseManifests(await cluster.helm('template', 'evenkeel', CHART, '--namespace', NAMESPACE, ...sets));
}

/** Server-side dry run: the API server validates the objects and stores nothing. */
async function validate(manifests: readonly object[]): Promise<string> {
  const file = join(cluster.folder, 'rendered.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }));
  return cluster.kubectl('apply', '--dry-run=server', '--validate=strict', '-f', file);
}

function named(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind} ${name} among the rendered manifests`);
  return found;
}

test(
  'helm lint reports nothing',
  async () => {
    expect(await cluster.helm('lint', '--strict', CHART)).toContain('0 chart(s) failed');
  },
  HANG_TEST_MS,
);

describe.each(VALUE_SETS)('With $name', ({ values, when = BY_DEFAULT, also = [], alsoOfController = [] }) => {
  let manifests: readonly Manifest[];
  beforeAll(async () => {
    manifests = await rendered(...values);
  }, HANG_TEST_MS);

  test(
    'the API server accepts every object',
    async () => {
      const answer = await validate(manifests);
      expect(
        answer
          .trim()
          .split('\n')
          .map((line) => /\((server dry run)\)$/.exec(line)?.[1]),
      ).toEqual(manifests.map(() => 'server dry run'));
    },
    HANG_TEST_MS,
  );

  test(
    'its pods are admitted where the restricted Pod Security Standard is enforced',
    async () => {
      const pods = manifests.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)).map(podOf);
      expect(pods).toHaveLength(2);
      // Without references to objects that a dry run does not create: volumes, priority class, ServiceAccount.
      await cluster.kubectl('create', 'serviceaccount', 'any', '-n', NAMESPACE).catch(() => undefined);
      await validate(pods);
    },
    HANG_TEST_MS,
  );

  test('its roles grant what the code declares, and nothing else', () => {
    const [fullname] = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => metadata.name.replace(/-controller$/, ''));
    expect(grantsOf(manifests, `${fullname}-controller`)).toEqual(
      [...declared(CONTROLLER_PERMISSIONS, when), ...also, ...alsoOfController].sort(),
    );
    expect(grantsOf(manifests, `${fullname}-kubelet-reader`)).toEqual(declared(KUBELET_READER_PERMISSIONS, when));
    expect(grantsOf(manifests, `${fullname}-uninstall`)).toEqual([...declared(UNINSTALL_PERMISSIONS, when), ...also].sort());
    expect(forbiddenIn(manifests)).toEqual([]);
  });

  test('the controller accepts its settings, and none of them is unknown', () => {
    const [configMap] = manifests.filter(({ kind }) => kind === 'ConfigMap');
    const { 'settings.yaml': text } = configMap!['data'] as { readonly 'settings.yaml': string };
    const loaded = loadSettings(EVENKEEL_SETTINGS, { file: { name: 'settings.yaml', text }, environment: {}, flags: [] });
    expect(loaded).toMatchObject({ ok: true });
  });
});

/** Pods of Evenkeel's namespace, and of namespaces with the label. */
const DASHBOARD_CLIENTS = [{ podSelector: {} }, { namespaceSelector: { matchLabels: { 'evenkeel.io/dashboard-client': 'true' } } }];

/** Peers of every NetworkPolicy rule that admits to a port; undefined when all peers are admitted. */
function ingressTo(manifests: readonly Manifest[], port: number): readonly unknown[] {
  const { spec } = named(manifests, 'NetworkPolicy', 'evenkeel') as unknown as {
    spec: {
      readonly policyTypes: readonly string[];
      readonly ingress: readonly { readonly ports?: readonly { readonly port: number }[]; readonly from?: unknown }[];
    };
  };
  expect(spec.policyTypes).toContain('Ingress');
  return spec.ingress.filter(({ ports }) => ports === undefined || ports.some((entry) => entry.port === port)).map(({ from }) => from);
}

function settingsIn(manifests: readonly Manifest[]): ReturnType<typeof loadSettings<typeof SETTINGS>> {
  const { data } = named(manifests, 'ConfigMap', 'evenkeel-settings') as unknown as { data: { 'settings.yaml': string } };
  return loadSettings(EVENKEEL_SETTINGS, { file: { name: 'settings.yaml', text: data['settings.yaml'] }, environment: {}, flags: [] });
}

/** A pod with the spec of a template, without references that a dry run cannot resolve. */
function podOf({ metadata, spec }: Manifest): object {
  const { template } = spec as { readonly template: { readonly metadata: object; readonly spec: Readonly<Record<string, unknown>> } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name: metadata.name, namespace: NAMESPACE },
    spec: { ...template.spec, serviceAccountName: 'any', topologySpreadConstraints: undefined },
  };
}

test.each(REFUSED)(
  '$values is refused with a remedy',
  async ({ values, words }) => {
    const refusal = await rendered(...values).then(
      () => 'it was accepted',
      (err: unknown) => String(err),
    );
    for (const word of words) expect(refusal).toMatch(word);
  },
  HANG_TEST_MS,
);

describe('The chart', () => {
  test(
    'renders one pod with a volume, or several with a shared store and anti-affinity',
    async () => {
      const one = named(await rendered(), 'Deployment', 'evenkeel-controller')['spec'] as object;
      expect(one).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
      const manifests = await rendered('controller.replicas=2', ...POSTGRES);
      const two = named(manifests, 'Deployment', 'evenkeel-controller')['spec'] as object;
      expect(two).toMatchObject({
        replicas: 2,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0 } },
        template: { spec: { affinity: { podAntiAffinity: {} }, topologySpreadConstraints: [{ whenUnsatisfiable: 'ScheduleAnyway' }] } },
      });
      expect(manifests.map(({ kind }) => kind)).toContain('PodDisruptionBudget');
      expect(manifests.map(({ kind }) => kind)).not.toContain('PersistentVolumeClaim');
      expect((await rendered()).map(({ kind }) => kind)).not.toContain('PodDisruptionBudget');
    },
    HANG_TEST_MS,
  );

  test(
    'probes the documented paths, on the ports of the settings',
    async () => {
      const { spec } = named(await rendered('config.controller.probeAddr=:9998'), 'Deployment', 'evenkeel-controller') as unknown as {
        spec: { template: { spec: { containers: readonly Readonly<Record<string, unknown>>[] } } };
      };
      expect(spec.template.spec.containers[0]).toMatchObject({
        livenessProbe: { httpGet: { path: '/healthz', port: 'probes' }, initialDelaySeconds: 15, periodSeconds: 20 },
        readinessProbe: { httpGet: { path: '/readyz', port: 'probes' }, initialDelaySeconds: 5, periodSeconds: 10 },
        ports: [
          { name: 'dashboard', containerPort: 9090 },
          { name: 'probes', containerPort: 9998 },
          { name: 'metrics', containerPort: 8080 },
        ],
      });
    },
    HANG_TEST_MS,
  );

  test(
    'keeps a password out of everything that is not a Secret',
    async () => {
      const manifests = await rendered('controller.replicas=2', ...POSTGRES, 'secrets.historyUrl.name=whole');
      expect(manifests.map(({ kind }) => kind)).not.toContain('Secret');
      expect(JSON.stringify(named(manifests, 'ConfigMap', 'evenkeel-settings'))).not.toContain('postgres:');
      expect(JSON.stringify(named(manifests, 'Deployment', 'evenkeel-controller'))).toContain(
        '{"name":"EVENKEEL_HISTORY_PASSWORD","valueFrom":{"secretKeyRef":{"name":"postgres","key":"password"}}}',
      );
    },
    HANG_TEST_MS,
  );

  test(
    'admits to the dashboard only its own namespace and those that are labelled as its clients, and takes anonymous changes from loopback alone',
    async () => {
      const manifests = await rendered();
      expect(ingressTo(manifests, 9090)).toEqual([DASHBOARD_CLIENTS]);
      expect(settingsIn(manifests)).toMatchObject({ ok: true, settings: { 'dashboard.anonymousWrites': false } });
    },
    HANG_TEST_MS,
  );

  test.each([
    { setting: 'history.url', value: 'postgres://me@db.example.com/evenkeel', port: 5432 },
    { setting: 'history.url', value: 'postgres://me@[fd00::1]:6432/evenkeel', port: 6432 },
    { setting: 'prometheus.url', value: 'http://prometheus.example.com/path:1', port: 80 },
    { setting: 'prometheus.url', value: 'https://prometheus.example.com', port: 443 },
    { setting: 'prometheus.url', value: 'http://me:123@[fd00::9090]:9090/', port: 9090 },
    { setting: 'auth.oidc.issuer', value: 'https://accounts.example.com/realms/a:1', port: 443 },
    { setting: 'auth.oidc.issuer', value: 'https://keycloak.example.com:8443', port: 8443 },
  ])(
    'lets its pods out to $value',
    async ({ setting, value, port }) => {
      const { spec } = named(
        await rendered('config.auth.enabled=true', `config.${setting}=${value}`),
        'NetworkPolicy',
        'evenkeel',
      ) as unknown as {
        spec: { egress: readonly { ports: readonly { port: number }[] }[] };
      };
      expect(spec.egress.at(-1)).toEqual({ ports: [{ port, protocol: 'TCP' }] });
    },
    HANG_TEST_MS,
  );

  test(
    'grants nodes/proxy only when config.kubelet.viaProxy is set',
    async () => {
      const manifests = await rendered('config.kubelet.viaProxy=true');
      expect(forbiddenIn(manifests)).toEqual(['ClusterRole evenkeel-controller: nodes/proxy']);
      expect(grantsOf(manifests, 'evenkeel-controller')).toEqual(
        declared(CONTROLLER_PERMISSIONS, ['always', 'rbac.effects', 'config.kubelet.viaProxy', 'config.crds.install']),
      );
      expect(manifests.filter(({ metadata }) => metadata.name === 'evenkeel-kubelet-reader')).toEqual([]);
    },
    HANG_TEST_MS,
  );

  test(
    'creates a ServiceMonitor when it is enabled',
    async () => {
      const manifests = await rendered(
        'serviceMonitor.enabled=true',
        'serviceMonitor.interval=30s',
        'serviceMonitor.labels.release=prometheus',
      );
      expect(named(manifests, 'ServiceMonitor', 'evenkeel')).toMatchObject({
        metadata: { labels: { release: 'prometheus' } },
        spec: { endpoints: [{ port: 'metrics', path: '/metrics', interval: '30s' }] },
      });
      const { spec } = named(manifests, 'Service', 'evenkeel-metrics') as unknown as { spec: { ports: readonly { name: string }[] } };
      expect(spec.ports.map(({ name }) => name)).toEqual(['metrics']);
    },
    HANG_TEST_MS,
  );

  test(
    'allows the dashboard the host names of its Service and Ingress',
    async () => {
      const { data } = named(
        await rendered(
          'fullnameOverride=keel',
          'ingress.enabled=true',
          'ingress.hosts={ek.example.com}',
          'config.dashboard.allowedHosts={mine.example.com}',
        ),
        'ConfigMap',
        'keel-settings',
      ) as unknown as { data: { 'settings.yaml': string } };
      const loaded = loadSettings(EVENKEEL_SETTINGS, {
        file: { name: 'settings.yaml', text: data['settings.yaml'] },
        environment: {},
        flags: [],
      });
      expect(loaded.ok && loaded.settings['dashboard.allowedHosts']).toEqual([
        'mine.example.com',
        'keel',
        `keel.${NAMESPACE}`,
        `keel.${NAMESPACE}.svc`,
        `keel.${NAMESPACE}.svc.cluster.local`,
        'ek.example.com',
      ]);
    },
    HANG_TEST_MS,
  );
});

/**
 * kustomize sets a namespace on ValidatingAdmissionPolicies and their bindings, which are cluster-scoped; kubectl, which asks the API
 * server, removes it.
 */
function withoutNamespaceOfClusterKinds(manifest: Manifest): Manifest {
  if (!manifest.kind.startsWith('ValidatingAdmissionPolicy')) return manifest;
  const { namespace: _, ...metadata } = manifest.metadata;
  return { ...manifest, metadata };
}

describe('config/', () => {
  test(
    'renders the same objects as the chart with its default values',
    async () => {
      const folders = ['config/default', 'config/uninstall'];
      const texts = await Promise.all(folders.map((folder) => cluster.kubectl('kustomize', join(ROOT, folder))));
      const byKustomize = texts
        .flatMap(parseManifests)
        .filter(({ kind }) => kind !== 'Namespace')
        .map(withoutNamespaceOfClusterKinds);
      expect(comparable(byKustomize)).toEqual(comparable(await rendered()));
    },
    HANG_TEST_MS,
  );

  test('admits to the dashboard what the chart admits, and takes anonymous changes from loopback alone', () => {
    expect(ingressTo(manifestsOf('config/controller/networkpolicy.yaml'), 9090)).toEqual([DASHBOARD_CLIENTS]);
    const settings = settingsIn(manifestsOf('config/controller/settings.yaml'));
    expect(settings).toMatchObject({ ok: true, settings: { 'dashboard.anonymousWrites': false } });
  });

  test(
    'is accepted by the API server, with its namespace and CRDs',
    async () => {
      const texts = await Promise.all(
        ['config/default', 'config/uninstall', 'config/crds'].map((folder) => cluster.kubectl('kustomize', join(ROOT, folder))),
      );
      await validate(texts.flatMap(parseManifests).filter(({ kind }) => kind !== 'CustomResourceDefinition'));
      const definitions = join(cluster.folder, 'definitions.yaml');
      writeFileSync(definitions, texts[2]!);
      await cluster.kubectl('apply', '--server-side', '--dry-run=server', '-f', definitions);
    },
    HANG_TEST_MS,
  );

  test('has the version of the package, like the chart', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const [chart] = parseManifests(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    expect(chart).toMatchObject({ version, appVersion: version });
    for (const file of ['config/default/kustomization.yaml', 'config/uninstall/kustomization.yaml'])
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`app.kubernetes.io/version: ${version}\n`);
    for (const file of ['config/controller/deployment.yaml', 'config/uninstall/job.yaml'])
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`image: evenkeel:${version}\n`);
  });
});

/**
 * Without the objects and labels that depend on the installer: Helm's labels, hooks, and the checksum that rolls the pods when settings
 * change.
 */
function comparable(manifests: readonly Manifest[]): Readonly<Record<string, unknown>> {
  const entries = manifests.map((manifest) => {
    const plain = withoutHelm(manifest) as Manifest;
    return [`${manifest.kind} ${manifest.metadata.namespace ?? ''}/${manifest.metadata.name}`, plain] as const;
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withoutHelm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHelm);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !/^helm\.sh\/|^app\.kubernetes\.io\/managed-by$|^checksum\//.test(key))
    .map(([key, inner]) => [key, withoutHelm(inner)] as const)
    .filter(([key, inner]) => !(key === 'annotations' && Object.keys(inner as object).length === 0));
  return Object.fromEntries(entries);
}
