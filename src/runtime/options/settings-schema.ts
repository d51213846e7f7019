// The settings of evenkeel-controller, and those announced for evenkeel-autoscaler.

import { ADMISSION_SETTINGS } from './admission-settings.ts';
import { AUTH_SETTINGS, checkAuthSettings } from './auth-settings.ts';
import { isEmptyOrUrl } from './empty-or-url.ts';
import { HTTP_HEADER } from './http-header.ts';
import { LABEL_MATCHER, LABEL_MATCHER_EXAMPLE } from './label-matcher.ts';
import { checkOidcSettings, OIDC_SETTINGS } from './oidc-settings.ts';
import { isProxyRange } from './proxy-range.ts';
import { checkProxySettings, PROXY_SETTINGS } from './proxy-settings.ts';
import type { SettingsOf, SettingsSchema, SettingTable } from './setting.ts';

/** Settings by dotted path, in the order of docs/settings.md. */
export const SETTINGS = {
  namespace: {
    type: 'string',
    default: '',
    help: "Evenkeel's namespace, for Leases and ConfigMaps. Empty: the namespace of the pod, else evenkeel-system.",
  },
  'cluster.name': {
    type: 'string',
    default: '',
    help: 'Name of the cluster in the dashboard. Empty: the kubeconfig context, else kubernetes.',
  },
  'kubernetes.kubeconfig': {
    type: 'string',
    default: '',
    help: 'Path of a kubeconfig. Empty: KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the pod.',
  },

  'controller.dryRun': { type: 'boolean', default: false, help: 'Analyse and plan, but change nothing.' },
  'controller.leaderElect': {
    type: 'boolean',
    default: true,
    help: 'Take part in leader election. Switch it off for a single replica only.',
  },
  'controller.rebalanceInterval': {
    type: 'duration',
    default: '10m',
    shortest: '1s',
    status: 'announced',
    help: 'Interval at which imbalance is scored.',
  },
  'controller.scaleCooldown': {
    type: 'duration',
    default: '5m',
    shortest: '1s',
    status: 'announced',
    help: "Minimum time between two automatic changes of one workload's replicas or of one autoscaler's fields.",
  },
  'controller.logLevel': {
    type: 'string',
    default: 'info',
    enum: ['debug', 'info', 'warn', 'error'],
    help: 'Lowest level that is logged. Of lines that differ by objects only, at most 60 a minute are written, and one that counts the others.',
  },
  'controller.probeAddr': { type: 'address', default: ':8081', help: 'Address of /healthz and /readyz.' },
  'controller.metricsAddr': { type: 'address', default: ':8080', help: 'Address of /metrics.' },
  'controller.warmUp': {
    type: 'duration',
    default: '10m',
    shortest: '1s',
    help: 'Observation after a start or an outage before requests are reduced. Increases for safety do not wait.',
  },
  'controller.reductionsPerMinute': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane optimize per minute in the cluster (requests, limits, evictions). 0: as many as nodes, at least 50. Increases are not counted.',
  },
  'controller.laneBudgets.user': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane user (user requests such as a reset) per minute in the cluster. 0: no budget. The metric evenkeel_effects_blocked_total counts blocked effects.',
  },
  'controller.laneBudgets.schedule': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane schedule (start and end of schedules) per minute in the cluster. 0: no budget.',
  },
  'controller.laneBudgets.interruption': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane interruption (evictions before a node is removed) per minute in the cluster. 0: no budget. Lane safety never has one.',
  },
  'controller.recommenderThreads': {
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: 16,
    help: 'Worker threads that compute recommendations from usage, so that the main thread does not wait for them. 0: the main thread computes them.',
  },
  ...ADMISSION_SETTINGS,

  'dashboard.addr': {
    type: 'address',
    default: ':9090',
    defaultOutsidePod: '127.0.0.1:9090',
    help: 'Address of the dashboard and its API. Outside a pod the default is 127.0.0.1:9090, because the dashboard requires no credential while auth.enabled is false.',
  },
  'dashboard.publicUrl': {
    type: 'string',
    default: '',
    help: 'URL at which users reach the dashboard; its origin and host are accepted.',
  },
  'dashboard.tls.certFile': {
    type: 'string',
    default: '',
    help: "PEM file with the dashboard's certificate and its chain, which serves dashboard.addr over HTTPS alone. Read again every 10 s. Empty: plain HTTP.",
  },
  'dashboard.tls.keyFile': { type: 'string', default: '', help: "PEM file with the certificate's key." },
  'dashboard.allowedHosts': {
    type: 'list',
    items: { type: 'string' },
    default: [],
    help: 'Further values of the Host header that are accepted.',
  },
  'dashboard.anonymousWrites': {
    type: 'boolean',
    default: true,
    help: 'While auth.enabled is false: accept changes from every client that reaches the dashboard. false: only from loopback, where kubectl port-forward connects.',
  },
  'dashboard.maxConnections': {
    type: 'integer',
    default: 1000,
    minimum: 20,
    maximum: 100_000,
    help: 'Maximum of open connections to the dashboard. One address gets a quarter of them; a trusted proxy may use all.',
  },
  'dashboard.trustedProxies': {
    type: 'list',
    items: { type: 'string' },
    default: [],
    help: 'Addresses whose X-Forwarded-For header is trusted.',
  },

  'prometheus.url': {
    type: 'string',
    default: '',
    help: 'URL of Prometheus, or of a server with its API (Thanos, Mimir, VictoriaMetrics), from which past usage is read at start. Empty: only usage that kubelets report from the start on.',
  },
  'prometheus.tokenFile': {
    type: 'string',
    default: '',
    help: 'File with a bearer token for Prometheus, read for each query. Empty: none.',
  },
  'prometheus.caFile': {
    type: 'string',
    default: '',
    help: "PEM file with the CA that signed Prometheus' certificate. Empty: the CAs of Node.js.",
  },
  'prometheus.headers': {
    type: 'list',
    items: { type: 'string', pattern: { regex: HTTP_HEADER, form: 'a header as "Name: value"' } },
    default: [],
    secret: true,
    help: 'Additional headers of each query, each as "Name: value". Never shown.',
  },
  'prometheus.tenant': { type: 'string', default: '', help: 'Tenant, sent as X-Scope-OrgID (Mimir, Cortex). Empty: none.' },
  'prometheus.matchers': {
    type: 'list',
    default: [],
    items: { type: 'string', pattern: { regex: LABEL_MATCHER, form: `a label matcher such as ${LABEL_MATCHER_EXAMPLE}` } },
    help: 'Label matchers that are added to every query, each as cluster="prod-eu", to select the series of this cluster. Required where Prometheus has series of several clusters, which is not used otherwise.',
  },
  'kubelet.interval': { type: 'duration', default: '60s', shortest: '5s', help: 'Interval at which usage is read from each node.' },
  'kubelet.port': {
    type: 'integer',
    default: 10_250,
    minimum: 1,
    maximum: 65_535,
    help: "Port of every kubelet. The port in a node's status is not used, because its kubelet can write it.",
  },
  'kubelet.viaProxy': {
    type: 'boolean',
    default: false,
    help: "Read kubelets through the API server's proxy instead of directly. Requires the wide permission nodes/proxy.",
  },

  'history.url': {
    type: 'string',
    default: 'sqlite:evenkeel.sqlite',
    help: 'Store of history: sqlite:PATH for one replica (sqlite::memory: is lost with the process), or postgres://USER@HOST:5432/DATABASE?sslmode=verify-full for any number of replicas. sslmode: disable, require, verify-ca or verify-full; default verify-full, on loopback disable.',
  },
  'history.password': {
    type: 'string',
    default: '',
    secret: true,
    help: 'Password of the PostgreSQL user. Set it in the environment, from a Secret; it overrides one in the URL and is never shown.',
  },
  'history.caFile': {
    type: 'string',
    default: '',
    help: "PEM file with the CA that signed the PostgreSQL server's certificate. Empty: the CAs of Node.js.",
  },
  'history.retention': {
    type: 'duration',
    default: '30d',
    shortest: '1d',
    help: 'Retention of usage points, cycles and timeline entries.',
  },
  'history.accessEventRetention': {
    type: 'duration',
    default: '90d',
    shortest: '1d',
    help: 'Retention of access events. They are deleted earlier only where they fill a quarter of history.maxBytes.',
  },
  'history.maxBytes': {
    type: 'integer',
    default: 1_073_741_824,
    minimum: 1_048_576,
    maximum: Number.MAX_SAFE_INTEGER,
    help: 'Size of the store in bytes above which the oldest entries are deleted before their retention ends.',
  },

  'prices.file': {
    type: 'string',
    default: '',
    help: 'YAML file with your prices; prices that it lacks come from the default list.',
  },
  'prices.currency': { type: 'string', default: 'USD', enum: ['USD'], help: 'Currency of prices.' },

  'metrics.maxWorkloads': {
    type: 'integer',
    default: 1000,
    minimum: 0,
    maximum: 100_000,
    help: 'Workloads whose recommended and current requests are exported, the first by namespace, kind and name; each container is four series. The metric evenkeel_workloads_without_metrics counts the others. 0: none.',
  },

  'gke.project': { type: 'string', default: '', status: 'announced', help: 'Google Cloud project of the cluster.' },
  'gke.location': { type: 'string', default: '', status: 'announced', help: 'Region or zone of the cluster.' },
  'gke.cluster': { type: 'string', default: '', status: 'announced', help: 'Name of the GKE cluster.' },

  'features.idleWorkloads': {
    type: 'boolean',
    default: true,
    help: 'Enables idle mode for policies with spec.idle.enabled. false: no workload is idled, idled ones are restored to their natural size, and the list of idle workloads is empty.',
  },

  ...AUTH_SETTINGS,
  ...OIDC_SETTINGS,
  ...PROXY_SETTINGS,
  'crds.install': { type: 'boolean', default: true, help: "Apply Evenkeel's CRDs at start; a newer one is never downgraded." },
  'metaApi.enabled': { type: 'boolean', default: true, status: 'announced', help: 'Serve the account metadata API.' },

  'rateLimit.perAddressPerSecond': {
    type: 'number',
    default: 500,
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    help: 'Requests per second of one address, for requests without a valid credential; with auth.enabled false for all.',
  },
  'rateLimit.burst': {
    type: 'integer',
    default: 1000,
    minimum: 1,
    maximum: 1_000_000,
    help: 'Requests above that rate that may arrive at once.',
  },
  'rateLimit.perCredentialPerSecond': {
    type: 'number',
    default: 200,
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    help: 'Requests per second with one credential: an API key, or the sessions of one user.',
  },
  'rateLimit.credentialBurst': {
    type: 'integer',
    default: 400,
    minimum: 1,
    maximum: 1_000_000,
    help: 'Requests above that rate that may arrive at once.',
  },
  'rateLimit.mcpCallsPerSecond': {
    type: 'number',
    default: 10,
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    help: 'Calls of MCP tools per second with one credential; with auth.enabled false from one address. Reading a resource or a prompt is a call.',
  },
  'rateLimit.mcpBurst': {
    type: 'integer',
    default: 30,
    minimum: 1,
    maximum: 1_000_000,
    help: 'Calls of MCP tools above that rate that may arrive at once.',
  },
  'rateLimit.failedAuthenticationsPerMinute': {
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 1000,
    help: 'Failed authentications of one address in a minute: wrong passwords, after which no password is checked, and invalid API keys.',
  },

  'autoscaler.scaleUpThreshold': {
    type: 'number',
    default: 0.8,
    exclusiveMinimum: 0,
    maximum: 1,
    status: 'announced',
    help: 'Requested fraction of allocatable, over all nodes, from which nodes are added.',
  },
  'autoscaler.scaleDownThreshold': {
    type: 'number',
    default: 0.5,
    exclusiveMinimum: 0,
    maximum: 1,
    status: 'announced',
    help: 'Requested fraction of allocatable, on one node, below which the node may be removed.',
  },
  'autoscaler.minNodes': {
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: 100_000,
    status: 'announced',
    help: 'Minimum number of nodes.',
  },
  'autoscaler.maxNodes': {
    type: 'integer',
    default: 100,
    minimum: 1,
    maximum: 100_000,
    status: 'announced',
    help: 'Maximum number of nodes.',
  },
  'autoscaler.scaleUpCooldown': {
    type: 'duration',
    default: '30s',
    shortest: '1s',
    status: 'announced',
    help: 'Minimum time between two additions of nodes.',
  },
  'autoscaler.scaleDownCooldown': {
    type: 'duration',
    default: '5m',
    shortest: '1s',
    status: 'announced',
    help: 'Minimum time between two removals of nodes.',
  },
  'autoscaler.preferSpot': { type: 'boolean', default: false, status: 'announced', help: 'Prefer spot capacity.' },
  'autoscaler.dryRun': { type: 'boolean', default: false, status: 'announced', help: 'Plan nodes, but change nothing.' },
  'autoscaler.scanInterval': {
    type: 'duration',
    default: '10s',
    shortest: '1s',
    status: 'announced',
    help: 'Interval at which nodes are evaluated.',
  },
  'autoscaler.addr': { type: 'address', default: ':8080', status: 'announced', help: 'Address of probes and metrics of the autoscaler.' },
} as const satisfies SettingTable;

