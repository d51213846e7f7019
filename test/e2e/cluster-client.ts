// Access of a user to a cluster: its API server by kubeconfig, with wire JSON.

import { HttpTransport } from '../../src/adapters/kubernetes/transport/http-transport.ts';
import { resolveKubeConfig } from '../../src/adapters/kubernetes/transport/kube-config.ts';
import type { PodResizePolicy, Recommendation } from '../../src/apis/v1alpha1/index.ts';
import type { ApiResponse, ApiTransport } from '#kube/api-transport';
import { NO_METRICS } from '../../src/runtime/metrics.ts';
import { SystemTimer } from '../../src/runtime/system-clock.ts';
import { seededRandom } from '../fakes/seeded-random.ts';
import type { TestFixture } from './processes.ts';

export interface Quantities {
  readonly cpu?: string;
  readonly memory?: string;
}

/** `resources` of a container. */
export interface Resources {
  readonly requests?: Quantities;
  readonly limits?: Quantities;
}

/** The fields of a pod that these tests read. */
export interface Pod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly name: string; readonly resources?: Resources }[] };
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly resources?: Resources;
      readonly restartCount: number;
    }[];
  };
}

export const PATHS = {
  policies: '/apis/evenkeel.io/v1alpha1/podresizepolicies',
  recommendations: '/apis/evenkeel.io/v1alpha1/recommendations',
  pods: '/api/v1/pods',
} as const;

/** Reads and writes objects as the user of a kubeconfig. */
export class ClusterClient {
  readonly transport: ApiTransport;

  constructor(transport: ApiTransport) {
    this.transport = transport;
  }

  /** Connects by kubeconfig; its connections end with the fixture. */
  static async connect(fixture: TestFixture, kubeconfig: string): Promise<ClusterClient> {
    const timer = new SystemTimer();
    const connection = await resolveKubeConfig({ path: kubeconfig, timer });
    const transport = new HttpTransport({ connection, timer, random: seededRandom(1), metrics: NO_METRICS, qps: 1e6, burst: 1e6 });
    fixture.addCleanup(() => transport.close());
    return new ClusterClient(transport);
  }

  /** @throws with the server's message when the response is an error */
  async get<T>(path: string): Promise<T> {
    return succeeded(await this.transport.request({ method: 'GET', path }), path) as T;
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.get<{ readonly items: readonly T[] }>(path)).items;
  }

  recommendations(): Promise<readonly Recommendation[]> {
    return this.list(PATHS.recommendations);
  }

  async policy(name: string): Promise<PodResizePolicy> {
    return this.get(`${PATHS.policies}/${name}`);
  }

  pods(namespace: string): Promise<readonly Pod[]> {
    return this.list(`/api/v1/namespaces/${namespace}/pods`);
  }

  async create(path: string, body: object): Promise<void> {
    succeeded(await this.transport.request({ method: 'POST', path, body }), path);
  }

  async merge(path: string, body: object): Promise<void> {
    const headers = { 'content-type': 'application/merge-patch+json' };
    succeeded(await this.transport.request({ method: 'PATCH', path, headers, body }), path);
  }

  async delete(path: string): Promise<void> {
    succeeded(await this.transport.request({ method: 'DELETE', path }), path);
  }
}

/** A policy object; `spec` overrides the defaults of the schema. */
export function aPolicy(name: string, spec: Partial<PodResizePolicy['spec']>): object {
  return { apiVersion: 'evenkeel.io/v1alpha1', kind: 'PodResizePolicy', metadata: { name }, spec };
}

function succeeded({ status, body }: ApiResponse, path: string): unknown {
  if (status >= 300)
    throw new Error(`${path}: HTTP ${status}: ${(body as { message?: string } | undefined)?.message ?? JSON.stringify(body)}`);
  return body;
}
