// A binary from its command line to its exit code: settings, logger, metrics, the cluster, its parts, and their stop.

import process from 'node:process';
import { createLogger, type LogLevel } from '../../runtime/logging.ts';
import { PrometheusMetrics } from '../../runtime/metrics.ts';
import { shownSettings } from '../../runtime/options/load-settings.ts';
import { flagName, type Setting, type SettingsOf, type SettingsSchema, type SettingTable } from '../../runtime/options/setting.ts';
import { SystemTimer } from '../../runtime/system-clock.ts';
import type { Logger } from '../../ports/logger.ts';
import type { MachineTimer } from '../../ports/clock.ts';
import { evenkeelVersion } from '../version.ts';
import { readSettingArguments, readSettings } from './read-settings.ts';

/** Wrong arguments or settings: a restart cannot help. */
const EXIT_WRONG_SETTINGS = 2;

/** What every part of a process is given. */
export interface ProcessDependencies {
  readonly timer: MachineTimer;
  readonly logger: Logger;
  readonly metrics: PrometheusMetrics;
}

/** A program that is started with settings, stands on a cluster, and runs until it is stopped. */
export interface Binary<T extends SettingTable, Environment extends { close(): Promise<void> }> {
  readonly name: string;
  readonly schema: SettingsSchema<T>;
  logLevel(settings: SettingsOf<T>): LogLevel;
  /** Throws with what is missing, or with the signal's reason when it aborts first. */
  reach(settings: SettingsOf<T>, dependencies: ProcessDependencies, signal: AbortSignal): Promise<Environment>;
  /** Resolves when everything is up. Throws with what could not start; nothing is left running then. */
  start(
    settings: SettingsOf<T>,
    world: Environment,
    dependencies: ProcessDependencies,
    signal: AbortSignal,
  ): Promise<{ stop(): Promise<void> }>;
}

/** Where a program reads and writes. */
export interface ProcessStreams {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  /** Problems, then the log. */
  readonly stderr: NodeJS.WritableStream;
  /** Aborts when the program is to stop. */
  readonly stop: AbortSignal;
}

/** Runs it in this process, which ends with it: 0 stopped, 1 could not start, 2 called or set wrongly. */
export async function runAsProcess<T extends SettingTable, Environment extends { close(): Promise<void> }>(
  binary: Binary<T, Environment>,
): Promise<never> {
  const { argv, env: environment, stdout, stderr } = process;
  process.exitCode = await runBinary(binary, { args: argv.slice(2), environment, stdout, stderr, stop: stopSignal() });
  // Whatever still holds the process (an idle connection) must not outlive a stop that was asked for.
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
    return EXIT_WRONG_SETTINGS;
  }
  const { settings, warnings } = loaded;
  const logger = createLogger({ level: binary.logLevel(settings), stream: streams.stderr });
  logger.info('Settings in force', { settings: shownSettings(schema, settings) });
  for (const warning of warnings) logger.warn('A setting deserves a look', { warning });
  const onUncaught = (err: Error): void => {
    logger.error('Uncaught exception; exiting', { err });
    process.exit(1);
  };
  process.on('uncaughtException', onUncaught);
  try {
    return await runUntilStopped(binary, settings, logger, streams.stop);
  } finally {
    process.off('uncaughtException', onUncaught);
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
  let world: Environment | undefined;
  try {
    world = await binary.reach(settings, dependencies, stop);
    const running = await binary.start(settings, world, dependencies, stop);
    await stopping;
    logger.info('Stopping');
    await running.stop();
    logger.info('Stopped');
    return 0;
  } catch (err) {
    if (stop.aborted) {
      logger.info('Stopped before everything was up');
      return 0;
    }
    logger.error('Evenkeel could not start', { err });
    return 1;
  } finally {
    await world?.close();
  }
}

/** Aborts at the first SIGTERM or SIGINT; a second one ends the process at once. */
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
    '  --config-compat                       unknown settings only warn',
    '  --version                             print the version',
    '',
    'Settings (default), also as EVENKEEL_… in the environment and in the file:',
    ...settings,
  ].join('\n');
}
