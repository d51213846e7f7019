// The definition of a setting: the schema of its value, its default and its help. The loader, the error messages, docs/settings.md and the
// chart's schema are derived from it.

/** A single value. */
export interface ScalarSchema {
  /** A duration is written as `1h30m` and read as milliseconds. */
  readonly type: 'string' | 'boolean' | 'integer' | 'number' | 'duration' | 'address';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** A lower bound that is excluded. */
  readonly exclusiveMinimum?: number;
  /** Minimum of a duration, in the duration format. */
  readonly shortest?: string;
  /** Maximum of a duration, in the duration format. */
  readonly longest?: string;
  /** A pattern of a string, and its description after "must be ". */
  readonly pattern?: { readonly regex: string; readonly form: string };
  /** Never logged and never repeated in an error. */
  readonly secret?: boolean;
}

interface ListSchema {
  readonly type: 'list';
  readonly items: ValueSchema;
  readonly secret?: boolean;
}

interface ObjectSchema {
  readonly type: 'object';
  /** By name. A field without a default is required. */
  readonly fields: Readonly<Record<string, FieldSchema>>;
  readonly secret?: boolean;
}

/** Type and bounds of a setting, of an item of a list, or of a field of an object. */
export type ValueSchema = ScalarSchema | ListSchema | ObjectSchema;

/** A value in a settings file. */
type FileValue = string | boolean | number | readonly unknown[] | Readonly<Record<string, unknown>>;

export type FieldSchema = ValueSchema & { readonly help: string; readonly default?: FileValue };

export type Setting = ValueSchema & {
  readonly default: FileValue;
  /** Default outside a pod; absent where it is the same. */
  readonly defaultOutsidePod?: string;
  readonly help: string;
  /**
   * `announced`: read and validated, but without effect in this version; a value other than the default logs a warning at start.
   * `refused`: a value other than the default stops the start, because starting without the feature would be unsafe.
   */
  readonly status?: 'announced' | 'refused';
};

/** Settings by dotted path, in the order of docs/settings.md. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** The type of a value after reading. */
type ValueOf<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly type: 'boolean' }
    ? boolean
    : S extends { readonly type: 'integer' | 'number' | 'duration' }
      ? number
      : S extends { readonly type: 'list'; readonly items: infer I }
        ? readonly ValueOf<I>[]
        : S extends { readonly type: 'object'; readonly fields: infer F }
          ? { readonly [Name in keyof F]: ValueOf<F[Name]> }
          : string;

/** The values of a table of settings, by path. */
export type SettingsOf<T extends SettingTable> = { readonly [Path in keyof T]: ValueOf<T[Path]> };

/** All settings of a program, and the checks across them. */
export interface SettingsSchema<T extends SettingTable = SettingTable> {
  readonly settings: T;
  /** Reports problems that involve several settings. */
  check?(settings: SettingsOf<T>, report: (path: keyof T & string, message: string) => void): void;
}

/** `controller.dryRun` → `EVENKEEL_CONTROLLER_DRY_RUN`. */
export function environmentName(path: string): string {
  return `EVENKEEL_${path
    .replaceAll('.', '_')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`;
}

/** `controller.dryRun` → `controller.dry-run`, to be written after `--`. */
export function flagName(path: string): string {
  return path.replaceAll(/([a-z])([A-Z])/g, '$1-$2').toLowerCase();
}
