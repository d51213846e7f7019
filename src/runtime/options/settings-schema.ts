// Every setting of both binaries, once.

import { HTTP_HEADER } from './http-header.ts';
import { LABEL_MATCHER, LABEL_MATCHER_EXAMPLE } from './label-matcher.ts';
import { isProxyRange } from './proxy-range.ts';
import type { SettingsOf, SettingsSchema, SettingTable } from './setting.ts';

/** By dotted path, in the order of the reference. */
export const SETTINGS = {
  namespace: {
    type: 'string',
    default: '',
    help: "Evenkeel's own namespace, for Leases and ConfigMaps. Empty: the pod's own, else evenkeel-system.",
  },
  'cluster.name': {
    type: 'string',
    default: '',
    help: 'Name of the cluster as the dashboard shows it. Empty: the kubeconfig context, else kubernetes.',
  },
  'kubernetes.kubeconfig': {
    type: 'string',
    default: '',
    help: 'Path of a kubeconfig. Empty: KUBECONFIG, else ~/.kube/config, else the ServiceAccount of the pod.',
  },

  'controller.dryRun': { type: 'boolean', default: false, help: 'Analyse and plan as always, carry nothing out.' },
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
    help: 'How often imbalance is scored.',
  },
  'controller.scaleCooldown': {
    type: 'duration',
    default: '5m',
    shortest: '1s',
    status: 'announced',
    help: "Least time between two automatic changes of one workload's replicas or of one autoscaler's fields.",
  },
  'controller.logLevel': {
    type: 'string',
    default: 'info',
    enum: ['debug', 'info', 'warn', 'error'],
    help: 'The least severe level that is logged.',
  },
  'controller.probeAddr': { type: 'address', default: ':8081', help: 'Address of /healthz and /readyz.' },
  'controller.metricsAddr': { type: 'address', default: ':8080', help: 'Address of /metrics.' },
  'controller.warmUp': {
    type: 'duration',
    default: '10m',
    shortest: '1s',
    help: 'Observation after a start or an outage before anything is reduced. Increases that safety needs do not wait.',
  },
  'controller.reductionsPerMinute': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane optimize a minute in the whole cluster (requests, limits, evictions). 0: as many as there are nodes, 50 at least. Increases are not counted.',
  },
  'controller.laneBudgets.user': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane user (what a user requested, such as a reset) a minute in the whole cluster. 0: no budget. The metric evenkeel_effects_blocked_total counts what waits.',
  },
  'controller.laneBudgets.schedule': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane schedule (the edges of schedules) a minute in the whole cluster. 0: no budget.',
  },
  'controller.laneBudgets.interruption': {
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 100_000,
    help: 'Reductions of lane interruption (evictions before a node is taken away) a minute in the whole cluster. 0: no budget. Lane safety never has one.',
  },
  'controller.recommenderThreads': {
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: 16,
    help: 'Threads that learn from usage and make recommendations, so that the rest never waits for them. 0: in the main thread.',
  },
  'controller.admission.enabled': {
    type: 'boolean',
    default: false,
    help: 'Set the size of new pods at creation, by a mutating webhook that refuses nothing (failurePolicy: Ignore).',
  },
  'controller.admission.addr': { type: 'address', default: ':9443', help: 'Address of the webhook, over HTTPS.' },
  'controller.admission.service': {
    type: 'string',
    default: 'evenkeel-admission',
    help: "Name of the Service by which the API server reaches the webhook, in Evenkeel's own namespace, port 443.",
  },
  'controller.admission.url': {
    type: 'string',
    default: '',
    help: 'https://HOST:PORT by which the API server reaches the webhook where it cannot by a Service. Empty: the Service.',
  },
  'controller.admission.certFile': {
    type: 'string',
    default: '',
    help: 'PEM file with a certificate of your own. Empty: Evenkeel makes one and renews it, in a Secret of its own namespace.',
  },
  'controller.admission.keyFile': { type: 'string', default: '', help: 'PEM file with its key.' },
  'controller.admission.caFile': { type: 'string', default: '', help: 'PEM file with the authority that signed it.' },

  'dashboard.addr': {
    type: 'address',
    default: ':9090',
    defaultOutsidePod: '127.0.0.1:9090',
    help: 'Address of the dashboard and its API. Outside a pod the default is 127.0.0.1:9090: it asks for no credential while auth.enabled is false.',
  },
  'dashboard.publicUrl': {
    type: 'string',
    default: '',
    help: 'Address by which people reach the dashboard; its origin and host are accepted.',
  },
  'dashboard.allowedHosts': {
    type: 'list',
    items: { type: 'string' },
    default: [],
    help: 'Further values of the Host header that are accepted.',
  },
  'dashboard.anonymousWrites': {
    type: 'boolean',
    default: true,
    help: 'While auth.enabled is false: take changes from every client that reaches the dashboard. false takes them from loopback alone, where kubectl port-forward arrives.',
  },
  'dashboard.maxConnections': {
    type: 'integer',
    default: 1000,
    minimum: 20,
    maximum: 100_000,
    help: 'Connections to the dashboard that are open at once. One address has a quarter of them; a trusted proxy may have all.',
  },
  'dashboard.trustedProxies': {
    type: 'list',
    items: { type: 'string' },
    default: [],
    help: 'Addresses whose X-Forwarded-For is believed.',
  },

  'prometheus.url': {
    type: 'string',
    default: '',
    help: 'Address of Prometheus, or of what speaks its API (Thanos, Mimir, VictoriaMetrics): the past of usage is read from it at start. Empty: only what the kubelets tell from now on.',
  },
  'prometheus.tokenFile': {
    type: 'string',
    default: '',
    help: 'File with a bearer token for Prometheus, read anew for each query. Empty: none.',
  },
  'prometheus.caFile': {
    type: 'string',
    default: '',
    help: "PEM file with the authority that signed Prometheus' certificate. Empty: those that Node.js knows.",
  },
  'prometheus.headers': {
    type: 'list',
    items: { type: 'string', pattern: { regex: HTTP_HEADER, form: 'a header as "Name: value"' } },
    default: [],
    secret: true,
    help: 'Further headers of each query, each as "Name: value". Never shown.',
  },
  'prometheus.tenant': { type: 'string', default: '', help: 'Tenant, sent as X-Scope-OrgID (Mimir, Cortex). Empty: none.' },
  'prometheus.matchers': {
    type: 'list',
    default: [],
    items: { type: 'string', pattern: { regex: LABEL_MATCHER, form: `a label matcher such as ${LABEL_MATCHER_EXAMPLE}` } },
    help: 'Label matchers that are added to every query, each as cluster="prod-eu": what only the series of this cluster have. Needed where Prometheus holds several clusters; without them it is then not used.',
  },
  'kubelet.interval': { type: 'duration', default: '60s', shortest: '5s', help: 'How often usage is read from each node.' },
  'kubelet.port': {
    type: 'integer',
    default: 10_250,
    minimum: 1,
    maximum: 65_535,
    help: 'Port of every kubelet. What a node states of its own is not used: its kubelet writes that.',
  },
  'kubelet.viaProxy': {
    type: 'boolean',
    default: false,
    help: "Read kubelets through the API server's proxy instead of directly. Needs nodes/proxy, a wide permission.",
  },

  'history.url': {
    type: 'string',
    default: 'sqlite:evenkeel.sqlite',
    help: 'Where history is kept: sqlite:PATH for one replica (sqlite::memory: for none that outlives the process), or postgres://USER@HOST:5432/DATABASE?sslmode=verify-full for any number. sslmode: disable, require, verify-ca or verify-full; verify-full where left out, disable on loopback.',
  },
  'history.password': {
    type: 'string',
    default: '',
    secret: true,
    help: 'Password of the PostgreSQL user. Give it in the environment, from a Secret; it wins over one in the URL and is never shown.',
  },
  'history.caFile': {
    type: 'string',
    default: '',
    help: "PEM file with the authority that signed the PostgreSQL server's certificate. Empty: those that Node.js knows.",
  },
  'history.retention': {
    type: 'duration',
    default: '30d',
    shortest: '1d',
    help: 'How long points, cycles and entries of the timeline are kept.',
  },
  'history.maxBytes': {
    type: 'integer',
    default: 1_073_741_824,
    minimum: 1_048_576,
    maximum: Number.MAX_SAFE_INTEGER,
    help: 'Size of the store, in bytes, past which the oldest entries go early.',
  },

  'prices.file': {
    type: 'string',
    default: '',
    help: 'YAML file with prices of your own; what it does not name comes from the default list.',
  },
  'prices.currency': { type: 'string', default: 'USD', enum: ['USD'], help: 'Currency of prices.' },

  'gke.project': { type: 'string', default: '', status: 'announced', help: 'Google Cloud project of the cluster.' },
  'gke.location': { type: 'string', default: '', status: 'announced', help: 'Region or zone of the cluster.' },
  'gke.cluster': { type: 'string', default: '', status: 'announced', help: 'Name of the GKE cluster.' },

  'features.idleWorkloads': {
    type: 'boolean',
    default: true,
    help: 'Enable idle mode for policies with spec.idle.enabled. Off: no workload is idled, idled ones get their natural size back, and the list of idle workloads is empty.',
  },

  'auth.enabled': { type: 'boolean', default: false, status: 'refused', help: 'Ask for a credential on the dashboard, its API and /mcp.' },
  'crds.install': { type: 'boolean', default: true, help: "Apply Evenkeel's CRDs at start; a newer one is never downgraded." },
  'metaApi.enabled': { type: 'boolean', default: true, status: 'announced', help: 'Serve the account metadata API.' },

  'rateLimit.perAddressPerSecond': {
    type: 'number',
    default: 500,
    exclusiveMinimum: 0,
    maximum: 1_000_000,
    help: 'Requests a second that one address may make while authentication is off.',
  },
  'rateLimit.burst': {
    type: 'integer',
    default: 1000,
    minimum: 1,
    maximum: 1_000_000,
    help: 'Requests above that rate that may come at once.',
  },

  'autoscaler.scaleUpThreshold': {
    type: 'number',
    default: 0.8,
    exclusiveMinimum: 0,
    maximum: 1,
    status: 'announced',
    help: 'Fraction of allocatable that is requested, over all nodes, from which nodes are added.',
  },
  'autoscaler.scaleDownThreshold': {
    type: 'number',
    default: 0.5,
    exclusiveMinimum: 0,
    maximum: 1,
    status: 'announced',
    help: 'Fraction of allocatable that is requested, on one node, below which it may go.',
  },
  'autoscaler.minNodes': { type: 'integer', default: 1, minimum: 0, maximum: 100_000, status: 'announced', help: 'Fewest nodes.' },
  'autoscaler.maxNodes': { type: 'integer', default: 100, minimum: 1, maximum: 100_000, status: 'announced', help: 'Most nodes.' },
  'autoscaler.scaleUpCooldown': {
    type: 'duration',
    default: '30s',
    shortest: '1s',
    status: 'announced',
    help: 'Least time between two additions of nodes.',
  },
  'autoscaler.scaleDownCooldown': {
    type: 'duration',
    default: '5m',
    shortest: '1s',
    status: 'announced',
    help: 'Least time between two removals of nodes.',
  },
  'autoscaler.preferSpot': { type: 'boolean', default: false, status: 'announced', help: 'Prefer spot capacity.' },
  'autoscaler.dryRun': { type: 'boolean', default: false, status: 'announced', help: 'Plan nodes, carry nothing out.' },
  'autoscaler.scanInterval': {
    type: 'duration',
    default: '10s',
    shortest: '1s',
    status: 'announced',
    help: 'How often the nodes are looked at.',
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
    if (!settings['dashboard.trustedProxies'].every(isProxyRange)) {
      report('dashboard.trustedProxies', 'must be addresses, ranges such as 10.0.0.0/8, or loopback, linklocal or uniquelocal');
    }
  },
};

/** `host:443` is a URL as well, of the scheme `host:` and without an origin. */
function isEmptyOrUrl(text: string, schemes: readonly string[]): boolean {
  return text === '' || (URL.canParse(text) && schemes.includes(new URL(text).protocol));
}
