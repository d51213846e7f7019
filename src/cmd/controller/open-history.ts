import { openPostgresHistory } from '../../adapters/history/postgres-history.ts';
import { openSqliteHistory } from '../../adapters/history/sqlite-history.ts';
import type { HistoryStore } from '../../ports/history-store.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';
import type { ControllerEnvironment } from './world.ts';

const SQLITE = 'sqlite:';

/** Whether history.url names a file of this process, and no server. */
export function isStoreFile(url: string): boolean {
  return url.startsWith(SQLITE);
}

/** The store that history.url names: a file of this process alone, or a server that all replicas share. */
export function openHistory(parts: {
  readonly world: ControllerEnvironment;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Promise<HistoryStore> {
  const { world, settings, logger, metrics } = parts;
  const url = settings['history.url'];
  const bounds = { retentionMs: settings['history.retention'], maxBytes: settings['history.maxBytes'] };
  const options = { ...bounds, clock: world.clock, machine: world.timer, logger, metrics };
  if (isStoreFile(url)) return openSqliteHistory({ ...options, path: url.slice(SQLITE.length) });
  return openPostgresHistory({
    ...options,
    url,
    password: settings['history.password'],
    caFile: settings['history.caFile'],
    identity: world.identity,
    random: world.random,
  });
}
