// Runs a binary from its command line to its exit code: settings, logger, metrics, cluster, start and stop.

import process from 'node:process';
import { LineLimit } from '../../runtime/logs/line-limit.ts';
import { createLogger, type LogLevel } from '../../runtime/logging.ts';
import { PrometheusMetrics } from '../../runtime/metrics.ts';
import { shownSettings } from '../../runtime/options/load-settings.ts';
import { flagName, type Setting, type SettingsOf, type SettingsSchema, type SettingTable } from '../../runtime/options/setting.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import { evenkeelVersion } from '../version.ts';
import { readSettingArguments, readSettings } from './read-settings.ts';

/** Invalid arguments or settings, which a restart does not solve. */
const EXIT_INVALID_SETTINGS = 2;

/** Common dependencies of the components of a process. */
export interface ProcessDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: PrometheusMetrics;
}

/** A program with settings that connects to a cluster and runs until it is stopped. */
export interface Binary<T extends SettingTable, Environment extends { close(): Promise<void> }> {
  readonly name: string;
  readonly schema: SettingsSchema<T>;
  logLevel(settings: SettingsOf<T>): LogLevel;
  /**
   * Connects to the cluster.
   * @throws where it cannot be reached, or with the signal's reason where it aborts first
   */
  reach(settings: SettingsOf<T>, dependencies: ProcessDependencies, signal: AbortSignal): Promise<Environment>;
  /**
   * Resolves once all components run.
   * @throws where a component cannot start, after all others were stopped
   */
  start(
    settings: SettingsOf<T>,
    reached: Environment,
    dependencies: ProcessDependencies,
    signal: AbortSignal,
  ): Promise<{ stop(): Promise<void> }>;
}

/** Inputs and outputs of a program. */
export interface ProcessStreams {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  /** Problems of settings, then the log. */
  readonly stderr: NodeJS.WritableStream;
  /** Aborts to stop the program. */
  readonly stop: AbortSignal;
}

/** Runs a binary as this process, which exits with 0 after a stop, 1 after a failed start, 2 for invalid arguments or settings. */
export async function runAsProcess<T extends SettingTable, Environment extends { close(): Promise<void> }>(
  binary: Binary<T, Environment>,
): Promise<never> {
  const { argv, env: environment, stdout, stderr } = process;
  process.exitCode = await runBinary(binary, { args: argv.slice(2), environment, stdout, stderr, stop: stopSignal() });
  // Without this, an idle connection would keep the stopped process alive.
  process.exit();
}

/** Resolves with the exit code. */
export async function runBinary<T extends SettingTable, Environment extends { close(): Promise<void> }>(
  binary: Binary<T, Environment>,
  streams: ProcessStreams,
): Promise<number> {
  const { name, schema } = binary;
  const args = readSettingArguments(schema, streams.args);
  if (args.help) {
    streams.stdout.write(`${helpText(name, schema)}\n`);
    return 0;
  }
  if (args.version) {
    streams.stdout.write(`${evenkeelVersion()}\n`);
    return 0;
  }
  const loaded = readSettings(schema, args, streams.environment);
  if (!loaded.ok) {
    streams.stderr.write(`${name}: ${loaded.message}\n`);
    return EXIT_INVALID_SETTINGS;
  }
  const { settings, sources, warnings } = loaded;
  // A timer that does not keep the process running: the lines of the last minute are reported at its end.
  const limit = new LineLimit({ later: (afterMs, task) => void setTimeout(task, afterMs).unref() });
  const logger = createLogger({ level: binary.logLevel(settings), stream: streams.stderr, limit });
  const shown = shownSettings(schema, settings, (path) => sources.get(path) !== 'default');
  logger.info('Settings that were set; all others have their defaults', { settings: shown });
  for (const warning of warnings) logger.warn('Setting has no effect', { warning });
  const onUncaught = (err: Error): void => {
    logger.error('Uncaught exception; exiting', { err });
    limit.flush();
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  try {
    return await runUntilStopped(binary, settings, logger, streams.stop);
  } finally {
    process.off('uncaughtException', onUncaught);
    limit.flush();
  }
}

async function runUntilStopped<T extends SettingTable, Environment extends { close(): Promise<void> }>(
  binary: Binary<T, Environment>,
  settings: SettingsOf<T>,
  logger: Logger,
  stop: AbortSignal,
): Promise<number> {
  const stopping = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
  });
  const dependencies: ProcessDependencies = { timer: new SystemTimer(), logger, metrics: new PrometheusMetrics() };
  let reached: Environment | undefined;
  try {
    reached = await binary.reach(settings, dependencies, stop);
    const running = await binary.start(settings, reached, dependencies, stop);
    await stopping;
    logger.info('Stopping');
    await running.stop();
    logger.info('Stopped');
    return 0;
  } catch (err) {
    if (stop.aborted) {
      logger.info('Stopped during the start');
      return 0;
    }
    logger.error('Start failed; exiting', { err });
    return 1;
  } finally {
    await reached?.close();
  }
}

/** Aborts at the first SIGTERM or SIGINT; a second one exits at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort(new Error(`${signal} was received`));
    });
  }
  return stop.signal;
}

function helpText(name: string, schema: SettingsSchema): string {
  const settings = Object.entries<Setting>(schema.settings).map(([path, { help, default: fallback }]) => {
    return `  ${`--${flagName(path)}`.padEnd(38)}${help} (${JSON.stringify(fallback)})`;
  });
  return [
    `${name} [--config FILE] [--config-compat] [--SETTING VALUE …]`,
    '',
    '  --config FILE                         YAML file with settings',
    '  --config-compat                       warn about unknown settings instead of exiting',
    '  --version                             print the version',
    '',
    'Settings (default), also as EVENKEEL_… in the environment and in the file:',
    ...settings,
  ].join('\n');
}
