// The admission webhook: every replica serves it once a certificate exists, and the leader registers it with the API server.

import { readFile } from 'node:fs/promises';
import { AdmissionServer } from '../../../adapters/admission/admission-server.ts';
import { CertificateSecret, type ServingPair } from '../../../adapters/admission/certificate-secret.ts';
import {
  applyWebhookConfiguration,
  removeWebhookConfiguration,
  webhookConfiguration,
  type WebhookTarget,
} from '../../../adapters/admission/webhook-configuration.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { SizesAtCreation } from '../../../ports/cluster/sizes-at-creation.ts';
import type { MachineTimer } from '../../../ports/clock.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Metrics } from '../../../ports/metrics.ts';
import { parseListenAddress } from '../../../runtime/listen-address.ts';
import type { Settings } from '../../../runtime/options/settings-schema.ts';

/** Interval at which certificate and registration are checked; a certificate is renewed a month before it expires. */
const CHECK_INTERVAL_MS: DurationMs = 20 * SECOND_MS;
/** Interval before the first certificate, and after a failure. */
const RETRY_MS: DurationMs = 2 * SECOND_MS;
const SERVICE_PORT = 443;

export interface AdmissionDependencies {
  readonly settings: Settings;
  readonly transport: ApiTransport;
  /** Sends only while this replica leads. */
  readonly leaderTransport: ApiTransport;
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
  #registered = '';
  #removed = false;
  #problem: string | null = 'no certificate yet';
  #running: Promise<void> = Promise.resolve();

  constructor(dependencies: AdmissionDependencies) {
    this.#dependencies = dependencies;
    const { settings, transport, namespace } = dependencies;
    const createsCertificate = settings['controller.admission.enabled'] && settings['controller.admission.certFile'] === '';
    this.#secret = createsCertificate
      ? new CertificateSecret({ transport, namespace, names: namesOf(settings, namespace), now: () => Date.now() })
      : null;
  }

  /** Starts in the background: the API server creates pods without the webhook until it is registered. */
  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('admission is stopping'));
    await this.#running;
    await this.#server?.close();
  }

  /** null where admission is disabled. */
  status(): { readonly ok: boolean; readonly message: string } | null {
    const { settings } = this.#dependencies;
    if (!settings['controller.admission.enabled']) return null;
    if (settings['controller.dryRun']) return { ok: true, message: 'dry run: not registered with the API server' };
    return { ok: this.#problem === null, message: this.#problem ?? `serving on port ${this.#server?.port ?? 0}` };
  }

  get port(): number | null {
    return this.#server?.port ?? null;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const waitMs = await this.#tryUpdate();
      if (waitMs === null) return;
      await this.#pause(waitMs);
    }
  }

  /** @returns the time until the next check; null where none is needed */
  async #tryUpdate(): Promise<DurationMs | null> {
    const { settings, logger } = this.#dependencies;
    // A dry run does not register the webhook, because it changes nothing in the cluster.
    const enabled = settings['controller.admission.enabled'] && !settings['controller.dryRun'];
    try {
      if (enabled) return await this.#update();
      return (await this.#unregister()) ? null : RETRY_MS;
    } catch (err) {
      const message = err instanceof Error ? err.message : String(err);
      if (!this.#stop.signal.aborted && message !== this.#problem) logger.warn('Updating the admission webhook failed; retrying', { err });
      this.#problem = message;
      return enabled ? RETRY_MS : CHECK_INTERVAL_MS;
    }
  }

  async #update(): Promise<DurationMs> {
    const { isLeader, leaderTransport, logger } = this.#dependencies;
    const serving = await this.#readCertificate();
    if (serving === null) return RETRY_MS;
    await this.#serve(serving);
    if (isLeader()) {
      const body = webhookConfiguration(this.#target(), serving.authorities);
      await applyWebhookConfiguration(leaderTransport, body, this.#stop.signal);
      const text = JSON.stringify(body);
      if (this.#registered !== text) logger.info('Registered admission webhook', { port: this.#server?.port ?? 0 });
      this.#registered = text;
    }
    this.#problem = null;
    return CHECK_INTERVAL_MS;
  }

  async #readCertificate(): Promise<ServingPair | null> {
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
      logger.info('Serving admission webhook', { port: this.#server.port });
    } else if (text !== this.#served) {
      this.#server.replaceCertificate(pair);
      logger.info('Serving admission webhook with a new certificate');
    }
    this.#served = text;
  }

  /** Removes the registration of an earlier run, once, by the leader, where admission is disabled. */
  async #unregister(): Promise<boolean> {
    const { isLeader, leaderTransport, logger } = this.#dependencies;
    if (this.#removed || !isLeader()) return this.#removed;
    if (await removeWebhookConfiguration(leaderTransport, this.#stop.signal))
      logger.info('Removed admission webhook, because admission is disabled');
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

/** DNS names of the webhook for its certificate: those of the Service, or the host of its URL. */
function namesOf(settings: Settings, namespace: string): readonly string[] {
  const url = settings['controller.admission.url'];
  const service = settings['controller.admission.service'];
  return url === ''
    ? [`${service}.${namespace}.svc`, `${service}.${namespace}.svc.cluster.local`]
    : [new URL(url).hostname.replace(/^\[|\]$/g, '')];
}
