import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { writeRelease } from './write-release.ts';

const IMAGE = `registry.example/evenkeel@sha256:${'0a'.repeat(32)}`;

describe('a release', () => {
  let folder: string;
  let notes: string;
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const sums = (): readonly string[] => read('SHA256SUMS').trimEnd().split('\n');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'evenkeel-release-'));
    notes = await writeRelease({ folder, image: IMAGE, commit: 'HEAD' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('has sums of sources, chart and SBOM that sha256sum confirms', () => {
    expect(sums().map((line) => line.split('  ')[1])).toEqual([
      expect.stringMatching(/^evenkeel-\d.*-sources\.tgz$/),
      expect.stringMatching(/^evenkeel-chart-\d.*\.tgz$/),
      expect.stringMatching(/^evenkeel-\d.*\.cdx\.json$/),
    ]);
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, stdio: 'ignore' });
  });

  test('has a CycloneDX SBOM with the digest of every runtime package, and no development packages', () => {
    const name = sums()[2]?.split('  ')[1] ?? '';
    const bom = JSON.parse(read(name)) as { bomFormat: string; components: { name: string; hashes?: unknown }[] };
    expect(bom.bomFormat).toBe('CycloneDX');
    const names = bom.components.map((component) => component.name);
    expect(names).toEqual(expect.arrayContaining(['express', 'pg', '@kubernetes/client-node']));
    expect(names.filter((each) => ['jest', 'rfc6902', '@evenkeel/embedded-cluster', 'embedded-cluster'].includes(each))).toEqual([]);
    // Our own package is no download.
    expect(bom.components.filter(({ hashes }) => hashes === undefined).map((component) => component.name)).toEqual(['kube']);
  });

  test('has notes that name the image, the sums, the commit and the bases of the image', () => {
    expect(read('NOTES.md')).toBe(notes);
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    for (const part of [IMAGE, commit, 'distroless', ...sums()]) expect(notes).toContain(part);
  });

  test('is refused for an image without a digest', async () => {
    await expect(writeRelease({ folder, image: 'registry.example/evenkeel:0.1.0', commit: 'HEAD' })).rejects.toThrow('has no digest');
  });
});
