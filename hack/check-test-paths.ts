// Fails where TESTS of `make test`, `make e2e` or `make soak` names what that command does not run.
import { join } from 'node:path';
import { problemsOf, readSuites, TIERS } from './ci/test-paths.ts';

const [name, ...args] = process.argv.slice(2);
const tier = TIERS.find((each) => each === name);
if (tier === undefined) throw new Error(`check-test-paths: "${name ?? ''}" is none of ${TIERS.join(', ')}`);
const problems = args.length === 0 ? [] : problemsOf(tier, args, readSuites(join(import.meta.dirname, '..')));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
