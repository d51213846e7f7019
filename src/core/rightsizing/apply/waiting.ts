import type { AwaitingReason } from '../../../apis/conditions.ts';
import type { Instant } from '../../model/units.ts';

/** Why something waits. `until`: the earliest next try, null where that is not known. */
export interface Waiting {
  readonly reason: AwaitingReason;
  readonly message: string;
  readonly until: Instant | null;
}
