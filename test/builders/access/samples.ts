// A valid request for each operation, about objects of the access world.

import { isOptionalBody } from '../../../src/server/openapi/api-document.ts';
import { COMPONENT_SCHEMAS } from '../../../src/server/openapi/document.ts';
import { isMutation, type Operation } from '../../../src/server/openapi/operation.ts';
import { amounts } from '../shop/shop-rows.ts';
import { MiB } from '#kube/units';
import { LOCAL_ADMIN, LISTED_KEY_ID, PENDING_REQUEST } from './access-world.ts';
import { ADMIN, OTHER_NAMESPACE, TARGET_NAMESPACE, VIEWER_OF_ALL } from './callers.ts';

interface Sample {
  /** Values of path parameters other than `ns`. */
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The workload that a request names, by operation: those without an entry name `checkout`. */
const WORKLOADS: Readonly<Record<string, string>> = {
  rollbackRecommendation: 'cart',
  approveLimitException: 'web',
  rejectLimitException: 'web',
  wakeWorkload: 'catalogue',
};

/** Values of `checkout` as they are displayed. */
const SEEN = [
  {
    name: 'app',
    recommended: { requests: amounts([490, 928]), limits: { cpuMillicores: null, memoryBytes: 1160 * MiB } },
  },
];

/** Items of a bulk request: of the caller's namespace, of another one, and of one that does not exist. */
const ITEMS = [TARGET_NAMESPACE, OTHER_NAMESPACE, 'no-such-namespace'].flatMap((namespace) =>
  ['checkout', 'ledger', 'no-such-workload'].map((name) => ({ namespace, name })),
);

/** Grants that leave the sender its role. */
const REPLACED_GRANTS = [{ email: ADMIN.email, role: 'admin' }];

const SAMPLES: Readonly<Record<string, Sample>> = {
  getNode: { path: { name: 'n-0' } },
  getPolicy: { path: { kind: 'PodResizePolicy', name: 'shop' } },
  setPolicyOverride: {
    path: { kind: 'PodResizePolicy', name: 'shop' },
    body: { field: 'cooldown', value: '2h', reason: 'access test' },
  },
  approveRecommendation: { body: { containers: SEEN } },
  setRecommendationMode: { body: { mode: 'Off' } },
  bulkRecommendations: { body: { items: ITEMS.map((item) => ({ ...item, action: 'mode', mode: 'Off' })) } },
  setBounds: { body: { floor: { '*': { cpu: '50m' } } } },
  setExclusion: { body: { excluded: true } },
  bulkOverrides: { body: { items: ITEMS.map((item) => ({ ...item, action: 'remove' })) } },
  bulkResourceAudit: { body: { action: 'strip-annotations', items: ITEMS } },
  signIn: { body: LOCAL_ADMIN },
  replaceAccessPolicy: { body: { grants: REPLACED_GRANTS, resourceVersion: '2' } },
  requestAccess: { body: { role: 'viewer', namespaces: [TARGET_NAMESPACE], reason: 'access test' } },
  approveAccessRequest: { body: { id: PENDING_REQUEST.id } },
  denyAccessRequest: { body: { id: PENDING_REQUEST.id } },
  createApiKey: { body: { email: VIEWER_OF_ALL.email, label: 'access test' } },
  deleteApiKey: { path: { id: LISTED_KEY_ID } },
};

/** Values of the path's parameters, and the body. @throws Error for an operation that needs a sample and has none */
export function sampleOf(operation: Operation): Required<Sample> {
  const sample = SAMPLES[operation.id] ?? {};
  const path = { ...(operation.path.includes('{ns}') ? { name: WORKLOADS[operation.id] ?? 'checkout' } : {}), ...sample.path };
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'ns');
  const isComplete = names.every((name) => name in path);
  const needsBody = isMutation(operation) && !isOptionalBody(operation, COMPONENT_SCHEMAS);
  if (!isComplete || (needsBody && sample.body === undefined)) {
    throw new Error(`${operation.id} has no sample request: add one to test/builders/access/samples.ts`);
  }
  return { path, body: sample.body ?? (operation.body === undefined ? undefined : {}) };
}
