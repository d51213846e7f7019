// A controller's connection to its cluster as in production, with injected faults: a ServiceAccount with only the shipped roles, a token
// file that is renewed, and a proxy that fails on demand.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import type { ApiTransport } from '#kube/api-transport';
import { resolveKubeConfig } from '../../src/adapters/kubernetes/transport/kube-config.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { FaultProxy } from '../fakes/clients/fault-proxy.ts';
import { ROOT, type TestFixture } from './processes.ts';

const NAMESPACE = 'evenkeel-system';
const ACCOUNT = 'evenkeel-controller';
const CLUSTER_ROLE = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${ACCOUNT}`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** Controls the token, the permissions and the proxy of one controller. */
export class FaultyConnection {
  readonly proxy: FaultProxy;
  /** Kubeconfig of the controller: through the proxy, with the token file. */
  readonly kubeconfig: string;
  readonly #admin: ApiTransport;
  readonly #tokenFile: string;

  private constructor(proxy: FaultProxy, kubeconfig: string, admin: ApiTransport, tokenFile: string) {
    this.proxy = proxy;
    this.kubeconfig = kubeconfig;
    this.#admin = admin;
    this.#tokenFile = tokenFile;
  }

  /** @param cluster kubeconfig and transport of an administrator */
  static async open(
    fixture: TestFixture,
    cluster: { readonly kubeconfig: string; readonly admin: ApiTransport },
  ): Promise<FaultyConnection> {
    const upstream = await resolveKubeConfig({ path: cluster.kubeconfig, timer: new SystemTimer() });
    // The administrator's certificate is not given to the proxy and the kubelets.
    const { cert: _cert, key: _key, ...tls } = upstream.tls;
    const proxy = await FaultProxy.start({ server: upstream.server, tls, headers: () => Promise.resolve({}) });
    fixture.addCleanup(() => proxy.close());
    const kubeconfig = join(fixture.folder, 'through-the-proxy.kubeconfig');
    const connection = new FaultyConnection(proxy, kubeconfig, cluster.admin, join(fixture.folder, 'token'));
    await connection.#grant();
    await connection.renewToken();
    connection.#writeKubeconfig();
    return connection;
  }

  /** Writes a token that the API server accepts, as a kubelet would. */
  async renewToken(): Promise<void> {
    const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${ACCOUNT}/token`;
    const spec = { expirationSeconds: 3600 };
    const { status } = (await this.#ask('POST', path, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec })) as {
      readonly status: { readonly token: string };
    };
    this.#writeToken(status.token);
  }

  /** From now on the API server refuses the token of the file, as an expired one. */
  expireToken(): void {
    const body = JSON.stringify({ kind: 'Status', status: 'Failure', code: 401, reason: 'Unauthorized', message: 'Unauthorized' });
    this.proxy.begin({ authorization: `Bearer ${this.token()}`, trouble: { answer: 401, body } });
  }

  /** The token in the file. */
  token(): string {
    return readFileSync(this.#tokenFile, 'utf8');
  }

  /** Replaces the token in the file. The controller notices when it reads the file again. */
  replaceToken(by: (token: string) => string): void {
    this.#writeToken(by(this.token()));
  }

  /** Removes verbs on a resource from the controller's ClusterRole. Returns a function that restores them. */
  async forbid(resource: string, verbs: readonly string[]): Promise<() => Promise<void>> {
    const role = (await this.#ask('GET', CLUSTER_ROLE)) as { readonly rules: readonly Rule[] };
    const rules = role.rules.flatMap((rule): readonly Rule[] => {
      if (!rule.resources.includes(resource)) return [rule];
      const others = rule.resources.filter((other) => other !== resource);
      const remainingVerbs = rule.verbs.filter((verb) => !verbs.includes(verb));
      return [
        ...(others.length === 0 ? [] : [{ ...rule, resources: others }]),
        ...(remainingVerbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs: remainingVerbs }]),
      ];
    });
    const set = async (wanted: readonly Rule[]): Promise<void> => {
      await this.#ask('PATCH', CLUSTER_ROLE, { rules: wanted });
    };
    await set(rules);
    return () => set(role.rules);
  }

  async #grant(): Promise<void> {
    await this.#admin.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: NAMESPACE } } });
    for (const object of rbacManifests()) {
      // They restrict the controller only on an API server that supports them, and are tested there.
      if (object.kind.startsWith('ValidatingAdmissionPolicy')) continue;
      const path = collectionOf(object.kind);
      const { status, body } = await this.#admin.request({ method: 'POST', path, body: object });
      // Some objects exist already.
      if (status >= 300 && status !== 409) throw new Error(`POST ${path}: HTTP ${status} ${JSON.stringify(body)}`);
    }
  }

  async #ask(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<unknown> {
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    const answer = await this.#admin.request({ method, path, headers, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: HTTP ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  // Written atomically, as kubelets renew it.
  #writeToken(token: string): void {
    writeFileSync(`${this.#tokenFile}.new`, token);
    renameSync(`${this.#tokenFile}.new`, this.#tokenFile);
  }

  // The proxy serves plain HTTP, which is accepted only without certificate verification. Kubelets' certificates are then not verified
  // either.
  #writeKubeconfig(): void {
    const named = (content: object): object[] => [{ name: 'faulty', ...content }];
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: named({ cluster: { server: this.proxy.url, 'insecure-skip-tls-verify': true } }),
      users: named({ user: { tokenFile: this.#tokenFile } }),
      contexts: named({ context: { cluster: 'faulty', user: 'faulty' } }),
      'current-context': 'faulty',
    };
    writeFileSync(this.kubeconfig, JSON.stringify(config));
  }
}

function rbacManifests(): readonly Manifest[] {
  const folder = join(ROOT, 'config', 'rbac');
  const { resources } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as { readonly resources: readonly string[] };
  return resources.flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Manifest),
  );
}

function collectionOf(kind: string): string {
  switch (kind) {
    case 'ServiceAccount':
      return `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
    case 'Role':
    case 'RoleBinding':
      return `${RBAC}/namespaces/${NAMESPACE}/${kind.toLowerCase()}s`;
    case 'ClusterRole':
    case 'ClusterRoleBinding':
      return `${RBAC}/${kind.toLowerCase()}s`;
    default:
      throw new Error(`config/rbac has a ${kind}, which this test does not support`);
  }
}
