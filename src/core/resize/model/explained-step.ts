import type { ResourceName } from '../../model/resources.ts';

/** One step of an explanation. `value` is the running total after it, in millicores or bytes. */
export interface ExplainedStep {
  readonly resource: ResourceName;
  readonly step: string;
  readonly detail: string;
  readonly value: number;
}
