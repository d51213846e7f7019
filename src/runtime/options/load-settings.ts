import { masked } from './masked.ts';
import { findNearest } from '../../core/model/names/find-nearest.ts';
import { describeProblems, type Problem } from './problem.ts';
import { readValue, type ValuePath } from './read-value.ts';
import { environmentName, flagName, type Setting, type SettingsOf, type SettingsSchema, type SettingTable } from './setting.ts';
import { readSettingsFile, type SettingsFile } from './settings-file.ts';

/** The contents of the sources: the loader itself reads neither files nor the environment. */
export interface SettingSources {
  /** Text and name of the file given with `--config`, if any. */
  readonly file?: SettingsFile;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Flags without the leading dashes, in order; a flag without value is `true`. */
  readonly flags: readonly { readonly name: string; readonly value: string | true }[];
  /** Unknown keys warn instead of stopping the start. */
  readonly compat?: boolean;
}

/** The settings with the source of each value, or all problems with a message that lists them. */
export type LoadedSettings<T extends SettingTable> =
  | {
      readonly ok: true;
      readonly settings: SettingsOf<T>;
      /** Where each value comes from, by path: `default`, `file evenkeel.yaml:3`, `environment EVENKEEL_…`, `flag --…`. */
      readonly sources: ReadonlyMap<string, string>;
      readonly warnings: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly message: string };

/** Variables with this prefix that are no settings: service links, which Kubernetes sets in every pod, and variables of the chart. */
const NOT_SETTINGS =
  /^EVENKEEL_(CONTROLLER|AUTOSCALER|DASHBOARD)?_?(SERVICE_(HOST|PORT).*|PORT(_.*)?)$|^EVENKEEL_(DATA|POD_NAME|POD_NAMESPACE)$/;

/** Reads settings from the file, the environment and flags, later ones overriding earlier ones, and reports all problems at once. */
export function loadSettings<T extends SettingTable>(schema: SettingsSchema<T>, sources: SettingSources): LoadedSettings<T> {
  return new SettingsLoader(schema).load(sources);
}

/** The settings with secrets masked, for logs. @param isShown leaves out the others */
export function shownSettings<T extends SettingTable>(
  { settings: table }: SettingsSchema<T>,
  settings: SettingsOf<T>,
  isShown: (path: string) => boolean = () => true,
): Readonly<Record<string, unknown>> {
  const shown = Object.entries<Setting>(table).filter(([path]) => isShown(path));
  return Object.fromEntries(shown.map(([path, setting]) => [path, masked(setting, settings[path])]));
}

interface SourcedValue {
  readonly value: unknown;
  readonly source: string;
}

class SettingsLoader<T extends SettingTable> {
  readonly #schema: SettingsSchema<T>;
  // A Map, because a key such as `toString` in a settings file must not find inherited properties.
  readonly #table: ReadonlyMap<string, Setting>;
  readonly #values = new Map<string, SourcedValue>();
  readonly #problems: Problem[] = [];

  constructor(schema: SettingsSchema<T>) {
    this.#schema = schema;
    this.#table = new Map(Object.entries<Setting>(schema.settings));
  }

