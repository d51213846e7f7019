// Writes the files that a release publishes with the image: `main.ts FOLDER IMAGE@sha256:DIGEST [COMMIT]`. docs/release.md has the
// procedure.
import { writeRelease } from './write-release.ts';

const [folder, image, commit = 'HEAD'] = process.argv.slice(2);
if (folder === undefined || image === undefined) {
  console.error('usage: make release IMAGE=REGISTRY/evenkeel@sha256:DIGEST');
  process.exit(2);
}
console.log(await writeRelease({ folder, image, commit }));
