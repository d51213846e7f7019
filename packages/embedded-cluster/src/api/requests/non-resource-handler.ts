// Paths without a resource: discovery, OpenAPI, version, health, and the cluster's clock.

import type { Clock } from '../../ports/clock.ts';
import { json, text, type Answer } from '../answer.ts';
import type { ApiCall } from './api-call.ts';
import {
  acceptedDiscovery,
  aggregatedDiscovery,
  coreVersions,
  discoveryType,
  findGroup,
  findResourceList,
  groupList,
  SERVER_VERSION,
} from './discovery.ts';
import type { OpenApiDocuments } from './openapi-documents.ts';
import type { ServedResources } from '../resources/served-resources.ts';

/** The state of the embedded cluster's clock, so that another process can follow it. */
interface ClockState {
  /** Virtual seconds per real second, or `max`. */
  readonly speed: number | 'max';
  readonly startedAt: number;
}

export interface NonResourceHandlerDependencies {
  readonly resources: ServedResources;
  readonly openApi: OpenApiDocuments;
  readonly clock: Clock;
  readonly clockState: () => ClockState;
}

const OPENAPI_PROTOBUF_MARK = 'com.github.proto-openapi.spec.v2';
const OPENAPI_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/**
 * The OpenAPI v2 document in protobuf, without definitions (field 1 `swagger`, field 2 `info` with title and version). kubectl requests
 * only this format, for kinds that it did not find in v3; those are in neither.
 */
const EMPTY_OPENAPI_V2 = Buffer.from('\x0a\x032.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.36.0', 'latin1');

const HEALTH_CHECKS = ['ping', 'log', 'etcd', 'poststarthook/start-apiextensions-controllers', 'informer-sync'] as const;

export class NonResourceHandler {
  readonly #dependencies: NonResourceHandlerDependencies;

  constructor(dependencies: NonResourceHandlerDependencies) {
    this.#dependencies = dependencies;
  }

  /** undefined for a path that is not served. */
  handle(call: ApiCall): Answer | undefined {
    const path = call.path.length > 1 && call.path.endsWith('/') ? call.path.slice(0, -1) : call.path;
    const segments = path.split('/').slice(1);
    switch (segments[0]) {
      case 'api':
      case 'apis':
        return segments.length > 3 ? undefined : this.#discovery(segments, call);
      case 'openapi':
        return this.#openApi(path, call.accept ?? '');
      default:
        return this.#single(path, call);
    }
  }

  #single(path: string, call: ApiCall): Answer | undefined {
    switch (path) {
      case '/':
        return json(200, { paths: this.#paths() });
      case '/version':
        return json(200, SERVER_VERSION);
      case '/evenkeel/clock':
        return json(200, { now: this.#dependencies.clock.now(), ...this.#dependencies.clockState() });
      default:
        return health(path, call);
    }
  }

  #discovery([root = '', group = '', version = '']: readonly string[], call: ApiCall): Answer | undefined {
    const { resources } = this.#dependencies;
    if (group === '') {
      const aggregated = acceptedDiscovery(call.accept);
      if (aggregated !== null)
        return { ...json(200, aggregatedDiscovery(resources, aggregated, root === 'api')), contentType: discoveryType(aggregated) };
      return json(200, root === 'api' ? coreVersions('127.0.0.1') : groupList(resources));
    }
    if (root === 'api') return version === '' ? found(findResourceList(resources, '', group)) : undefined;
    return found(version === '' ? findGroup(resources, group) : findResourceList(resources, group, version));
  }

  #openApi(path: string, accept: string): Answer | undefined {
    const { openApi } = this.#dependencies;
    if (path === '/openapi/v2' && accept.includes(OPENAPI_PROTOBUF_MARK) && !accept.includes('json'))
      return { kind: 'body', status: 200, headers: {}, contentType: OPENAPI_PROTOBUF_TYPE, body: EMPTY_OPENAPI_V2 };
    if (path === '/openapi/v2') return json(200, openApi.v2());
    if (path === '/openapi/v3') return json(200, openApi.v3Index());
    const match = /^\/openapi\/v3\/(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))$/.exec(path);
    if (match === null) return undefined;
    const [, core, group = '', version = ''] = match;
    return found(core === undefined ? openApi.v3(group, version) : openApi.v3('', core));
  }

  #paths(): string[] {
    const versions = [...this.#dependencies.resources.groups()].flatMap(([group, served]) =>
      group === '' ? [] : [`/apis/${group}`, ...served.map((version) => `/apis/${group}/${version}`)],
    );
    return [
      '/api',
      '/api/v1',
      '/apis',
      ...versions,
      '/evenkeel/clock',
      '/healthz',
      '/livez',
      '/openapi/v2',
      '/openapi/v3',
      '/readyz',
      '/version',
    ];
  }
}

function found(body: object | undefined): Answer | undefined {
  return body === undefined ? undefined : json(200, body);
}

/**
 * Health of the server. Everything runs in one process, so a server that responds is healthy. Each check has a path. undefined for other
 * paths.
 */
function health(path: string, call: ApiCall): Answer | undefined {
  const [, which, check] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? [];
  if (which === undefined) return undefined;
  if (check !== undefined) return HEALTH_CHECKS.some((known) => known === check) ? text(200, 'ok') : undefined;
  if (call.query['verbose'] === undefined) return text(200, 'ok');
  return text(200, [...HEALTH_CHECKS.map((check) => `[+]${check} ok`), `${which} check passed`, ''].join('\n'));
}
