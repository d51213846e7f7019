import { describe, expect, test } from '@jest/globals';
import { ONLINE_BOUTIQUE, runDemoRule } from './demo-rule.ts';
import { findDataFolder, loadBitbrains } from './traces.ts';

const folder = findDataFolder();
const set = folder === null ? null : loadBitbrains(folder, ONLINE_BOUTIQUE.length);
const because = set === null ? ' (skipped: ../shared/data is absent)' : '';

describe('the demo on recorded VMs', () => {
  (set === null ? test.skip : test)(
    `ends with a third less CPU and a quarter less memory requested, and no OOM kill more${because}`,
    () => {
      const outcomes = ONLINE_BOUTIQUE.map((container, index) => runDemoRule(set!.traces[index]!, container, { everySlots: 12 }));
      const sum = (pick: (outcome: (typeof outcomes)[number]) => number) => outcomes.reduce((total, outcome) => total + pick(outcome), 0);
      expect(sum((outcome) => outcome.cpuEnd)).toBeLessThan((sum((outcome) => outcome.cpuStart) * 2) / 3);
      expect(sum((outcome) => outcome.memoryEnd)).toBeLessThan(sum((outcome) => outcome.memoryStart) * 0.75);
      expect(sum((outcome) => outcome.oomKills) - sum((outcome) => outcome.oomKillsWithout)).toBeLessThanOrEqual(1);
    },
  );
});
