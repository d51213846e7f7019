// Discovery: /version, /api, /apis and the resource lists, in both formats.

import type { ServedResource, ServedResources } from '../resources/served-resources.ts';
import { groupVersion } from '../resources/served-resources.ts';

interface SubresourceTraits {
  readonly kind?: string;
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
}

const READ_WRITE = ['get', 'patch', 'update'] as const;

/** Subresources whose body is not the resource itself, or that have other verbs. */
const SUBRESOURCES: Readonly<Record<string, SubresourceTraits>> = {
  status: { verbs: READ_WRITE },
  resize: { verbs: READ_WRITE },
  finalize: { verbs: ['update'] },
  scale: { kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: READ_WRITE },
  binding: { kind: 'Binding', verbs: ['create'] },
  eviction: { kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
  token: { kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
  log: { verbs: ['get'] },
  proxy: { kind: 'NodeProxyOptions', verbs: ['get'] },
};

/** The emulated version of Kubernetes. The build date is that of the release, not domain time. */
export const SERVER_VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+evenkeel',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-04-22T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: 'linux/amd64',
} as const;

export function coreVersions(address: string): object {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }] };
}

export function groupList(resources: ServedResources): object {
  const groups = [...resources.groups()].filter(([name]) => name !== '').map(([name, versions]) => apiGroup(name, versions));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** undefined for a group that is not served. */
export function findGroup(resources: ServedResources, name: string): object | undefined {
  const versions = resources.groups().get(name);
  return versions === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(name, versions) };
}

function apiGroup(name: string, versions: readonly string[]): object {
  const entries = versions.map((version) => ({ groupVersion: groupVersion(name, version), version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

/** undefined for a group version that is not served. */
export function findResourceList(resources: ServedResources, group: string, version: string): object | undefined {
  const served = resources.of(group, version);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion(group, version),
    resources: served.flatMap(resourceEntries),
  };
}

function resourceEntries(resource: ServedResource): object[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources } = resource.descriptor;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
    },
    ...subresources.map((name) => {
      const traits = SUBRESOURCES[name] ?? { verbs: ['get'] };
      return {
        name: `${plural}/${name}`,
        singularName: '',
        namespaced,
        ...(traits.group === undefined ? {} : { group: traits.group, version: traits.version }),
        kind: traits.kind ?? kind,
        verbs: traits.verbs,
      };
    }),
  ];
}

/** `apidiscovery.k8s.io` lists; `core` for /api, otherwise /apis. */
export function aggregatedDiscovery(resources: ServedResources, version: 'v2' | 'v2beta1', core: boolean): object {
  const groups = [...resources.groups()].filter(([name]) => (name === '') === core);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(([name, versions]) => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map((served) => ({
        version: served,
        freshness: 'Current',
        resources: resources.of(name, served).map(aggregatedEntry),
      })),
    })),
  };
}

function aggregatedEntry(resource: ServedResource): object {
  const { kind, plural, singular, namespaced, verbs, shortNames, categories, subresources } = resource.descriptor;
  // Built-in kinds omit what equals the list's; clients fill it in.
  const { group, version } = resource.custom ? resource.descriptor : { group: '', version: '' };
  const own = { group, version, kind };
  return {
    resource: plural,
    responseKind: own,
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((name) => {
            const traits = SUBRESOURCES[name] ?? { verbs: ['get'] };
            const responseKind =
              traits.kind === undefined ? own : { group: traits.group ?? group, version: traits.version ?? version, kind: traits.kind };
            return { subresource: name, responseKind, verbs: traits.verbs };
          }),
        }
      : {}),
  };
}

/** Accepted aggregated formats of a client, best first; null for the unaggregated format. */
export function acceptedDiscovery(accept: string | undefined): 'v2' | 'v2beta1' | null {
  for (const range of (accept ?? '').split(',')) {
    if (!range.includes('as=APIGroupDiscoveryList') || !range.includes('g=apidiscovery.k8s.io')) continue;
    if (range.includes('v=v2beta1')) return 'v2beta1';
    if (range.includes('v=v2')) return 'v2';
  }
  return null;
}

/** Content type of an aggregated list, from which clients learn its format. */
export function discoveryType(version: 'v2' | 'v2beta1'): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}
