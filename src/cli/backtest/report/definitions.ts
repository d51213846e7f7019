// Definitions of the table columns, for readers of a report.

export const DEFINITIONS: readonly string[] = [
  'slack: mean unused fraction of the request',
  'spare/used: total unused requests divided by total usage',
  'overrun: fraction of 5-minute slots with usage above the request; worst decile: its 90th percentile over workloads',
  'unserved: usage above the request as a fraction of all usage',
  'episodes/week: separate overruns; of memory, would-be OOM kills if the limit were the request (OOM/week)',
  'changes/day: changes of the request by more than 1 %',
  'cost J: unused requests plus 19 times (CPU) or 99 times (memory) the shortfall, divided by usage',
  'Evenkeel with its gates: the changes that a policy with all defaults would have applied (tolerance, cooldown, confidence, canary)',
  'VPA in place: VPA with its updater, and increases within the hour to 1.1 times the usage',
  'raises refused 90 min: the overrun if no increase took effect in the first 90 minutes of the busiest six hours of each day',
  'clairvoyant: requests with knowledge of the next day or hour; an unreachable lower bound',
];
