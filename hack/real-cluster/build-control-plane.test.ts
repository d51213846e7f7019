// hack/build-control-plane.ts with a stub Go compiler.

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

test('hack/build-control-plane.ts records the built binaries, and nothing when none is missing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'evenkeel-build-test-'));
  try {
    // The second-last argument is the path of the binary.
    writeFileSync(join(folder, 'go'), '#!/bin/bash\n[ "$1" = env ] && echo go1.26.0 || touch "${@: -2:1}"\n');
    chmodSync(join(folder, 'go'), 0o755);
    const buildAll = (file: string): void => {
      const path = join(folder, file);
      const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}`, XDG_CACHE_HOME: folder, EVENKEEL_BUILT_FILE: path };
      const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, '..', 'build-control-plane.ts')], { env });
      expect([status, String(stderr)]).toEqual([0, expect.any(String)]);
    };
    buildAll('first');
    expect(readFileSync(join(folder, 'first'), 'utf8')).toBe('controlplane\nschedulerrules\nkwok\nhelm\nkubectl\n');
    buildAll('second');
    expect(existsSync(join(folder, 'second'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
