// The API server of the played cluster: the requests that the controller makes, answered from templates.

import { createServer } from 'node:https';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { JsonBody } from './json-object.ts';
import { JsonObjects } from './json-objects.ts';
import { PlayedPod, PlayedWorkload, timestamp, type PlayedCluster } from './cluster.ts';
import { type RequestPath, readRequestPath } from './request-path.ts';
import { RequestCounts } from './request-counts.ts';
import type { ResourceStore, StoredObject, Versions } from './resource-store.ts';
import { WatchResponse } from './watch-response.ts';

/** As API servers close idle connections: with the 5 s of Node.js, requests would meet connections that are being closed. */
const IDLE_MS = 90_000;
const BOOKMARK_EVERY_MS = 50_000;
const LEADER_LEASE = 'evenkeel-controller';
/** A kubelet applies a resize within a second. */
const ACTUATE_AFTER_MS = 800;
const VERSION = { major: '1', minor: '36', gitVersion: 'v1.36.0', platform: 'linux/amd64' };
const NAMESPACED_PODS = [
  { name: 'pods', namespaced: true, kind: 'Pod', verbs: ['get', 'list', 'watch'] },
  { name: 'pods/resize', namespaced: true, kind: 'Pod', verbs: ['get', 'patch', 'update'] },
];

export interface Credentials {
  /** Token of the controller. */
  readonly token: string;
  /** Token that TokenRequests return, for the kubelets. */
  readonly kubeletToken: string;
}

export interface ServingCertificate {
  readonly key: string;
  readonly cert: string;
}

interface Answer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class PlayedApiServer {
  readonly counts = new RequestCounts();
  readonly objects: JsonObjects;
  readonly #cluster: PlayedCluster;
  readonly #credentials: Credentials;
  readonly #stores: ReadonlyMap<string, ResourceStore>;
  readonly #watches = new Set<WatchResponse>();
  readonly #server: Server;
  readonly #bookmarks: NodeJS.Timeout;
  #renewedMs: number | null = null;
  #longestRenewalGapMs = 0;

