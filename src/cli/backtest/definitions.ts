// Definitions of the terms in the tables, for readers of a report without this program.

export const DEFINITIONS: readonly string[] = [
  'slack: mean share of the request that lay unused',
  'spare/used: all that lay unused over all that was used',
  'overrun: share of 5-minute slots with usage above the request; worst decile: its 90th percentile over workloads',
  'unserved: usage above the request as a share of all usage',
  'episodes/week: separate overruns; of memory, would-be OOM kills if the limit were the request (OOM/week)',
  'changes/day: moves of the request by more than 1 %',
  'cost J: spare plus 19 times (CPU) or 99 times (memory) what was missed, over what was used',
  'Evenkeel with its gates: what a policy with all defaults would have carried out (tolerance, cool-down, confidence, canary)',
  'VPA in place: VPA with its updater, and raises inside the hour to 1.1 times the usage',
  'raises refused 90 min: the overrun if no raise took effect in the first 90 minutes of the busiest six hours of each day',
  'clairvoyant: requests with knowledge of the day, or the hour, to come; no recommender can reach them',
];
