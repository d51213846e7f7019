// Errors: code, reason, and the details of the Status.

import { expect } from '@jest/globals';
import { area, expectRefusal, type CaseContext } from '../contract-case.ts';

const secretsOf = async (given: CaseContext): Promise<string> => `/api/v1/namespaces/${await given.namespace()}/secrets`;
const deploymentsOf = async (given: CaseContext): Promise<string> => `/apis/apps/v1/namespaces/${await given.namespace()}/deployments`;

export const ERROR_CASES = area('errors', {
  'a missing object: 404 with name and kind': async (given) => {
    const answer = await given.client.get(`${await secretsOf(given)}/missing`);
    expectRefusal(answer, 404, 'NotFound', 'secrets "missing" not found');
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'secrets "missing" not found',
      reason: 'NotFound',
      details: { name: 'missing', kind: 'secrets' },
      code: 404,
    });
  },
  'a missing object of a named group: 404 with the group': async (given) => {
    const answer = await given.client.get(`${await deploymentsOf(given)}/missing`);
    expectRefusal(answer, 404, 'NotFound', 'deployments.apps "missing" not found');
    expect(answer.body.details).toEqual({ name: 'missing', group: 'apps', kind: 'deployments' });
  },
  'a missing namespace: 404 for a create in it': async (given) => {
    const answer = await given.client.post(`/api/v1/namespaces/no-such-${given.id}/secrets`, { metadata: { name: 'a' } });
    expectRefusal(answer, 404, 'NotFound', `namespaces "no-such-${given.id}" not found`);
    expect(answer.body.details).toMatchObject({ name: `no-such-${given.id}`, kind: 'namespaces' });
  },
  'deleting a missing object: 404': async (given) => {
    expectRefusal(await given.client.delete(`${await secretsOf(given)}/missing`), 404, 'NotFound', 'secrets "missing" not found');
  },
  'replacing a missing object: 404': async (given) => {
    const answer = await given.client.put(`${await deploymentsOf(given)}/missing`, {
      metadata: { name: 'missing' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    expectRefusal(answer, 404, 'NotFound', 'deployments.apps "missing" not found');
  },
  'patching a missing object: 404': async (given) => {
    expectRefusal(
      await given.client.patch(`${await secretsOf(given)}/missing`, 'merge', {}),
      404,
      'NotFound',
      'secrets "missing" not found',
    );
  },
  'creating an existing object: 409 AlreadyExists': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, { metadata: { name: 'a' } });
    const answer = await given.client.post(collection, { metadata: { name: 'a' } });
    expectRefusal(answer, 409, 'AlreadyExists', 'secrets "a" already exists');
    expect(answer.body.details).toEqual({ name: 'a', kind: 'secrets' });
  },
  'replacing an older version: 409 Conflict': async (given) => {
    const collection = await secretsOf(given);
    const old = await given.create(collection, { metadata: { name: 'a' } });
    await given.client.patch(`${collection}/a`, 'merge', { metadata: { labels: { changed: 'yes' } } });
    const answer = await given.client.put(`${collection}/a`, old);
    expectRefusal(
      answer,
      409,
      'Conflict',
      'Operation cannot be fulfilled on secrets "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(answer.body.details).toEqual({ name: 'a', kind: 'secrets' });
  },
  'a body that is not JSON: 400': async (given) => {
    expectRefusal(await given.client.post(await secretsOf(given), '{"metadata": '), 400, 'BadRequest');
  },
  'a body that is JSON but not an object: 400': async (given) => {
    expectRefusal(await given.client.post(await secretsOf(given), '[]'), 400, 'BadRequest');
  },
  'an empty body: refused': async (given) => {
    const answer = await given.client.post(await secretsOf(given), '');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  },
  'a body of an unsupported media type: 415': async (given) => {
    const answer = await given.client.post(await secretsOf(given), 'name=a', { contentType: 'application/x-www-form-urlencoded' });
    expectRefusal(answer, 415, 'UnsupportedMediaType', 'the body of the request was in an unknown format');
  },
  'a patch of an unsupported media type: 415': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, { metadata: { name: 'a' } });
    const answer = await given.client.send('PATCH', `${collection}/a`, { body: {}, contentType: 'application/json' });
    expectRefusal(answer, 415, 'UnsupportedMediaType');
  },
  'a body in YAML is accepted': async (given) => {
    const answer = await given.client.post(await secretsOf(given), 'metadata:\n  name: a\n', { contentType: 'application/yaml' });
    expect([answer.status, answer.body.metadata.name]).toEqual([201, 'a']);
  },
  'another apiVersion than the path’s: 400': async (given) => {
    const answer = await given.client.post(await deploymentsOf(given), {
      apiVersion: 'apps/v1beta9',
      kind: 'Deployment',
      metadata: { name: 'a' },
    });
    expectRefusal(answer, 400, 'BadRequest');
  },
  'another kind than the path’s: 400': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    expectRefusal(answer, 400, 'BadRequest');
  },
  'kind and apiVersion may be omitted': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a' } });
    expect([answer.status, answer.body.kind, answer.body.apiVersion]).toEqual([201, 'Secret', 'v1']);
  },
  'another name than the path’s: 400': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, { metadata: { name: 'a' } });
    const answer = await given.client.put(`${collection}/a`, { metadata: { name: 'b' } });
    expectRefusal(answer, 400, 'BadRequest', 'the name of the object (b) does not match the name on the URL (a)');
  },
  'another namespace than the path’s: 400': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a', namespace: 'default' } });
    expectRefusal(answer, 400, 'BadRequest', 'the namespace of the provided object does not match the namespace sent on the request');
  },
  'a field of another type: 400 with the field': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a' }, immutable: 'yes' });
    expectRefusal(answer, 400, 'BadRequest', 'immutable');
  },
  'metadata of another type: 400': async (given) => {
    expectRefusal(await given.client.post(await secretsOf(given), { metadata: { name: 'a', labels: { a: 1 } } }), 400, 'BadRequest');
  },
  'no name: 422 that requires name or generateName': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: {} });
    expectRefusal(answer, 422, 'Invalid', 'metadata.name: Required value: name or generateName is required');
    expect(answer.body.details.causes).toEqual([
      { reason: 'FieldValueRequired', message: 'Required value: name or generateName is required', field: 'metadata.name' },
    ]);
  },
  'an invalid name: 422 with the rule': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'Not_A_Name' } });
    expectRefusal(
      answer,
      422,
      'Invalid',
      'Secret "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain',
    );
    expect(answer.body.details).toMatchObject({ name: 'Not_A_Name', kind: 'Secret' });
    expect(answer.body.details.causes[0]).toMatchObject({ reason: 'FieldValueInvalid', field: 'metadata.name' });
  },
  'an invalid label: 422': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a', labels: { 'not a key': 'x' } } });
    expectRefusal(answer, 422, 'Invalid', 'metadata.labels: Invalid value: "not a key": name part must consist of alphanumeric characters');
  },
  'an invalid label value: 422': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a', labels: { key: 'not a value' } } });
    expectRefusal(
      answer,
      422,
      'Invalid',
      'metadata.labels: Invalid value: "not a value": a valid label must be an empty string or consist of',
    );
  },
  'several errors are reported together, each as a cause': async (given) => {
    const answer = await given.client.post(await deploymentsOf(given), {
      metadata: { name: 'web' },
      spec: {
        replicas: -1,
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    expectRefusal(answer, 422, 'Invalid', /^Deployment\.apps "web" is invalid: \[/);
    const causes = answer.body.details.causes.map(({ reason, field }: { reason: string; field: string }) => [reason, field]);
    expect(causes).toEqual(
      expect.arrayContaining([
        ['FieldValueInvalid', 'spec.replicas'],
        ['FieldValueInvalid', 'spec.template.metadata.labels'],
      ]),
    );
    expect(answer.body.details).toMatchObject({ name: 'web', group: 'apps', kind: 'Deployment' });
  },
  'a missing field: 422 with its path': async (given) => {
    const answer = await given.client.post(await deploymentsOf(given), {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c' }] } },
      },
    });
    expectRefusal(answer, 422, 'Invalid', 'spec.template.spec.containers[0].image: Required value');
    expect(answer.body.details.causes).toEqual([
      { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.template.spec.containers[0].image' },
    ]);
  },
  'an unsupported value: 422 with the supported ones': async (given) => {
    const answer = await given.client.post(await deploymentsOf(given), {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    expectRefusal(answer, 422, 'Invalid', 'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"');
    expect(answer.body.details.causes[0]).toMatchObject({ reason: 'FieldValueNotSupported', field: 'spec.template.spec.restartPolicy' });
  },
  'an immutable field: 422': async (given) => {
    const collection = await deploymentsOf(given);
    const template = { metadata: { labels: { app: 'a', two: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await given.create(collection, { metadata: { name: 'web' }, spec: { replicas: 0, selector: { matchLabels: { app: 'a' } }, template } });
    const answer = await given.client.patch(`${collection}/web`, 'merge', { spec: { selector: { matchLabels: { two: 'b' } } } });
    expectRefusal(answer, 422, 'Invalid', 'spec.selector: Invalid value');
    expect(answer.body.message).toContain('field is immutable');
  },
  'PUT on a collection: 405': async (given) => {
    expectRefusal(
      await given.client.put(await secretsOf(given), {}),
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    );
  },
  'PATCH on a collection: 405': async (given) => {
    expectRefusal(await given.client.patch(await secretsOf(given), 'merge', {}), 405, 'MethodNotAllowed');
  },
  'POST over all namespaces: 405': async ({ client }) => {
    expectRefusal(await client.post('/api/v1/secrets', { metadata: { name: 'a' } }), 405, 'MethodNotAllowed');
  },
  'DELETE over all namespaces: 405': async ({ client }) => {
    const answer = await client.delete('/api/v1/secrets', { query: { labelSelector: 'no=match', dryRun: 'All' } });
    expectRefusal(answer, 405, 'MethodNotAllowed');
  },
  'POST on an object: 405': async (given) => {
    expectRefusal(await given.client.post(`${await secretsOf(given)}/a`, { metadata: { name: 'a' } }), 405, 'MethodNotAllowed');
  },
  'deleting all namespaces at once: 405': async ({ client }) => {
    const answer = await client.delete('/api/v1/namespaces', { query: { labelSelector: 'no=match', dryRun: 'All' } });
    expectRefusal(answer, 405, 'MethodNotAllowed');
  },
  'reading a review: 405': async ({ client }) => {
    expect((await client.get('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews')).status).toBe(405);
  },
  'a subresource that the kind does not have: 404': async (given) => {
    expectRefusal(
      await given.client.get(`${await secretsOf(given)}/a/status`),
      404,
      'NotFound',
      'the server could not find the requested resource',
    );
  },
  'a cluster-scoped kind inside a namespace: 404': async (given) => {
    expectRefusal(await given.client.get(`/api/v1/namespaces/${await given.namespace()}/nodes`), 404, 'NotFound');
  },
  'a dryRun that is not All: 422, and nothing is created': async (given) => {
    const collection = await secretsOf(given);
    const answer = await given.client.post(collection, { metadata: { name: 'a' } }, { query: { dryRun: 'Some' } });
    expectRefusal(
      answer,
      422,
      'Invalid',
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
    );
    expect((await given.client.get(`${collection}/a`)).status).toBe(404);
  },
  'an unknown fieldValidation: 422': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a' } }, { query: { fieldValidation: 'Loose' } });
    expectRefusal(
      answer,
      422,
      'Invalid',
      'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Loose": supported values: "", "Ignore", "Strict", "Warn"',
    );
  },
  'fieldValidation=Strict: 400 for an unknown field': async (given) => {
    const answer = await given.client.post(
      await secretsOf(given),
      { metadata: { name: 'a' }, colour: 'blue' },
      { query: { fieldValidation: 'Strict' } },
    );
    expectRefusal(answer, 400, 'BadRequest', 'strict decoding error: unknown field "colour"');
  },
  'fieldValidation=Strict: 400 for a duplicate field': async (given) => {
    const body = '{"metadata": {"name": "a"}, "immutable": true, "immutable": false}';
    const answer = await given.client.post(await secretsOf(given), body, { query: { fieldValidation: 'Strict' } });
    expectRefusal(answer, 400, 'BadRequest', 'strict decoding error: duplicate field "immutable"');
  },
  'fieldValidation=Warn: a warning, and the field is dropped': async (given) => {
    const answer = await given.client.post(
      await secretsOf(given),
      { metadata: { name: 'a' }, colour: 'blue' },
      { query: { fieldValidation: 'Warn' } },
    );
    expect([answer.status, answer.warnings, answer.body.colour]).toEqual([201, ['unknown field "colour"'], undefined]);
  },
  'without fieldValidation it is Warn': async (given) => {
    const answer = await given.client.post(await secretsOf(given), { metadata: { name: 'a' }, colour: 'blue' });
    expect([answer.status, answer.warnings]).toEqual([201, ['unknown field "colour"']]);
  },
  'fieldValidation=Ignore: no warning': async (given) => {
    const answer = await given.client.post(
      await secretsOf(given),
      { metadata: { name: 'a' }, colour: 'blue' },
      { query: { fieldValidation: 'Ignore' } },
    );
    expect([answer.status, answer.warnings, answer.body.colour]).toEqual([201, [], undefined]);
  },
  'an unknown token: 401': async ({ client }) => {
    const answer = await client.get('/api/v1/namespaces', {}, { token: 'no-such-token' });
    expectRefusal(answer, 401, 'Unauthorized', 'Unauthorized');
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'Unauthorized',
      reason: 'Unauthorized',
      code: 401,
    });
  },
  'invalid deletion options: 400': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, { metadata: { name: 'a' } });
    const answer = await given.client.delete(`${collection}/a`, {
      body: { kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 'soon' },
    });
    expectRefusal(answer, 400, 'BadRequest');
  },
  'an unknown propagation policy: 422': async (given) => {
    const collection = await secretsOf(given);
    await given.create(collection, { metadata: { name: 'a' } });
    const answer = await given.client.delete(`${collection}/a`, {
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Sideways' },
    });
    expectRefusal(
      answer,
      422,
      'Invalid',
      'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan"',
    );
  },
});
