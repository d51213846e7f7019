// Fails when TESTS of `make test`, `make e2e` or `make soak` has a path that the command does not run.
import { join } from 'node:path';
import { problemsOf, readSuites, TIERS } from './ci/test-paths.ts';

const [name, ...args] = process.argv.slice(2);
const tier = TIERS.find((candidate) => candidate === name);
if (tier === undefined) throw new Error(`check-test-paths: "${name ?? ''}" is none of ${TIERS.join(', ')}`);
const problems = args.length === 0 ? [] : problemsOf(tier, args, readSuites(join(import.meta.dirname, '..')));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
