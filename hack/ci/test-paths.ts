// Checks the paths for `make test`, `make e2e` and `make soak`: Jest ignores paths without a matching suite.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const TIERS = ['test', 'e2e', 'soak'] as const;
export type Tier = (typeof TIERS)[number];

/** Paths of suites from the root of the checkout, by the tier that runs them. */
export type Suites = Readonly<Record<Tier, readonly string[]>>;

/** Finds all suites. The folder of a suite determines its tier; `make soak` also runs suites with properties. */
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

/** Requested paths that would not run, each with its reason. @param args arguments of Jest: paths or patterns, until the first option */
export function problemsOf(tier: Tier, args: readonly string[], suites: Suites): readonly string[] {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'));
  return args.slice(0, firstOption === -1 ? args.length : firstOption).flatMap((path) => {
    const runners = TIERS.filter((tierName) => suites[tierName].some((suite) => isMatch(path, suite)));
    if (runners.includes(tier)) return [];
    if (runners.length === 0) return [`TESTS: no suite matches "${path}"`];
    return [`TESTS: "${path}" is run by ${runners.map((runner) => `make ${runner}`).join(' and ')}, not by make ${tier}`];
  });
}

/** Matches as Jest does: a path is a case-insensitive pattern that may occur anywhere in the suite's path. */
function isMatch(pattern: string, suite: string): boolean {
  return new RegExp(pattern.replace(/^\.\//, ''), 'i').test(suite);
}
