import { isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { describeProblems, type Problem } from './problem.ts';
import { readValue } from './read-value.ts';
import { environmentName, flagName, type Setting, SETTINGS, type SettingPath, type Settings } from './settings-schema.ts';

/** Where settings come from, already read: the loader itself touches no file and no environment. */
export interface SettingSources {
  /** Text and name of the file given with `--config`, if any. */
  readonly file?: { readonly name: string; readonly text: string };
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Flags without the leading dashes, in order; a flag without value is `true`. */
  readonly flags: readonly { readonly name: string; readonly value: string | true }[];
  /** Unknown keys warn instead of stopping the start. */
  readonly compat?: boolean;
}

export type LoadedSettings =
  | { readonly ok: true; readonly settings: Settings; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly problems: readonly Problem[]; readonly message: string };

// A Map, because a key such as `toString` in somebody's file must not find what objects inherit.
const TABLE: ReadonlyMap<string, Setting> = new Map(Object.entries(SETTINGS));
const PATHS = Object.keys(SETTINGS) as readonly SettingPath[];

/** Variables of this prefix that are not settings but are set around every pod (service links) or by us. */
const NOT_SETTINGS =
  /^EVENKEEL_(CONTROLLER|AUTOSCALER|DASHBOARD)?_?(SERVICE_(HOST|PORT).*|PORT(_.*)?)$|^EVENKEEL_(DATA|POD_NAME|POD_NAMESPACE)$/;

/** File, then environment, then flags, the later winning; every problem is reported at once. */
export function loadSettings(sources: SettingSources): LoadedSettings {
  const values = new Map<string, { readonly value: unknown; readonly source: string }>();
  const problems: Problem[] = [];
  const take = (path: string, raw: unknown, source: string, fromText: boolean): void => {
    const setting = TABLE.get(path);
    if (setting === undefined) {
      problems.push({ path, source, given: undefined, message: unknownMessage(path), unknown: true });
      return;
    }
    const read = readValue(setting, raw, fromText);
    if (read.ok) values.set(path, { value: read.value, source });
    else problems.push({ path, source, given: withoutSecret(path, raw), message: read.message });
  };
  if (sources.file !== undefined) readFile(sources.file, take, problems);
  readEnvironment(sources.environment, take);
  for (const { name, value } of sources.flags) {
    take(pathOfFlag(name), value === true ? 'true' : value, `flag --${name}`, true);
  }
  const settings = withDefaults(values, sources.environment['KUBERNETES_SERVICE_HOST'] !== undefined);
  problems.push(...acrossSettings(settings, values));
  const fatal = problems.filter((problem) => !(problem.unknown === true && sources.compat === true));
  if (fatal.length > 0) return { ok: false, problems: fatal, message: describeProblems(fatal) };
  const ignored = problems.map(({ path, source }) => `${path} (${source}) is not a setting of this version and is ignored`);
  return { ok: true, settings, warnings: [...ignored, ...withoutEffect(values)] };
}

type Take = (path: string, raw: unknown, source: string, fromText: boolean) => void;

function readFile(file: { readonly name: string; readonly text: string }, take: Take, problems: Problem[]): void {
  const lines = new LineCounter();
  const document = parseDocument(file.text, { lineCounter: lines });
  const at = (offset: number | undefined): string => `file ${file.name}${offset === undefined ? '' : `:${lines.linePos(offset).line}`}`;
  for (const error of document.errors) {
    problems.push({
      path: '(file)',
      source: at(error.pos[0]),
      given: undefined,
      message: `is not YAML: ${error.message.split('\n')[0] ?? ''}`,
    });
  }
  if (document.errors.length > 0 || document.contents === null) return;
  if (!isMap(document.contents)) {
    problems.push({
      path: '(file)',
      source: at(0),
      given: undefined,
      message: 'must hold settings by name, such as controller: { dryRun: true }',
    });
    return;
  }
  walk(document.contents, '', (path, raw, offset) => take(path, raw, at(offset), false));
}

// Both `controller: { dryRun: true }` and `controller.dryRun: true` are understood.
function walk(map: YAMLMap, prefix: string, leaf: (path: string, raw: unknown, offset: number | undefined) => void): void {
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (isMap(value) && TABLE.get(path) === undefined && isGroup(path)) walk(value, path, leaf);
    else leaf(path, toPlain(value), isScalar(key) ? key.range?.[0] : undefined);
  }
}

