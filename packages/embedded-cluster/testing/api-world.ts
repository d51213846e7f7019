import type { ApiRequest, ApiResponse } from '#kube/api-transport';
import { EmbeddedApiServer, type EmbeddedApiServerOptions } from '../src/api/embedded-api-server.ts';
import { InProcessTransport } from '../src/api/in-process-transport.ts';
import type { KubeObject } from '../src/api/kube-object.ts';
import type { UserInfo } from '../src/api/access/user.ts';
import { FakeActivity, FakeClock } from './fake-clock.ts';
import { RecordingLogger } from './recording-logger.ts';
import { seededRandom } from '../src/clock/seeded-hash.ts';

/** Wire JSON in a test: any member may be read. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- expectations say what must be there
export type Wire = any;

/** An embedded API server without controllers, on a manual clock, with short forms of the requests. */
export class ApiWorld {
  readonly clock = new FakeClock();
  readonly machine = new FakeClock(0);
  readonly activity = new FakeActivity();
  readonly logger = new RecordingLogger();
  readonly server: EmbeddedApiServer;
  readonly transport: InProcessTransport;

  constructor(options: Partial<EmbeddedApiServerOptions> = {}) {
    this.server = new EmbeddedApiServer({
      clock: this.clock,
      activity: this.activity,
      machine: this.machine,
      random: seededRandom(1),
      logger: this.logger,
      strategies: new Map(),
      actions: new Map(),
      providers: {},
      speed: () => 1,
      ...options,
    });
    this.transport = new InProcessTransport(this.server, { userAgent: 'test/1' });
  }

  as(user: UserInfo): InProcessTransport {
    return new InProcessTransport(this.server, { user });
  }

  get(path: string, query: ApiRequest['query'] = {}, accept?: string): Promise<ApiResponse> {
    return this.transport.request({ method: 'GET', path, query, ...(accept === undefined ? {} : { headers: { accept } }) });
  }

  post(path: string, body: unknown, query: ApiRequest['query'] = {}): Promise<ApiResponse> {
    return this.transport.request({ method: 'POST', path, body, query });
  }

  put(path: string, body: unknown, query: ApiRequest['query'] = {}): Promise<ApiResponse> {
    return this.transport.request({ method: 'PUT', path, body, query });
  }

  delete(path: string, body?: unknown, query: ApiRequest['query'] = {}): Promise<ApiResponse> {
    return this.transport.request({ method: 'DELETE', path, body, query });
  }

  patch(
    type: 'json' | 'merge' | 'strategic' | 'apply',
    path: string,
    body: unknown,
    query: ApiRequest['query'] = {},
  ): Promise<ApiResponse> {
    const contentType = {
      json: 'application/json-patch+json',
      merge: 'application/merge-patch+json',
      strategic: 'application/strategic-merge-patch+json',
      apply: 'application/apply-patch+yaml',
    }[type];
    return this.transport.request({ method: 'PATCH', path, body, query, headers: { 'content-type': contentType } });
  }

  /** Starts a watch; received events are in `events` as `TYPE name@version`. */
  async watch(path: string, query: ApiRequest['query'] = {}): Promise<FollowedWatch> {
    const controller = new AbortController();
    const stream = await this.transport.stream({ method: 'GET', path, query: { ...query, watch: true }, signal: controller.signal });
    const followed: FollowedWatch = { events: [], raw: [], ended: false, stop: () => controller.abort() };
    void (async () => {
      try {
        for await (const item of stream.items) {
          const { type, object } = item as { type: string; object: KubeObject };
          followed.raw.push({ type, object });
          followed.events.push(`${type} ${(object.metadata as Partial<KubeObject['metadata']>).name ?? ''}`.trim());
        }
        followed.ended = true;
      } catch {
        followed.ended = true;
      }
    })();
    return followed;
  }
}

/** A watch, and what it has received so far. */
export interface FollowedWatch {
  readonly events: string[];
  readonly raw: { readonly type: string; readonly object: KubeObject }[];
  ended: boolean;
  stop: () => void;
}
