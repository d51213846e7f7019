import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { problemsOf, readSuites, type Suites } from './test-paths.ts';

const SUITES: Suites = {
  test: ['src/core/model/duration.test.ts', 'src/core/effects/gate.test.ts', 'test/docs/safety-rules.test.ts'],
  e2e: ['test/e2e/idle.test.ts', 'test/controlplane/journey.test.ts'],
  soak: ['test/soak/crash.test.ts', 'src/core/effects/gate.test.ts'],
};

describe('TESTS', () => {
  test.each([
    ['test', ['src/core/model', 'test/docs/safety-rules.test.ts']],
    ['test', ['./src/core', '-t', 'a name that is not a path']],
    ['test', ['Safety']],
    ['e2e', ['test/']],
    ['soak', ['src/core/effects/gate.test.ts', 'test/soak/crash']],
    ['soak', []],
  ] as const)('make %s runs %j', (tier, args) => {
    expect(problemsOf(tier, args, SUITES)).toEqual([]);
  });

  test.each([
    ['test', ['src/core', 'src/cores'], 'TESTS: no suite matches "src/cores"'],
    ['soak', ['test/soak/crash', 'test/e2e/idle'], 'TESTS: "test/e2e/idle" is run by make e2e, not by make soak'],
    ['e2e', ['src/core/effects/gate', '-t', 'kills'], 'TESTS: "src/core/effects/gate" is run by make test and make soak, not by make e2e'],
  ] as const)('make %s refuses a part of %j, and names the command that runs it', (tier, args, problem) => {
    expect(problemsOf(tier, args, SUITES)).toEqual([problem]);
  });

  test('every suite of the checkout has a tier', () => {
    const { test: unit, e2e, soak } = readSuites(join(import.meta.dirname, '..', '..'));
    expect(unit).toContain('hack/ci/test-paths.test.ts');
    expect(e2e).toContain('test/e2e/crash.test.ts');
    expect(soak).toContain('test/soak/crash.test.ts');
    expect(soak.some((suite) => suite.startsWith('src/'))).toBe(true);
    expect(unit.filter((suite) => e2e.includes(suite) || suite.startsWith('test/soak/'))).toEqual([]);
  });
});
