import { readSettingArguments, readSettings } from '../../cmd/process/read-settings.ts';
import { masked } from '../../runtime/options/masked.ts';
import type { LoadedSettings } from '../../runtime/options/load-settings.ts';
import type { Setting, SettingsSchema, SettingTable, ValueSchema } from '../../runtime/options/setting.ts';
import { EVENKEEL_SETTINGS } from '../../runtime/options/settings-schema.ts';
import type { Command, Terminal } from '../command.ts';
import { formatDuration } from '../../core/model/duration.ts';

const EXIT = { done: 0, wrong: 2 } as const;

/** `evenkeel config`: checks and prints settings before a controller is started with them. */
export const configCommand: Command = {
  name: 'config',
  summary: 'check settings, or print the effective ones with their sources',
  help: [
    'evenkeel config check [--config FILE] [--config-compat] [--SETTING VALUE …]',
    'evenkeel config print [--config FILE] [--config-compat] [--SETTING VALUE …]',
    '',
    'Reads settings like evenkeel-controller: the file, then EVENKEEL_… environment variables, then flags. Later sources override.',
    'check prints every problem with its path, its source, the value given and what is allowed. print writes a settings file with',
    'the effective values, secrets masked, and the source of each: default, file, environment or flag. No cluster is contacted.',
    '',
    '  --config FILE               YAML file with settings',
    '  --config-compat             warn about unknown settings instead of failing',
    '  --SETTING VALUE             any setting by its path, as in docs/settings.md',
    '',
    'Exit code: 0 the settings are valid, 2 they are invalid, or a usage error.',
  ].join('\n'),
  run: (args, terminal) => Promise.resolve(runConfig(EVENKEEL_SETTINGS, args, terminal)),
};

/** Runs `check` or `print`. Returns the exit code. */
export function runConfig<T extends SettingTable>(schema: SettingsSchema<T>, args: readonly string[], terminal: Terminal): number {
  const [action, ...rest] = args;
  if (action !== 'check' && action !== 'print') {
    const wrong = action === undefined ? 'no action given' : `unknown action "${action}"`;
    terminal.err(`evenkeel config: ${wrong}: evenkeel config check, or evenkeel config print`);
    return EXIT.wrong;
  }
  const given = readSettingArguments(schema, rest);
  const problems = given.version ? [...given.problems, '--version: no such option of this command'] : given.problems;
  const loaded = readSettings(schema, { ...given, problems }, terminal.environment);
  if (!loaded.ok) {
    terminal.err(`evenkeel config: ${loaded.message}`);
    return EXIT.wrong;
  }
  for (const warning of loaded.warnings) terminal.err(`evenkeel config: warning: ${warning}`);
  if (action === 'check') terminal.out('evenkeel config: the settings are valid');
  else for (const line of linesInForce(schema, loaded)) terminal.out(line);
  return EXIT.done;
}

/** One line per setting by its dotted path: YAML that `--config` accepts, except for masked secrets. */
function linesInForce<T extends SettingTable>(
  { settings: table }: SettingsSchema<T>,
  { settings, sources }: Extract<LoadedSettings<T>, { readonly ok: true }>,
): readonly string[] {
  return Object.entries<Setting>(table).map(([path, setting]) => {
    const value = JSON.stringify(masked(setting, writtenValue(setting, settings[path])));
    return `${path}: ${value} # ${sources.get(path) ?? 'default'}`;
  });
}

/** A parsed value in the form of a settings file: durations with units. */
function writtenValue(schema: ValueSchema, value: unknown): unknown {
  switch (schema.type) {
    case 'duration':
      return typeof value === 'number' ? formatDuration(value) : value;
    case 'list':
      return Array.isArray(value) ? value.map((item) => writtenValue(schema.items, item)) : value;
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.fields).map(([name, field]) => [name, writtenValue(field, (value as Record<string, unknown>)[name])]),
      );
    case 'string':
    case 'boolean':
    case 'integer':
    case 'number':
    case 'address':
      return value;
  }
}
