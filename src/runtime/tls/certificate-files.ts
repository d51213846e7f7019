import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { isoTime } from '#kube/time/iso-time';
import { SECOND_MS, type DurationMs, type Instant } from '#kube/units';
import type { MachineTimer } from '../../ports/clock.ts';
import { ConfigurationError } from '../../ports/configuration-error.ts';
import type { Logger } from '../../ports/logger.ts';

/** Interval of reading the files. They are read, not watched: a mounted Secret is replaced by a symbolic link of its directory. */
export const CHECK_EVERY_MS: DurationMs = 10 * SECOND_MS;
/** Protocol versions of every server with TLS. */
export const MIN_TLS_VERSION = 'TLSv1.2';

export interface CertificateFilesDependencies {
  /** Prefix of the settings `certFile` and `keyFile`, for messages. */
  readonly setting: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly timer: MachineTimer;
  readonly logger: Logger;
  /** Real time, by which certificates expire. */
  readonly now: () => Instant;
}

/** A certificate with its chain, and its key, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate and its key in two files, read again while in use. Files that do not fit together leave the earlier pair in use. */
export class CertificateFiles {
  readonly #dependencies: CertificateFilesDependencies;
  #pair: CertificatePair;
  #problem: string | null = null;
  #cancel: () => void = () => undefined;

  private constructor(dependencies: CertificateFilesDependencies, pair: CertificatePair) {
    this.#dependencies = dependencies;
    this.#pair = pair;
  }

  /** Reads the files. @throws ConfigurationError where they are not a certificate and its key */
  static async open(dependencies: CertificateFilesDependencies): Promise<CertificateFiles> {
    const pair = await readPair(dependencies).catch((err: unknown) => {
      throw new ConfigurationError(textOf(err), { cause: err });
    });
    return new CertificateFiles(dependencies, pair);
  }

  /** The pair in use. */
  get pair(): CertificatePair {
    return this.#pair;
  }

  status(): { readonly status: 'ok' | 'degraded'; readonly message: string } {
    const { setting, now } = this.#dependencies;
    const expiresAt = Date.parse(new X509Certificate(this.#pair.cert).validTo);
    const until = `the certificate in use expires at ${isoTime(expiresAt)}`;
    if (this.#problem !== null) return { status: 'degraded', message: `${this.#problem}; ${until}` };
    if (expiresAt <= now()) return { status: 'degraded', message: `the certificate has expired: renew the files of ${setting}` };
    return { status: 'ok', message: until };
  }

  /** Reads the files at intervals until the returned function is called. @param replace called with each further pair */
  watch(replace: (pair: CertificatePair) => void): () => void {
    let isWatching = true;
    const checkLater = (): void => {
      if (!isWatching) return;
      this.#cancel = this.#dependencies.timer.setTimer(CHECK_EVERY_MS, () => void this.check(replace).then(checkLater));
    };
    checkLater();
    return () => {
      isWatching = false;
      this.#cancel();
    };
  }

  /** Reads the files now. Never rejects: a failure is logged once, and kept for health. */
  async check(replace: (pair: CertificatePair) => void): Promise<void> {
    const { setting, logger } = this.#dependencies;
    try {
      const pair = await readPair(this.#dependencies);
      if (pair.cert !== this.#pair.cert || pair.key !== this.#pair.key) {
        replace(pair);
        this.#pair = pair;
        logger.info('Serving a new certificate', { setting });
      } else if (this.#problem !== null) logger.info('The files have the certificate in use again', { setting });
      this.#problem = null;
    } catch (err) {
      const problem = textOf(err);
      if (problem !== this.#problem) logger.warn('Failed to read a new certificate; the earlier one stays in use', { problem });
      this.#problem = problem;
    }
  }
}

async function readPair({ setting, certFile, keyFile }: CertificateFilesDependencies): Promise<CertificatePair> {
  const read = (name: string, path: string): Promise<string> =>
    readFile(path, 'utf8').catch((err: unknown) => {
      throw new Error(`${setting}.${name}: cannot read "${path}": ${textOf(err)}`, { cause: err });
    });
  const [cert, key] = await Promise.all([read('certFile', certFile), read('keyFile', keyFile)]);
  try {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('the key belongs to another certificate');
    createSecureContext({ cert, key, minVersion: MIN_TLS_VERSION });
  } catch (err) {
    throw new Error(`${setting}: "${certFile}" and "${keyFile}" are not a PEM certificate and its key: ${textOf(err)}`, { cause: err });
  }
  return { cert, key };
}

function textOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
