// The previous version of the code, from the history of the checkout.

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { NO_ROLLBACK_TO } from '../../hack/compatibility/accepted-breaks.ts';
import { ROOT, type TestFixture } from './processes.ts';

/**
 * A commit or tag; by default the parent of the checked-out commit. It is not named EVENKEEL_PREVIOUS, because a controller reads variables
 * with that prefix as settings.
 */
const REVISION = process.env['PREVIOUS_REVISION'] ?? 'HEAD^';

export type PreviousCode = { readonly found: true; readonly commit: string } | { readonly found: false; readonly problem: string };

/**
 * Finds the previous version. It is missing in a shallow clone of one commit, without a clone, and where a rollback to it is declared
 * unsupported.
 */
export function findPreviousCode(): PreviousCode {
  let commit: string;
  try {
    commit = git('rev-parse', '--verify', '--quiet', '--end-of-options', `${REVISION}^{commit}`).toString().trim();
  } catch {
    const problem = `${REVISION} is not in this checkout; fetch more of its history, or set PREVIOUS_REVISION to a commit`;
    return { found: false, problem };
  }
  const [, reason] = Object.entries(NO_ROLLBACK_TO).find(([start]) => commit.startsWith(start)) ?? [];
  return reason === undefined ? { found: true, commit } : { found: false, problem: `no rollback to ${REVISION}: ${reason}` };
}

/** Writes the previous version into a folder of the fixture and returns its root. It runs with the packages that are installed here. */
export function checkOutPrevious(fixture: TestFixture, commit: string): string {
  const root = join(fixture.folder, 'previous');
  mkdirSync(root);
  execFileSync('tar', ['-x', '-C', root], { input: git('archive', '--format=tar', commit) });
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return root;
}

function git(...args: readonly string[]): Buffer {
  return execFileSync('git', args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: Infinity });
}
