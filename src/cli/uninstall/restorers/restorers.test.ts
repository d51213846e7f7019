import { describe, expect, test } from '@jest/globals';
import { FakeTransport, status } from '../../../../test/fakes/clients/fake-transport.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { TEST_SIGNER } from '../../../../test/fakes/test-signer.ts';
import { collectionPath, OWN_RESOURCES, type ApiResource } from '../../../adapters/kubernetes/resources.ts';
import * as resources from '../../../adapters/kubernetes/resources.ts';
import type { Permission } from '../../../adapters/kubernetes/access/permissions.ts';
import { ClusterAccess } from '../cluster-access.ts';
import { parseUninstallOptions, type UninstallOptions } from '../options.ts';
import { UNINSTALL_PERMISSIONS } from '../permissions.ts';
import { isAlwaysEnabled, granted, type RestorerRegistration } from '../registration.ts';
import type { Finding } from '../restorer.ts';
import { runUninstall } from '../run-uninstall.ts';
import { RESTORERS } from './index.ts';

const NAMESPACE = 'evenkeel-system';
const KNOWN = [...OWN_RESOURCES, ...Object.values(resources).filter(isResource)];
/** Options of the chart's hook. */
const HOOK = optionsOf('--restore');

function isResource(value: unknown): value is ApiResource {
  return typeof value === 'object' && value !== null && 'plural' in value;
}

function optionsOf(...args: readonly string[]): UninstallOptions {
  const parsed = parseUninstallOptions([...args]);
  if (!parsed.ok) throw new Error(parsed.problems.join(', '));
  return parsed.options;
}

/** Every authenticated user may use discovery and review its own access. */
const DISCOVERY = '/apis';
const GRANTED_TO_ALL = [DISCOVERY, collectionPath(resources.ACCESS_REVIEWS, null)];

/** A cluster without objects or discovered kinds. */
function emptyCluster(): FakeTransport {
  const isKnown = (path: string): boolean =>
    path === DISCOVERY || KNOWN.some((resource) => [collectionPath(resource, null), collectionPath(resource, NAMESPACE)].includes(path));
  return new FakeTransport(({ path }) =>
    isKnown(path)
      ? { body: { metadata: { resourceVersion: '1' }, items: [], status: { allowed: true } } }
      : status(404, 'NotFound', 'not found'),
  );
}

/** Reads of one pass that no row grants: `list deployments`. */
async function ungranted(registration: RestorerRegistration, rows: readonly Permission[]): Promise<readonly string[]> {
  const transport = emptyCluster();
  const cluster = new ClusterAccess(transport);
  const restorer = registration.create({ cluster, signer: TEST_SIGNER, namespace: NAMESPACE, options: HOOK, recordsStay: false });
  for await (const finding of restorer.find(new AbortController().signal)) throw new Error(`found ${finding.object} in an empty cluster`);
  expect(transport.requests).not.toEqual([]);
  const isGranted = ({ path }: { readonly path: string }): boolean =>
    rows.some(({ resource, verbs, names, scope }) => {
      const known = KNOWN.find(({ group, plural }) => group === resource.group && plural === resource.plural);
      if (known === undefined) return false;
      if (verbs.includes('list') && path === collectionPath(known, scope === 'own' ? NAMESPACE : null)) return true;
      const objects = names?.map((name) => resources.objectPath(known, known.namespaced ? NAMESPACE : null, name)) ?? [];
      return verbs.includes('get') && objects.includes(path);
    });
  return transport.requests.filter((request) => !GRANTED_TO_ALL.includes(request.path) && !isGranted(request)).map(({ path }) => path);
}

describe.each(RESTORERS.filter(({ isEnabled }) => isEnabled(HOOK)))('the restorer $name', (registration) => {
  test('has permission rows for all its reads', async () => {
    expect(registration.permissions).not.toEqual([]);
    expect(await ungranted(registration, UNINSTALL_PERMISSIONS)).toEqual([]);
  });
});

test('restorer names are unique', () => {
  const names = RESTORERS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

describe('a registered restorer', () => {
  const registration = (finding?: Finding): RestorerRegistration => ({
    name: 'secrets',
    permissions: [granted(['list', 'patch'], resources.SECRETS, 'src/cli/uninstall/restorers/restorers.test.ts', 'freed')],
    isEnabled: isAlwaysEnabled,
    create: ({ cluster }) => ({
      name: 'secrets freed',
      async *find(signal) {
        for await (const head of cluster.list(resources.SECRETS, signal)) throw new Error(`${head.name} in an empty cluster`);
        if (finding !== undefined) yield finding;
      },
    }),
  });

  test('is run and reported', async () => {
    const lines: string[] = [];
    const finding: Finding = { kind: 'change', object: 'secret shop/db', change: 'freed', carryOut: async () => ({ kind: 'dry-run' }) };
    const run = {
      transport: emptyCluster(),
      namespace: NAMESPACE,
      options: optionsOf('--restore', '--dry-run'),
      timer: new ManualClock(),
      interrupted: new AbortController().signal,
      print: (line: string) => lines.push(line),
    };
    const { results } = await runUninstall(run, [...RESTORERS, registration(finding)]);
    expect(results).toHaveLength(RESTORERS.length);
    expect(results.at(-1)).toEqual({ name: 'secrets freed', changed: 1, kept: [], left: [] });
    expect(lines).toContain('would change secret shop/db: freed');
  });

  test('without permission rows is reported', async () => {
    expect(await ungranted(registration(), UNINSTALL_PERMISSIONS)).toEqual(['/api/v1/secrets']);
    expect(await ungranted(registration(), registration().permissions)).toEqual([]);
  });
});
