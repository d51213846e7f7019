import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { dashboardWorld } from '../../test/builders/dashboard-world.ts';
import { withExceptions } from '../../test/builders/exceptions.ts';
import { makeIdle } from '../../test/builders/shop/idle-shop.ts';
import { startDashboard, type DashboardClient } from '../../test/fakes/clients/dashboard-client.ts';
import { ERROR_ENVELOPE, envelopeSchema } from './openapi/api-document.ts';
import { COMPONENT_SCHEMAS, OPERATIONS } from './openapi/document.ts';
import type { OperationSpec } from './openapi/operation.ts';
import { queryParametersOf } from './openapi/parameters.ts';
import { schemaCompiler } from './openapi/validator.ts';

const compile = schemaCompiler(COMPONENT_SCHEMAS);
const validateError = compile(ERROR_ENVELOPE);

/** A request that must succeed, for each enveloped operation. */
const REQUESTS: Readonly<Record<string, { path: string; body?: unknown }>> = {
  getCluster: { path: '/cluster' },
  getClusterUsage: { path: '/cluster/usage?duration=7d' },
  listNodes: { path: '/nodes' },
  getNode: { path: '/nodes/n-1' },
  listPods: { path: '/pods' },
  listNamespaces: { path: '/namespaces' },
  listRecommendations: { path: '/recommendations' },
  getRecommendation: { path: '/recommendations/shop/checkout' },
  approveRecommendation: {
    path: '/recommendations/shop/checkout/approve',
    body: { containers: [{ name: 'app', requests: { cpuMillicores: 490, memoryBytes: 928 * 2 ** 20 } }] },
  },
  rejectRecommendation: { path: '/recommendations/shop/web/reject' },
  rollbackRecommendation: { path: '/recommendations/shop/cart/rollback', body: { reason: 'too tight' } },
  setRecommendationMode: { path: '/recommendations/shop/web/mode', body: { mode: 'Off' } },
  holdWorkload: { path: '/recommendations/shop/web/hold', body: { for: '2h', reason: 'load test' } },
  endHold: { path: '/recommendations/shop/web/hold' },
  bulkRecommendations: { path: '/recommendations/bulk', body: { items: [{ namespace: 'shop', name: 'web', action: 'mode', mode: null }] } },
  listOverrides: { path: '/overrides' },
  getOverride: { path: '/overrides/shop/web' },
  setBounds: { path: '/overrides/shop/web/floor', body: { floor: { app: { cpu: '250m' } }, reason: 'month end' } },
  removeBounds: { path: '/overrides/shop/cart/floor' },
  setExclusion: { path: '/overrides/shop/cart/exclude', body: { excluded: true } },
  bulkOverrides: { path: '/overrides/bulk', body: { items: [{ namespace: 'shop', name: 'web', action: 'remove' }] } },
  listLimitExceptions: { path: '/limit-exceptions' },
  approveLimitException: { path: '/limit-exceptions/shop/checkout/approve', body: { reason: 'it grew' } },
  rejectLimitException: { path: '/limit-exceptions/shop/web/reject' },
  listIdleWorkloads: { path: '/idle-workloads' },
  wakeWorkload: { path: '/idle-workloads/search/query/wake', body: { reason: 'a demo' } },
  listResourceAudit: { path: '/resource-audit' },
  getResourceAudit: { path: '/resource-audit/shop/web' },
  resetToDeploy: { path: '/resource-audit/shop/web/reset-to-deploy', body: { for: '2h', reason: 'measured wrong' } },
  deleteRecommendation: { path: '/resource-audit/shop/catalogue/recommendation' },
  stripAnnotations: { path: '/resource-audit/shop/cart/annotations' },
  bulkResourceAudit: { path: '/resource-audit/bulk', body: { action: 'strip-annotations', items: [{ namespace: 'shop', name: 'web' }] } },
  listScaling: { path: '/scaling?duration=7d' },
  listAccessEvents: { path: '/access-events?verify=true' },
  listPolicies: { path: '/policies' },
  listPolicyOverrides: { path: '/policy-overrides' },
  setPolicyOverride: { path: '/policy-overrides/podresizepolicies/shop', body: { field: 'mode', value: 'Recommend', reason: 'month end' } },
  listResizeStats: { path: '/resize-stats' },
  triggerResizeCycle: { path: '/resize-cycle/trigger' },
  getWorkloadUsage: { path: '/workloads/shop/checkout/usage' },
  getPolicy: { path: '/policies/podresizepolicies/shop' },
  listHealth: { path: '/health' },
  getMode: { path: '/mode' },
  getSession: { path: '/auth/session' },
  getAccessPolicy: { path: '/access-policy' },
  listAccessRequests: { path: '/access-requests' },
  listOwnAccessRequests: { path: '/access-requests/own' },
};