  constructor(cluster: PlayedCluster, versions: Versions, tls: ServingCertificate, credentials: Credentials) {
    this.#cluster = cluster;
    this.#credentials = credentials;
    const { stores, plan } = cluster;
    this.objects = new JsonObjects(versions, plan.namespaces);
    this.#stores = new Map([
      ['pods', stores.pods],
      ['nodes', stores.nodes],
      ['deployments.apps', stores.Deployment],
      ['statefulsets.apps', stores.StatefulSet],
      ['daemonsets.apps', stores.DaemonSet],
      ['replicasets.apps', stores.replicaSets],
      ...this.objects.stores,
    ]);
    this.#server = createServer(tls, (request, response) => {
      this.#serve(request, response).catch((err: unknown) => {
        this.counts.add('failed');
        console.error('played API server:', request.method, request.url, err);
        response.destroy();
      });
    });
    this.#server.keepAliveTimeout = IDLE_MS;
    this.#bookmarks = setInterval(() => {
      for (const watch of this.#watches) watch.bookmark();
    }, BOOKMARK_EVERY_MS);
  }

  /** The longest time between two renewals of the leader's lease. */
  get longestRenewalGapMs(): number {
    return this.#longestRenewalGapMs;
  }

  /** Resolves with the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the played API server has no port');
    return address.port;
  }

  close(): void {
    clearInterval(this.#bookmarks);
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://api');
    const method = request.method ?? 'GET';
    const body = method === 'GET' ? null : await buffer(request);
    if (request.headers.authorization !== `Bearer ${this.#credentials.token}` && !this.#isReview(request, pathname)) {
      send(response, status(401, 'Unauthorized', 'Unauthorized'));
      return;
    }
    const fixed = method === 'GET' ? fixedAnswer(pathname) : null;
    if (fixed !== null) {
      this.counts.add(`get ${pathname}`);
      send(response, fixed);
      return;
    }
    const path = readRequestPath(pathname);
    if (path === null) {
      this.counts.add(`unknown ${method} ${pathname}`);
      send(response, status(404, 'NotFound', 'the server could not find the requested resource'));
      return;
    }
    const contentType = request.headers['content-type'] ?? '';
    this.counts.addRequest(method, path, searchParams, contentType);
    if (method === 'GET') await this.#read(path, searchParams, response);
    else send(response, this.#write(method, path, searchParams, contentType, parsed(body)));
  }

  /** The credentials of kubelets may review their access. */
  #isReview(request: IncomingMessage, pathname: string): boolean {
    return request.headers.authorization === `Bearer ${this.#credentials.kubeletToken}` && pathname.endsWith('/selfsubjectaccessreviews');
  }

  async #read(path: RequestPath, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const store = this.#stores.get(path.resource);
    if (store === undefined) {
      send(response, status(404, 'NotFound', 'the server could not find the requested resource'));
    } else if (path.name !== null) {
      const found = store.find(keyOf(path));
      send(response, found === undefined ? notFound(path) : { status: 200, text: found.text() });
    } else if (query.get('watch') === 'true') {
      await this.#watch(store, query, response);
    } else {
      send(response, listPage(store, path, query));
    }
  }

  async #watch(store: ResourceStore, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const initial = query.get('sendInitialEvents') === 'true';
    const watch = new WatchResponse(store, response, {
      name: /^metadata\.name=([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1] ?? null,
      from: initial ? null : Number(query.get('resourceVersion') ?? store.versions.last),
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? 300),
    });
    this.#watches.add(watch);
    await watch.serve(this.counts);
    this.#watches.delete(watch);
  }

  #write(method: string, path: RequestPath, query: URLSearchParams, contentType: string, body: JsonBody): Answer {
    const isDryRun = query.get('dryRun') !== null;
    const review = this.#reviewOf(path, body);
    if (review !== null) return review;
    if (path.resource === 'events.events.k8s.io' || path.resource === 'events') {
      return { status: method === 'POST' ? 201 : 200, text: JSON.stringify(body) };
    }
    if (path.resource === 'pods') return this.#writePod(path, isDryRun, contentType, body);
    const store = this.#stores.get(path.resource);
    const played = path.name === null ? undefined : store?.find(keyOf(path));
    if (played instanceof PlayedWorkload) return this.#annotate(played, isDryRun, contentType, body);
    if (path.name === LEADER_LEASE) this.#observeRenewal();
    const written = this.objects.write({ method, path, manager: query.get('fieldManager') ?? 'unknown', contentType, body, isDryRun });
    switch (written.kind) {
      case 'done':
        return { status: method === 'POST' ? 201 : 200, text: JSON.stringify(written.body) };
      case 'conflict':
        return status(409, method === 'POST' ? 'AlreadyExists' : 'Conflict', `${path.resource} "${path.name ?? ''}": conflict`);
      case 'missing':
        return notFound(path);
      case 'unsupported':
        this.counts.add(`unknown ${method} ${path.resource} ${contentType}`);
        return status(405, 'MethodNotAllowed', 'the played API server does not support this request');
    }
  }

  #observeRenewal(): void {
    const now = performance.now();
    if (this.#renewedMs !== null) this.#longestRenewalGapMs = Math.max(this.#longestRenewalGapMs, now - this.#renewedMs);
    this.#renewedMs = now;
  }

  #reviewOf(path: RequestPath, body: JsonBody): Answer | null {
    const answer = (state: object): Answer => ({ status: 201, text: JSON.stringify({ ...body, status: state }) });
    switch (`${path.resource}/${path.subresource ?? ''}`) {
      case 'selfsubjectaccessreviews.authorization.k8s.io/':
      case 'subjectaccessreviews.authorization.k8s.io/':
        return answer({ allowed: true });
      case 'tokenreviews.authentication.k8s.io/':
        return answer({ authenticated: true, user: { username: 'bench', groups: [] } });
      case 'serviceaccounts/token':
        return answer({ token: this.#credentials.kubeletToken, expirationTimestamp: new Date(Date.now() + 600_000).toISOString() });
      default:
        return null;
    }
  }

  #writePod(path: RequestPath, isDryRun: boolean, contentType: string, body: JsonBody): Answer {
    const pod = path.name === null ? undefined : this.#cluster.stores.pods.find(keyOf(path));
    if (!(pod instanceof PlayedPod)) return notFound(path);
    if (path.subresource !== 'resize' || contentType !== 'application/json-patch+json') {
      this.counts.add(`unknown write pods/${path.subresource ?? ''} ${contentType}`);
      return status(405, 'MethodNotAllowed', 'the played API server does not support this request');
    }
    if (isDryRun) return { status: 200, text: pod.text() };
    const refusal = this.#cluster.resize(pod, body);
    if (refusal !== null) return status(422, 'Invalid', refusal);
    setTimeout(() => this.#cluster.actuate(pod), ACTUATE_AFTER_MS);
    return { status: 200, text: pod.text() };
  }

  #annotate(workload: PlayedWorkload, isDryRun: boolean, contentType: string, body: JsonBody): Answer {
    const { annotations } = (body['metadata'] ?? {}) as { readonly annotations?: Readonly<Record<string, string | null>> };
    if (contentType !== 'application/merge-patch+json' || annotations === undefined) {
      this.counts.add(`unknown write ${workload.workload.kind} ${contentType}`);
      return status(405, 'MethodNotAllowed', 'the played API server does not support this request');
    }
    if (!isDryRun) {
      workload.annotate(annotations);
      this.#cluster.save(workload);
    }
    return { status: 200, text: workload.text() };
  }
}

