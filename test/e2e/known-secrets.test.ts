// The search of all output for secrets can fail.

import { expect, test } from '@jest/globals';
import { knownSecret } from '../fakes/known-secrets.ts';
import { HANG_TEST_MS } from '../eventually.ts';
import { TestFixture } from './processes.ts';

test(
  'a fixture fails where a process prints a secret, or an answer has one, and its message does not have it',
  async () => {
    const fixture = new TestFixture();
    const secret = knownSecret('the name of a cluster', 'not-to-be-printed-7341');
    const printing = fixture.startProcess('src/demo/main.ts', ['config', 'print', `--cluster.name=${secret}`]);
    await printing.exit();
    expect(printing.stdout.join('\n')).toContain(secret);
    fixture.recordOutput('the answer of a test', JSON.stringify({ error: { message: `no cluster ${secret}` } }));
    const failure: unknown = await fixture.tearDown().catch((err: unknown) => err);
    expect(String(failure)).toContain('the name of a cluster is in the output of src/demo/main.ts');
    expect(String(failure)).toContain('the name of a cluster is in the answer of a test');
    expect(String(failure)).not.toContain(secret);
  },
  HANG_TEST_MS,
);
