#!/usr/bin/env node
// evenkeel-controller: reads its settings, reaches the cluster, starts every part, and stops them when asked.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { createLogger } from '../runtime/logging.ts';
import { PrometheusMetrics } from '../runtime/metrics.ts';
import { SystemTimer } from '../runtime/system-clock.ts';
import { describeProblems, type Problem } from '../runtime/options/problem.ts';
import { type LoadedSettings, loadSettings, shownSettings } from '../runtime/options/load-settings.ts';
import { flagName, type Setting } from '../runtime/options/setting.ts';
import { EVENKEEL_SETTINGS, SETTINGS, type Settings } from '../runtime/options/settings-schema.ts';
import { type BinaryArguments, readArguments } from './controller/arguments.ts';
import { startController } from './controller/controller.ts';
import { reachCluster, type ReachedCluster } from './controller/reach-cluster.ts';
import { evenkeelVersion } from './version.ts';

/** Called wrongly, or set wrongly: a restart cannot help. */
const EXIT_WRONG_SETTINGS = 2;

async function main(): Promise<number> {
  const args = readArguments(process.argv.slice(2), isSwitch);
  if (args.help) {
    process.stdout.write(`${helpText()}\n`);
    return 0;
  }
  if (args.version) {
    process.stdout.write(`${evenkeelVersion()}\n`);
    return 0;
  }
  const loaded = readSettings(args);
  if (!loaded.ok) {
    process.stderr.write(`evenkeel-controller: ${loaded.message}\n`);
    return EXIT_WRONG_SETTINGS;
  }
  return run(loaded.settings, loaded.warnings);
}

async function run(settings: Settings, warnings: readonly string[]): Promise<number> {
  const logger = createLogger({ level: settings['controller.logLevel'], stream: process.stderr });
  logger.info('Settings in force', { settings: shownSettings(EVENKEEL_SETTINGS, settings) });
  for (const warning of warnings) logger.warn('A setting deserves a look', { warning });
  process.on('uncaughtException', (err) => {
    logger.error('An error was caught by nobody; exiting so that a fresh process takes over', { err });
    process.exit(1);
  });
  const stop = stopSignal();
  const stopping = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
  const parts = { timer: new SystemTimer(), logger, metrics: new PrometheusMetrics() };
  let world: ReachedCluster | undefined;
  try {
    world = await reachCluster(settings, parts, stop);
    const controller = await startController({ ...parts, world, settings }, stop);
    await stopping;
    logger.info('Stopping');
    await controller.stop();
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

function readSettings(args: BinaryArguments): LoadedSettings<typeof SETTINGS> {
  const problems: Problem[] = args.problems.map((message) => ({ path: '(command line)', source: 'arguments', given: undefined, message }));
  let file: { readonly name: string; readonly text: string } | undefined;
  if (args.config !== null) {
    try {
      file = { name: args.config, text: readFileSync(args.config, 'utf8') };
    } catch {
      problems.push({
        path: '--config',
        source: 'flag --config',
        given: args.config,
        message: 'cannot be read: give the path of a YAML file',
      });
    }
  }
  const loaded = loadSettings(EVENKEEL_SETTINGS, {
    ...(file === undefined ? {} : { file }),
    environment: process.env,
    flags: args.flags,
    compat: args.configCompat,
  });
  if (problems.length === 0) return loaded;
  const all = loaded.ok ? problems : [...problems, ...loaded.problems];
  return { ok: false, problems: all, message: describeProblems(all) };
}

function isSwitch(name: string): boolean {
  if (['config-compat', 'help', 'version'].includes(name)) return true;
  return Object.entries<Setting>(SETTINGS).some(([path, { type }]) => type === 'boolean' && (path === name || flagName(path) === name));
}

function helpText(): string {
  const settings = Object.entries<Setting>(SETTINGS).map(([path, { help, default: fallback }]) => {
    return `  ${`--${flagName(path)}`.padEnd(38)}${help} (${JSON.stringify(fallback)})`;
  });
  return [
    'evenkeel-controller [--config FILE] [--config-compat] [--SETTING VALUE …]',
    '',
    '  --config FILE                         YAML file with settings',
    '  --config-compat                       unknown settings only warn',
    '  --version                             print the version',
    '',
    'Settings (default), also as EVENKEEL_… in the environment and in the file:',
    ...settings,
  ].join('\n');
}

process.exitCode = await main();
// Whatever still holds the process (an idle connection) must not outlive a stop that was asked for.
process.exit();
