// Admission: served by every replica once there is a certificate, and announced to the API server by the leader.

import { readFile } from 'node:fs/promises';
import { AdmissionServer } from '../../adapters/admission/admission-server.ts';
import { CertificateSecret, type ServingPair } from '../../adapters/admission/certificate-secret.ts';
import {
  applyWebhookConfiguration,
  removeWebhookConfiguration,
  webhookConfiguration,
  type WebhookTarget,
} from '../../adapters/admission/webhook-configuration.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { SizesAtCreation } from '../../ports/sizes-at-creation.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import { parseListenAddress } from '../../runtime/listen-address.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** Certificate and configuration are looked at this often; the certificate has a month left when it is renewed. */
const LOOK_EVERY_MS: DurationMs = 20 * SECOND_MS;
/** Until there is a certificate to serve with, and after a failure. */
const SOON_MS: DurationMs = 2 * SECOND_MS;
const SERVICE_PORT = 443;

export interface AdmissionDependencies {
  readonly settings: Settings;
  readonly transport: ApiTransport;
  /** What leaves by it leaves while this replica leads. */
  readonly leaders: ApiTransport;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly namespace: string;
  readonly sizes: SizesAtCreation;
  readonly isLeader: () => boolean;
}

export class Admission {
  readonly #dependencies: AdmissionDependencies;
  readonly #stop = new AbortController();
  readonly #secret: CertificateSecret | null;
  #server: AdmissionServer | null = null;
  #served = '';
  #announced = '';
  #removed = false;
  #problem: string | null = 'no certificate yet';
  #running: Promise<void> = Promise.resolve();

  constructor(dependencies: AdmissionDependencies) {
    this.#dependencies = dependencies;
    const { settings, transport, namespace } = dependencies;
    const ours = settings['controller.admission.enabled'] && settings['controller.admission.certFile'] === '';
    this.#secret = ours
      ? new CertificateSecret({ transport, namespace, names: namesOf(settings, namespace), now: () => Date.now() })
      : null;
  }

  /** Serves and announces from now on, as soon as it can: a webhook that is late keeps no pod from being created. */
  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('admission is stopping'));
    await this.#running;
    await this.#server?.close();
  }

  /** null: switched off. */
  status(): { readonly ok: boolean; readonly message: string } | null {
    const { settings } = this.#dependencies;
    if (!settings['controller.admission.enabled']) return null;
    if (settings['controller.dryRun']) return { ok: true, message: 'dry run: not announced to the API server' };
    return { ok: this.#problem === null, message: this.#problem ?? `serving on port ${this.#server?.port ?? 0}` };
  }

  get port(): number | null {
    return this.#server?.port ?? null;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const wait = await this.#once();
      if (wait === null) return;
      await this.#pause(wait);
    }
  }

  /** How long to wait before the next look; null: there is nothing more to do. */
  async #once(): Promise<DurationMs | null> {
    const { settings, logger } = this.#dependencies;
    // A dry run changes nothing of the cluster: what is asked of the API server is asked of nobody.
    const enabled = settings['controller.admission.enabled'] && !settings['controller.dryRun'];
    try {
      if (enabled) return await this.#look();
      return (await this.#withdraw()) ? null : SOON_MS;
    } catch (err) {
      const message = err instanceof Error ? err.message : String(err);
      if (!this.#stop.signal.aborted && message !== this.#problem) logger.warn('Admission is not as it should be; trying again', { err });
      this.#problem = message;
      return enabled ? SOON_MS : LOOK_EVERY_MS;
    }
  }

  async #look(): Promise<DurationMs> {
    const { isLeader, leaders, logger } = this.#dependencies;
    const serving = await this.#serving();
    if (serving === null) return SOON_MS;
    await this.#serve(serving);
    if (isLeader()) {
      const body = webhookConfiguration(this.#target(), serving.authorities);
      await applyWebhookConfiguration(leaders, body, this.#stop.signal);
      const text = JSON.stringify(body);
      if (this.#announced !== text) logger.info('Admission is announced to the API server', { port: this.#server?.port ?? 0 });
      this.#announced = text;
    }
    this.#problem = null;
    return LOOK_EVERY_MS;
  }

  async #serving(): Promise<ServingPair | null> {
    const { settings, isLeader } = this.#dependencies;
    if (this.#secret !== null) return this.#secret.read(isLeader(), this.#stop.signal);
    const file = (setting: 'certFile' | 'keyFile' | 'caFile'): Promise<string> => {
      const path = settings[`controller.admission.${setting}`];
      return readFile(path, 'utf8').catch((err: unknown) => {
        throw new Error(`controller.admission.${setting}: cannot read "${path}"`, { cause: err });
      });
    };
    const [certificate, key, authorities] = await Promise.all([file('certFile'), file('keyFile'), file('caFile')]);
    return { pair: { certificate, key }, authorities };
  }

  async #serve({ pair }: ServingPair): Promise<void> {
    const { settings, sizes, metrics, logger, timer } = this.#dependencies;
    const text = `${pair.certificate}${pair.key}`;
    if (this.#server === null) {
      const listen = parseListenAddress(settings['controller.admission.addr']);
      if (listen === undefined) throw new Error('controller.admission.addr: expected host:port or :port');
      this.#server = await AdmissionServer.start({ listen, keyPair: pair, sizes, metrics, logger, timer });
      logger.info('Admission is served', { port: this.#server.port });
    } else if (text !== this.#served) {
      this.#server.replaceCertificate(pair);
      logger.info('Admission is served with a new certificate');
    }
    this.#served = text;
  }

  /** Switched off: what an earlier run announced goes, once, by the leader. */
  async #withdraw(): Promise<boolean> {
    const { isLeader, leaders, logger } = this.#dependencies;
    if (this.#removed || !isLeader()) return this.#removed;
    if (await removeWebhookConfiguration(leaders, this.#stop.signal))
      logger.info('Admission is switched off: its configuration is removed');
    this.#removed = true;
    return true;
  }

  #target(): WebhookTarget {
    const { settings, namespace } = this.#dependencies;
    const url = settings['controller.admission.url'];
    const name = settings['controller.admission.service'];
    const clientConfig =
      url === '' ? { service: { name, namespace, path: '/mutate', port: SERVICE_PORT } } : { url: `${url.replace(/\/+$/, '')}/mutate` };
    return { clientConfig, ownNamespace: namespace };
  }

  #pause(ms: DurationMs): Promise<void> {
    const { signal } = this.#stop;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#dependencies.timer.setTimer(ms, end);
      signal.addEventListener('abort', end, { once: true });
    });
  }
}

/** By which the API server reaches the webhook: the Service's, or the host of the address. */
function namesOf(settings: Settings, namespace: string): readonly string[] {
  const url = settings['controller.admission.url'];
  const service = settings['controller.admission.service'];
  return url === ''
    ? [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`]
    : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}
