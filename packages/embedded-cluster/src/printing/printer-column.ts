import type { JsonPath } from './json-path.ts';

/** A column of a custom resource in `kubectl get`. */
export interface PrinterColumn {
  readonly name: string;
  /** `string`, `integer`, `number`, `boolean` or `date` (printed as an age). */
  readonly type: string;
  readonly format: string;
  readonly description: string;
  /** 0 is always shown, greater values only with `-o wide`. */
  readonly priority: number;
  readonly values: JsonPath;
}
