import { randomBytes } from 'node:crypto';
import { openPostgresHistory } from '../../../adapters/history/postgres-history.ts';
import { openSqliteHistory } from '../../../adapters/history/sqlite-history.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';
import type { HistoryStore } from '../../../ports/store/history-store.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { Metrics } from '../../../ports/metrics.ts';
import type { Settings } from '../../../runtime/options/settings-schema.ts';
import type { ControllerEnvironment } from '../controller-environment.ts';

const SQLITE = 'sqlite:';

/** Whether history.url is a file instead of a server. */
export function isStoreFile(url: string): boolean {
  return url.startsWith(SQLITE);
}

/** Opens the store of history.url: a file of this process, or a server that replicas share. */
export function openHistory(dependencies: {
  readonly environment: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly signer: RecordSigner;
}): Promise<HistoryStore> {
  const { environment, settings, logger, metrics, signer } = dependencies;
  const url = settings['history.url'];
  const bounds = {
    retentionMs: settings['history.retention'],
    accessEventRetentionMs: settings['history.accessEventRetention'],
    maxBytes: settings['history.maxBytes'],
  };
  // A restarted process begins another chain, also where its identity is fixed.
  const writer = `${environment.identity}-${randomBytes(3).toString('hex')}`;
  const options = { ...bounds, writer, signer, clock: environment.clock, machine: environment.timer, logger, metrics };
  if (isStoreFile(url)) return openSqliteHistory({ ...options, path: url.slice(SQLITE.length) });
  return openPostgresHistory({
    ...options,
    url,
    password: settings['history.password'],
    caFile: settings['history.caFile'],
    identity: environment.identity,
    random: environment.random,
  });
}
