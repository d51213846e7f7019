import { expect, test } from '@jest/globals';
import { OPERATIONS, withAccess } from './document.ts';
import type { OperationSpec } from './operation.ts';
import { anyObject } from './schema.ts';

const SPEC: OperationSpec = {
  id: 'listEverything',
  method: 'get',
  path: '/everything',
  tag: 'System',
  title: 'Everything',
  answer: { status: 200, description: 'Everything.', data: anyObject() },
};

test('an endpoint that is no query or command, and has no access, does not start', () => {
  expect(() => withAccess(SPEC)).toThrow('operation listEverything is neither a query nor a command of the application, and has no access');
  expect(withAccess({ ...SPEC, access: 'admin' }).access).toBe('admin');
});

test('the access of a query is that of its requirement, whatever its endpoint says', () => {
  expect(withAccess({ ...SPEC, id: 'listNodes', access: 'open' }).access).toBe('admin');
});

test('the endpoints that are open to everyone are those of signing in', () => {
  const open = OPERATIONS.filter(({ access }) => access === 'open').map(({ path }) => path);
  expect(open.filter((path) => !path.startsWith('/auth/'))).toEqual([]);
});
