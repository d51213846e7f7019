import { readFileSync } from 'node:fs';
import { describeProblems, type Problem } from '../../runtime/options/problem.ts';
import { type LoadedSettings, loadSettings } from '../../runtime/options/load-settings.ts';
import { flagName, type SettingsSchema, type SettingTable } from '../../runtime/options/setting.ts';
import { type BinaryArguments, readArguments } from './arguments.ts';

/** Parses the command line of a program with these settings. */
export function readSettingArguments(schema: SettingsSchema, args: readonly string[]): BinaryArguments {
  const switches = new Set(['config-compat', 'help', 'version']);
  for (const [path, { type }] of Object.entries(schema.settings)) {
    if (type === 'boolean') switches.add(path).add(flagName(path));
  }
  return readArguments(args, (name) => switches.has(name));
}

/** Reads settings from the file of `--config`, the environment and flags, and reports all problems at once. */
export function readSettings<T extends SettingTable>(
  schema: SettingsSchema<T>,
  args: BinaryArguments,
  environment: Readonly<Record<string, string | undefined>>,
): LoadedSettings<T> {
  const problems: Problem[] = args.problems.map((message) => ({ path: '(command line)', source: 'arguments', given: undefined, message }));
  const file = args.config === null ? undefined : readConfigFile(args.config, problems);
  const loaded = loadSettings(schema, {
    ...(file === undefined ? {} : { file }),
    environment,
    flags: args.flags,
    compat: args.configCompat,
  });
  if (problems.length === 0) return loaded;
  const all = loaded.ok ? problems : [...problems, ...loaded.problems];
  return { ok: false, problems: all, message: describeProblems(all) };
}

function readConfigFile(path: string, problems: Problem[]): { readonly name: string; readonly text: string } | undefined {
  try {
    return { name: path, text: readFileSync(path, 'utf8') };
  } catch {
    problems.push({ path: '--config', source: 'flag --config', given: path, message: 'cannot be read: set the path of a YAML file' });
    return undefined;
  }
}
