import type { Instant } from '#kube/units';
import type { ContainerAdvice, RecommenderRules } from './advice.ts';
import { adviseFromKills } from './memory/memory-advice.ts';
import { minRequestAfterKills, type OomLog } from './memory/oom-log.ts';

/** Advice from kills alone: the container was killed before its usage was measured. @param dropped number of dropped samples */
export function adviseUnmeasured(container: string, ooms: OomLog, dropped: number, now: Instant, rules: RecommenderRules): ContainerAdvice {
  const zero = { cpuMillicores: 0, memoryBytes: 0 };
  const oom = ooms.advise(now, rules.oom, () => NaN);
  const minMemoryByKills = minRequestAfterKills(oom);
  return {
    container,
    cpu: null,
    memory: adviseFromKills({ rules: rules.memory, minMemoryByKills, openPeak: NaN }),
    usage: { p50: zero, p95: zero, p99: zero, max: zero },
    memoryEvidence: null,
    oomKills: ooms.countSince(now - rules.historyWindowMs),
    lastOomAt: ooms.lastAt,
    oom,
    leakSuspected: false,
    throttledRatio: null,
    cpuPressureRatio: null,
    cpuHigh: null,
    samples: 0,
    droppedSamples: dropped,
    firstSampleAt: now,
    lastSampleAt: now,
    coverage: 0,
    enoughHistory: false,
    confidence: 0,
    confidenceText: 'no usage measured yet',
  };
}
