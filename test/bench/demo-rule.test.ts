import { describe, expect, test } from '@jest/globals';
import { ONLINE_BOUTIQUE, runDemoRule } from './demo-rule.ts';
import { bitbrainsTraces, findDataFolder } from './recorded-sets.ts';

const folder = findDataFolder();
const traces = folder === null ? [] : bitbrainsTraces(folder, ONLINE_BOUTIQUE.length);
const because = traces.length === 0 ? ' (skipped: ../shared/data is absent)' : '';

describe('the demo on recorded VMs', () => {
  (traces.length === 0 ? test.skip : test)(
    `ends with a third less CPU and a quarter less memory requested, and no additional OOM kill${because}`,
    () => {
      const outcomes = ONLINE_BOUTIQUE.map((container, index) => runDemoRule(traces[index]!, container, { everySlots: 12 }));
      const sum = (pick: (outcome: (typeof outcomes)[number]) => number) => outcomes.reduce((total, outcome) => total + pick(outcome), 0);
      expect(sum((outcome) => outcome.cpuEnd)).toBeLessThan((sum((outcome) => outcome.cpuStart) * 2) / 3);
      expect(sum((outcome) => outcome.memoryEnd)).toBeLessThan(sum((outcome) => outcome.memoryStart) * 0.75);
      expect(sum((outcome) => outcome.oomKills) - sum((outcome) => outcome.oomKillsWithout)).toBeLessThanOrEqual(1);
    },
  );
});
