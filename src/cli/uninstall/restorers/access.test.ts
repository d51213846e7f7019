import { beforeEach, expect, test } from '@jest/globals';
import { ApiWorld } from '#embedded-cluster/testing/api-world';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import type { ApiTransport } from '#kube/api-transport';
import { ClusterAccess } from '../cluster-access.ts';
import { parseUninstallOptions } from '../options.ts';
import { ACCESS } from './access.ts';

const NAMESPACE = 'evenkeel-system';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const { signal } = new AbortController();

let world: ApiWorld;
let kept: string[];
beforeEach(async () => {
  [world, kept] = [new ApiWorld(), []];
  await world.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  for (const name of ['evenkeel-session-keys', 'evenkeel-ended-sessions', 'evenkeel-local-admin', 'a-user-s']) {
    await world.post(SECRETS, { metadata: { name } });
  }
  await world.post(SECRETS, { metadata: { name: 'evenkeel-api-key-abc', labels: { 'evenkeel.io/api-key': 'abc' } } });
});

async function leftAfter(isListable: boolean): Promise<readonly string[]> {
  const transport: ApiTransport = {
    request: (request) =>
      request.path.endsWith('/selfsubjectaccessreviews')
        ? Promise.resolve({ status: 201, headers: {}, body: { status: { allowed: isListable } } })
        : world.transport.request(request),
    stream: (request) => world.transport.stream(request),
  };
  const parsed = parseUninstallOptions(['--restore']);
  if (!parsed.ok) throw new Error(parsed.problems.join(', '));
  const { options } = parsed;
  const cluster = new ClusterAccess(transport);
  const restorer = ACCESS.create({ cluster, signer: TEST_SIGNER, namespace: NAMESPACE, options, recordsStay: false });
  for await (const finding of restorer.find(signal)) {
    if (finding.kind === 'change') await finding.carryOut(signal);
    else kept.push(`${finding.object}: ${finding.why}`);
  }
  const { items } = (await world.get(SECRETS)).body as { items: readonly { readonly metadata: { readonly name: string } }[] };
  return items.map(({ metadata }) => metadata.name).sort();
}

test('an uninstall deletes sessions, the local admin and API keys, and no other Secret', async () => {
  expect(await leftAfter(true)).toEqual(['a-user-s']);
});

test('an uninstall without the permission of auth.enabled leaves API keys, and says how to delete them', async () => {
  expect(await leftAfter(false)).toEqual(['a-user-s', 'evenkeel-api-key-abc']);
  expect(kept).toEqual([expect.stringContaining('kubectl delete secret -l evenkeel.io/api-key -n evenkeel-system')]);
  kept = [];
  await leftAfter(false);
  expect(kept).toEqual([]);
});
