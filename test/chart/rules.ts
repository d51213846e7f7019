// Compares RBAC rules: each is split into one grant per verb and resource.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { resourceName } from '../../src/adapters/kubernetes/resources.ts';
import { KUBELET_READER, type GrantedWhen, type Permission } from '../../src/adapters/kubernetes/access/permissions.ts';

export const ROOT = join(import.meta.dirname, '..', '..');

/** Conditions of grants that hold with the default values of the chart. */
export const BY_DEFAULT: readonly GrantedWhen[] = [
  'always',
  'rbac.effects',
  'rbac.kubelets',
  'config.kubelet.viaProxy: false',
  'config.crds.install',
];

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** The fields of a manifest that these tests read. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly PolicyRule[];
  readonly [field: string]: unknown;
}

export function parseManifests(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

/** The manifests of one file, by its path from the root. */
export function manifestsOf(file: string): readonly Manifest[] {
  return parseManifests(readFileSync(join(ROOT, file), 'utf8'));
}

/** Grants of roles, such as `cluster patch pods/resize` and `own get leases.coordination.k8s.io named evenkeel-controller`. */
export function grantsOf(manifests: readonly Manifest[], name: string): readonly string[] {
  const roles = manifests.filter(({ kind, metadata }) => ['Role', 'ClusterRole'].includes(kind) && metadata.name === name);
  return roles
    .flatMap(({ kind, rules = [] }) =>
      rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            verbs.flatMap((verb) => lines(kind === 'Role' ? 'own' : 'cluster', verb, group, resource, resourceNames)),
          ),
        ),
      ),
    )
    .sort();
}

/** Grants that the code declares, in the same form. */
export function declared(permissions: readonly Permission[], when: readonly GrantedWhen[]): readonly string[] {
  return permissions
    .filter((permission) => when.includes(permission.when))
    .flatMap(({ scope, verbs, resource, subresource, names = [] }) => {
      const plural = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
      return verbs.flatMap((verb) => lines(scope, verb, resource.group, plural, names));
    })
    .sort();
}

/** Requests such as `patch pods/resize` and `get leases.coordination.k8s.io`, as the controller's metrics name them. */
export function requestsOf(permissions: readonly Permission[], when: readonly GrantedWhen[]): ReadonlySet<string> {
  return new Set(
    permissions
      .filter((permission) => when.includes(permission.when))
      .flatMap(({ verbs, resource, subresource }) => {
        const name = resourceName(resource);
        return verbs.map((verb) => `${verb} ${subresource === undefined ? name : `${name}/${subresource}`}`);
      }),
  );
}

function lines(scope: string, verb: string, group: string, resource: string, names: readonly string[]): readonly string[] {
  const [plural = '', subresource] = resource.split('/');
  const base = group === '' ? plural : `${plural}.${group}`;
  const grant = `${scope} ${verb} ${subresource === undefined ? base : `${base}/${subresource}`}`;
  return names.length === 0 ? [grant] : names.map((name) => `${grant} named ${name}`);
}

/** Grants that no role of Evenkeel may have, each as a sentence. */
export function forbiddenIn(manifests: readonly Manifest[]): readonly string[] {
  return manifests.flatMap(({ kind, metadata, rules = [] }) =>
    rules.flatMap(({ apiGroups = [], resources = [], resourceNames = [], verbs }) => {
      const found: string[] = [];
      const where = `${kind} ${metadata.name}`;
      if ([...apiGroups, ...resources, ...verbs].some((entry) => entry.includes('*'))) found.push(`${where}: a wildcard`);
      for (const resource of ['nodes/proxy', 'pods/exec', 'pods/attach', 'pods/portforward'])
        if (resources.includes(resource)) found.push(`${where}: ${resource}`);
      if (resources.includes('serviceaccounts/token') && (kind === 'ClusterRole' || resourceNames.join() !== KUBELET_READER))
        found.push(`${where}: tokens of other ServiceAccounts`);
      if (kind === 'ClusterRole' && resources.includes('secrets')) found.push(`${where}: secrets of all namespaces`);
      for (const verb of ['escalate', 'bind', 'impersonate', 'deletecollection'])
        if (verbs.includes(verb)) found.push(`${where}: verb ${verb}`);
      if (apiGroups.includes('rbac.authorization.k8s.io')) found.push(`${where}: RBAC itself`);
      return found;
    }),
  );
}