  load({ file, environment, flags, compat }: SettingSources): LoadedSettings<T> {
    const paths = [...this.#table.keys()];
    if (file !== undefined) {
      const { entries, problems } = readSettingsFile(file, paths);
      this.#problems.push(...problems);
      for (const { path, raw, source } of entries) this.#read(path, raw, source, false, (near) => near);
    }
    const byVariable = new Map(paths.map((path) => [environmentName(path), path]));
    for (const name of Object.keys(environment).sort()) {
      const raw = environment[name];
      if (!name.startsWith('EVENKEEL_') || raw === undefined || NOT_SETTINGS.test(name)) continue;
      this.#read(byVariable.get(name) ?? name, raw, () => `environment ${name}`, true, environmentName);
    }
    for (const { name, value } of flags) {
      const path = paths.find((candidate) => candidate === name || flagName(candidate) === name) ?? name;
      this.#read(
        path,
        value === true ? 'true' : value,
        () => `flag --${name}`,
        true,
        (near) => `--${flagName(near)}`,
      );
    }
    const settings = this.#withDefaults(environment['KUBERNETES_SERVICE_HOST'] !== undefined);
    this.#checkAcross(settings);
    const fatal = this.#problems.filter((problem) => !(problem.unknown === true && compat === true));
    if (fatal.length > 0) return { ok: false, problems: fatal, message: describeProblems(fatal) };
    return {
      ok: true,
      settings,
      sources: new Map(paths.map((path) => [path, this.#values.get(path)?.source ?? 'default'])),
      warnings: [...this.#ignored(), ...this.#withoutEffect()],
    };
  }

  /** @param nameOf how the source writes the path of a setting */
  #read(path: string, raw: unknown, source: (at: ValuePath) => string, fromText: boolean, nameOf: (path: string) => string): void {
    const setting = this.#table.get(path);
    if (setting === undefined) {
      const near = findNearest(path, this.#table.keys(), lettersOf);
      const message = `there is no such setting${near === undefined ? '' : `; did you mean ${nameOf(near)}?`}`;
      this.#problems.push({ path, source: source([]), given: undefined, message, unknown: true });
      return;
    }
    const { value, problems } = readValue(setting, raw, fromText);
    for (const { at, message, unknown } of problems) {
      const given = unknown === true ? undefined : valueAt(masked(setting, raw), at);
      this.#problems.push({ path: pathWithin(path, at), source: source(at), given, message, ...(unknown === true && { unknown }) });
    }
    if (problems.every(({ unknown }) => unknown === true)) this.#values.set(path, { value, source: source([]) });
  }

  /** @param inPod whether the process runs in a pod, where the kubelet sets the API server's address in the environment */
  #withDefaults(inPod: boolean): SettingsOf<T> {
    const entries = [...this.#table].map(([path, setting]) => {
      const given = this.#values.get(path);
      if (given !== undefined) return [path, given.value];
      const fallback = inPod ? setting.default : (setting.defaultOutsidePod ?? setting.default);
      const { value, problems } = readValue(setting, fallback, false);
      if (problems[0] !== undefined) throw new Error(`default of ${path} is wrong: ${problems[0].message}`);
      return [path, value];
    });
    return Object.fromEntries(entries) as SettingsOf<T>;
  }

  #checkAcross(settings: SettingsOf<T>): void {
    const report = (path: string, message: string): void => {
      const setting = this.#table.get(path);
      const given = setting === undefined ? undefined : masked(setting, settings[path]);
      this.#problems.push({ path, source: this.#values.get(path)?.source ?? 'default', given, message });
    };
    this.#schema.check?.(settings, report);
    for (const [path, setting] of this.#table) {
      if (setting.status === 'refused' && this.#isChanged(path, setting)) {
        report(path, 'is not supported by this version, and starting without it would be unsafe: leave it at its default');
      }
    }
  }

  #ignored(): readonly string[] {
    return this.#problems.map(({ path, source }) => `${path} (${source}) is not a setting of this version and is ignored`);
  }

  #withoutEffect(): readonly string[] {
    const announced = [...this.#table].filter(([path, setting]) => setting.status === 'announced' && this.#isChanged(path, setting));
    return announced.map(([path]) => `${path} (${this.#values.get(path)?.source ?? ''}) has no effect in this version`);
  }

  #isChanged(path: string, setting: Setting): boolean {
    const given = this.#values.get(path);
    return given !== undefined && JSON.stringify(readValue(setting, setting.default, false).value) !== JSON.stringify(given.value);
  }
}

/** `metaApi.instances`, `0`, `token` → `metaApi.instances[0].token`. */
function pathWithin(path: string, at: ValuePath): string {
  return at.reduce<string>((outer, name) => (typeof name === 'number' ? `${outer}[${name}]` : `${outer}.${name}`), path);
}

/** The value at a path inside a value; the outer value where that is no object, undefined where it has no such field. */
function valueAt(given: unknown, [name, ...rest]: ValuePath): unknown {
  if (name === undefined || typeof given !== 'object' || given === null) return given;
  return valueAt((given as Readonly<Record<string | number, unknown>>)[name], rest);
}

/** Equal for the path, the variable and the flag of a setting. */
function lettersOf(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^evenkeel/, '');
}