/** Operations without a successful answer while authentication is off: authentication.test.ts and access-policy.test.ts check theirs. */
const NEED_AUTHENTICATION = [
  'signIn',
  'signOut',
  'replaceAccessPolicy',
  'requestAccess',
  'approveAccessRequest',
  'denyAccessRequest',
  'listApiKeys',
  'createApiKey',
  'deleteApiKey',
];
const enveloped = OPERATIONS.filter(({ answer, id }) => answer.raw === undefined && !NEED_AUTHENTICATION.includes(id));

describe('answers match the description', () => {
  let client: DashboardClient;
  const world = dashboardWorld();
  makeIdle(world, 'query', world.clock.now());
  for (const name of ['checkout', 'web']) withExceptions(world, name, {});
  beforeAll(async () => {
    client = await startDashboard(world);
  });
  afterAll(() => client.close());

  const ask = (operation: OperationSpec, path: string, body?: unknown) =>
    operation.method === 'get' ? client.get(`/api/v1${path}`) : client.send(operation.method.toUpperCase(), `/api/v1${path}`, body);

  test.each(enveloped.map((operation) => [operation.id, operation] as const))(
    '%s answers according to its schema',
    async (id, operation) => {
      const request = REQUESTS[id];
      if (request === undefined) throw new Error(`no request for ${id}`);
      const answer = await ask(operation, request.path, request.body);
      expect(answer.status).toBe(operation.answer.status);
      const validate = compile(envelopeSchema(operation));
      validate(answer.body);
      expect(validate.errors ?? []).toEqual([]);
    },
  );

  test.each(enveloped.map((operation) => [operation.id, operation] as const))(
    '%s rejects an unknown query parameter by name',
    async (id, operation) => {
      const request = REQUESTS[id]!;
      const answer = await ask(operation, `${request.path}${request.path.includes('?') ? '&' : '?'}colour=red`, request.body);
      expect(answer.status).toBe(400);
      expect(answer.body.error.code).toBe('invalid_request');
      expect(answer.body.error.details[0].path).toBe('query.colour');
      expect(validateError(answer.body)).toBe(true);
    },
  );

  test.each(enveloped.filter((operation) => operation.method === 'get').map((operation) => [operation.id, operation] as const))(
    '%s never fails for any parameters',
    async (id, operation) => {
      const request = REQUESTS[id]!;
      const names = [...queryParametersOf(operation).map((parameter) => parameter.name), 'x'];
      const odd = fc.oneof(
        fc.string(),
        fc.constantFrom(
          '',
          '0',
          '-1',
          '1e9',
          '9'.repeat(40),
          'null',
          '5m',
          '90d',
          '1ms',
          'name',
          '-name',
          'json',
          '%00',
          '../..',
          '{"a":1}',
          'WyJuYW1lIiwxLCJ4Il0',
        ),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...names), odd), { maxLength: 4 }), async (pairs) => {
          const search = new URLSearchParams(pairs).toString();
          const answer = await ask(operation, `${request.path.split('?')[0] ?? ''}?${search}`);
          const fine = answer.status < 500 && (answer.status !== 400 || validateError(answer.body));
          return fine;
        }),
        { numRuns: 40 },
      );
    },
  );

  test('mutations never fail for any body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('approve', 'reject', 'rollback', 'mode'), fc.json(), async (action, json) => {
        const method = action === 'mode' ? 'PUT' : 'POST';
        const answer = await client.send(method, `/api/v1/recommendations/shop/checkout/${action}?dryRun=true`, json);
        return answer.status < 500;
      }),
      { numRuns: 60 },
    );
  });
});
