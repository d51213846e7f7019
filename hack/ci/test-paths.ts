// What `make test`, `make e2e` and `make soak` are asked to run. Jest runs what matches and passes over the rest in silence.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const TIERS = ['test', 'e2e', 'soak'] as const;
export type Tier = (typeof TIERS)[number];

/** Paths of suites from the root of the checkout, by the tier that runs them. */
export type Suites = Readonly<Record<Tier, readonly string[]>>;

/** The folder of a suite is its tier; `make soak` runs suites with properties again. */
export function readSuites(root: string): Suites {
  const all = globSync(['src/**/*.test.ts', 'packages/**/*.test.ts', 'test/**/*.test.ts', 'hack/**/*.test.ts'], { cwd: root });
  const e2e = all.filter((suite) => /^test\/(e2e|controlplane)\//.test(suite));
  const soak = all.filter((suite) => suite.startsWith('test/soak/'));
  const test = all.filter((suite) => !e2e.includes(suite) && !soak.includes(suite));
  return { test, e2e, soak: [...soak, ...suitesWithProperties(root)] };
}

export function suitesWithProperties(root: string): readonly string[] {
  return globSync(['src/**/*.test.ts', 'packages/**/*.test.ts'], { cwd: root }).filter((suite) =>
    readFileSync(join(root, suite), 'utf8').includes("from 'fast-check'"),
  );
}

/**
 * Why some of what is asked would not run.
 *
 * @param args of Jest: paths or patterns, and after the first option what is Jest's alone
 */
export function problemsOf(tier: Tier, args: readonly string[], suites: Suites): readonly string[] {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  return args.slice(0, firstOption === -1 ? args.length : firstOption).flatMap((path) => {
    const runners = TIERS.filter((each) => suites[each].some((suite) => matches(path, suite)));
    if (runners.includes(tier)) return [];
    if (runners.length === 0) return [`TESTS: no suite matches "${path}"`];
    return [`TESTS: "${path}" is run by ${runners.map((each) => `make ${each}`).join(' and ')}, not by make ${tier}`];
  });
}

/** As Jest matches: a path is a pattern without regard to case, found anywhere in the suite's path. */
function matches(pattern: string, suite: string): boolean {
  return new RegExp(pattern.replace(/^\.\//, ''), 'i').test(suite);
}
