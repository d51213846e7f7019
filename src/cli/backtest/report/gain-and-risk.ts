import { type Resource } from '../../../core/backtest/time-grid.ts';
import { RESOURCE_TITLES } from './columns.ts';
import type { OverallTotals } from './summary.ts';

const percent = (share: number, digits = 0) => `${(share * 100).toFixed(digits)} %`;

/** Compares savings and risk of Evenkeel with VPA and its updater, in one sentence. */
export function gainAndRisk(resource: Resource, { methods }: Pick<OverallTotals, 'methods'>): string {
  const { evenkeel, vpa, vpaInPlace } = methods;
  const change = vpa.slack > 0 ? evenkeel.slack / vpa.slack - 1 : 0;
  const gain = `${percent(Math.abs(change))} ${change <= 0 ? 'less' : 'more'} of the requests would be unused than with VPA and its updater`;
  const digits = resource === 'memory' ? 3 : 2;
  const over = `usage would be above the request ${percent(evenkeel.overrun, digits)} of the time instead of ${percent(vpa.overrun, digits)}`;
  const refused = `where full nodes refuse increases for 90 minutes a day, ${percent(evenkeel.refusedOverrun, digits)} (VPA in place: ${percent(vpaInPlace.refusedOverrun, digits)})`;
  return `${RESOURCE_TITLES[resource]}: ${gain}, and ${over}; ${refused}.`;
}
