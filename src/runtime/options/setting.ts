// What a setting is: the shape and bounds of its value, its default, and what it is for. The loader, the error messages, the
// reference in docs/settings.md and the chart's schema are all made from this.

/** A single value. */
export interface ScalarSchema {
  /** A duration is written in the one duration format and read as milliseconds. */
  readonly type: 'string' | 'boolean' | 'integer' | 'number' | 'duration' | 'address';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** A lower bound that is itself not allowed. */
  readonly exclusiveMinimum?: number;
  /** Shortest duration, in the duration format. */
  readonly shortest?: string;
  /** What a string must match, and the same in words after "must be ". */
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
  /** By name. One without a default must be given. */
  readonly fields: Readonly<Record<string, FieldSchema>>;
  readonly secret?: boolean;
}

/** Shape and bounds of a value: of a setting, of an item of a list and of a field of an object alike. */
export type ValueSchema = ScalarSchema | ListSchema | ObjectSchema;

/** As it is written in a settings file. */
type Written = string | boolean | number | readonly unknown[] | Readonly<Record<string, unknown>>;

export type FieldSchema = ValueSchema & { readonly help: string; readonly default?: Written };

export type Setting = ValueSchema & {
  readonly default: Written;
  /** Default where the process runs in no pod. Left out: the same. */
  readonly defaultOutsidePod?: string;
  readonly help: string;
  /**
   * `announced`: part of the contract, read and validated, and without effect in this version; a value other than the
   * default is warned of at start. `refused`: another value than the default stops the start, since going on without it
   * would be unsafe.
   */
  readonly status?: 'announced' | 'refused';
};

/** By dotted path, in the order of the reference. */
export type SettingTable = Readonly<Record<string, Setting>>;

/** A value once it is read. */
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

/** Every setting of a program, and what must hold between them. */
export interface SettingsSchema<T extends SettingTable = SettingTable> {
  readonly settings: T;
  /** Reports what no bounds of a single setting can state. Left out: nothing. */
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