function isGroup(path: string): boolean {
  return PATHS.some((known) => known.startsWith(`${path}.`));
}

function toPlain(value: unknown): unknown {
  return isNode(value) ? (value.toJSON() as unknown) : value;
}

function readEnvironment(environment: SettingSources['environment'], take: Take): void {
  const byName = new Map(PATHS.map((path) => [environmentName(path), path]));
  for (const name of Object.keys(environment).sort()) {
    const raw = environment[name];
    if (!name.startsWith('EVENKEEL_') || raw === undefined || NOT_SETTINGS.test(name)) continue;
    take(byName.get(name) ?? name, raw, `environment ${name}`, true);
  }
}

function pathOfFlag(name: string): string {
  return PATHS.find((path) => path === name || flagName(path) === name) ?? name;
}

/** @param inPod the kubelet sets the API server's address in the environment of every pod */
function withDefaults(values: ReadonlyMap<string, { readonly value: unknown }>, inPod: boolean): Settings {
  const entries = PATHS.map((path) => {
    const given = values.get(path);
    if (given !== undefined) return [path, given.value];
    const setting: Setting = SETTINGS[path];
    const read = readValue(setting, inPod ? setting.default : (setting.defaultOutsidePod ?? setting.default), false);
    if (!read.ok) throw new Error(`default of ${path} is wrong: ${read.message}`);
    return [path, read.value];
  });
  return Object.fromEntries(entries) as Settings;
}

function acrossSettings(settings: Settings, values: ReadonlyMap<string, { readonly source: string }>): Problem[] {
  const problems: Problem[] = [];
  const add = (path: SettingPath, message: string): void => {
    problems.push({ path, source: values.get(path)?.source ?? 'default', given: withoutSecret(path, settings[path]), message });
  };
  if (settings['autoscaler.scaleDownThreshold'] >= settings['autoscaler.scaleUpThreshold']) {
    add('autoscaler.scaleDownThreshold', `must be below autoscaler.scaleUpThreshold, which is ${settings['autoscaler.scaleUpThreshold']}`);
  }
  if (settings['autoscaler.minNodes'] > settings['autoscaler.maxNodes']) {
    add('autoscaler.minNodes', `must be at most autoscaler.maxNodes, which is ${settings['autoscaler.maxNodes']}`);
  }
  if (!/^(sqlite:.|postgres(ql)?:\/\/)/.test(settings['history.url'])) {
    add('history.url', 'must be sqlite:PATH, sqlite::memory: or postgres://USER@HOST:5432/DATABASE');
  }
  for (const path of PATHS) {
    if (TABLE.get(path)?.status === 'refused' && values.has(path) && !isDefault(path, settings[path])) {
      add(path, 'this version does not have it yet, and going on without it would be unsafe: leave it at its default');
    }
  }
  return problems;
}

/** Settings as they may be logged. */
export function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(settings).map(([path, value]) => [path, withoutSecret(path, value)]));
}

/** What is secret is replaced, and so is a password inside of an address. */
function withoutSecret(path: string, value: unknown): unknown {
  if (TABLE.get(path)?.secret === true) return value === '' ? '' : '***';
  return typeof value === 'string' ? value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^:@/?#]*):.*@/i, '$1:***@') : value;
}

function withoutEffect(values: ReadonlyMap<string, { readonly value: unknown; readonly source: string }>): string[] {
  const announced = [...values].filter(([path, { value }]) => TABLE.get(path)?.status === 'announced' && !isDefault(path, value));
  return announced.map(([path, { source }]) => `${path} (${source}) has no effect in this version`);
}

function isDefault(path: string, value: unknown): boolean {
  const setting = TABLE.get(path);
  if (setting === undefined) return false;
  const read = readValue(setting, setting.default, false);
  return read.ok && JSON.stringify(read.value) === JSON.stringify(value);
}

function unknownMessage(path: string): string {
  const near = nearest(path);
  return `there is no such setting${near === undefined ? '' : `; did you mean ${near}?`}`;
}

function nearest(path: string): SettingPath | undefined {
  const plain = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z]/g, '')
      .replace(/^evenkeel/, '');
  const wanted = plain(path);
  const scored = PATHS.map((known) => ({ known, distance: editDistance(wanted, plain(known)) }));
  const best = scored.reduce((a, b) => (b.distance < a.distance ? b : a));
  return best.distance <= Math.max(2, wanted.length * 0.25) ? best.known : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