function fixedAnswer(pathname: string): Answer | null {
  switch (pathname) {
    case '/version':
      return { status: 200, text: JSON.stringify(VERSION) };
    case '/api/v1':
      return { status: 200, text: JSON.stringify({ kind: 'APIResourceList', groupVersion: 'v1', resources: NAMESPACED_PODS }) };
    case '/apis':
      return { status: 200, text: JSON.stringify({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items: [] }) };
    default:
      return null;
  }
}

function listPage(store: ResourceStore, { namespace }: RequestPath, query: URLSearchParams): Answer {
  const limit = Number(query.get('limit') ?? Infinity);
  const [version = String(store.versions.last), offset = '0'] = query.get('continue')?.split('-') ?? [];
  const from = Number(offset);
  const items: string[] = [];
  let at = 0;
  let isComplete = true;
  for (const object of store.objects()) {
    if (namespace !== null && !object.key.startsWith(`${namespace}/`)) continue;
    if (items.length >= limit) {
      isComplete = false;
      break;
    }
    if (at >= from) items.push(object.text());
    at += 1;
  }
  const next = isComplete ? '' : `,"continue":"${version}-${at}"`;
  const { kind, apiVersion } = store;
  return {
    status: 200,
    text: `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{"resourceVersion":"${version}"${next}},"items":[${items.join()}]}`,
  };
}

export function keyOf({ namespace, name }: RequestPath): StoredObject['key'] {
  return namespace === null ? (name ?? '') : `${namespace}/${name ?? ''}`;
}

function parsed(body: Buffer | null): JsonBody {
  return body === null || body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as JsonBody);
}

function notFound({ resource, name }: RequestPath): Answer {
  return status(404, 'NotFound', `${resource} "${name ?? ''}" not found`);
}

function status(code: number, reason: string, message: string): Answer {
  return {
    status: code,
    text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code, metadata: {} }),
  };
}

function send(response: ServerResponse, { status: code, text }: Answer): void {
  response.writeHead(code, { 'content-type': 'application/json', date: timestamp() });
  response.end(text);
}
