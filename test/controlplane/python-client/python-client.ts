// The official Python client of Kubernetes, where hack/e2e-needs has installed it.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe } from '@jest/globals';
import { ROOT } from '../../../hack/real-cluster/folders.ts';

const REQUIREMENTS = readFileSync(join(ROOT, 'hack', 'python-client', 'requirements.txt'), 'utf8').trim();
const FOLDER = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'evenkeel', 'python-client', REQUIREMENTS);
const SCRIPT = join(import.meta.dirname, 'decode_answers.py');

/** `describe` where the client is installed; elsewhere the suite is skipped and says why. */
export function describePythonClient(name: string, suite: () => void): void {
  if (existsSync(join(FOLDER, 'installed'))) {
    describe(name, suite);
    return;
  }
  // Jest prints no names of a file of which everything is skipped.
  process.stderr.write(
    `${name}: skipped, because ${REQUIREMENTS} is not installed (hack/e2e-needs does, where there is Python and PyPI)\n`,
  );
  describe.skip(`${name} (skipped: ${REQUIREMENTS} is not installed)`, suite);
}

/** What decode_answers.py reads. */
export interface PythonRequest {
  readonly server: string;
  /** Path of the CA's certificate. */
  readonly ca: string;
  readonly token: string;
  readonly resources: readonly object[];
  readonly objects: readonly object[];
}

export interface DecodedAnswers {
  /** `apps/v1 DeploymentList`: kinds of answers that the client decoded. */
  readonly decoded: readonly string[];
  readonly faults: readonly { readonly answer: string; readonly fault: string }[];
}

/** Runs one step of decode_answers.py. Rejects where the script itself fails. */
export async function decodeAnswers(step: 'create' | 'read', request: PythonRequest): Promise<DecodedAnswers> {
  const child = spawn(join(FOLDER, 'bin', 'python'), [SCRIPT, step], { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  child.stdin.end(JSON.stringify(request));
  const [code, output, errors] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`decode_answers.py ${step} exited with ${code}:\n${errors}`);
  return JSON.parse(output) as DecodedAnswers;
}