export type Settings = SettingsOf<typeof SETTINGS>;

/** One configuration for every binary of Evenkeel. */
export const EVENKEEL_SETTINGS: SettingsSchema<typeof SETTINGS> = {
  settings: SETTINGS,
  check(settings, report) {
    const { 'autoscaler.scaleUpThreshold': scaleUp, 'autoscaler.maxNodes': maxNodes } = settings;
    if (settings['autoscaler.scaleDownThreshold'] >= scaleUp) {
      report('autoscaler.scaleDownThreshold', `must be below autoscaler.scaleUpThreshold, which is ${scaleUp}`);
    }
    if (settings['autoscaler.minNodes'] > maxNodes) {
      report('autoscaler.minNodes', `must be at most autoscaler.maxNodes, which is ${maxNodes}`);
    }
    if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(settings['history.url'])) {
      report('history.url', 'must be sqlite:PATH, sqlite::memory: or postgres://USER@HOST:5432/DATABASE');
    }
    if (!isEmptyOrUrl(settings['dashboard.publicUrl'], ['http:', 'https:'])) {
      report('dashboard.publicUrl', 'must be an address such as https://evenkeel.example.com');
    }
    if (!isEmptyOrUrl(settings['controller.admission.url'], ['https:'])) {
      report('controller.admission.url', 'must be an address such as https://10.0.0.7:9443');
    }
    checkAuthSettings(settings, report);
    checkProxySettings(settings, report);
    if ((settings['dashboard.tls.certFile'] === '') !== (settings['dashboard.tls.keyFile'] === '')) {
      report('dashboard.tls.keyFile', 'must be set where dashboard.tls.certFile is, and only there');
    }
    checkOidcSettings(settings, report);
    if (!settings['dashboard.trustedProxies'].every(isProxyRange)) {
      report('dashboard.trustedProxies', 'must be addresses, ranges such as 10.0.0.0/8, or loopback, linklocal or uniquelocal');
    }
  },
};
