// Writes @evenkeel/kube and @evenkeel/embedded-cluster as npm packages into a folder: `pack-packages.ts FOLDER`.
import { CompileError, packPackages } from './packages/pack-packages.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run -s pack-packages -- FOLDER');
  process.exit(2);
}
try {
  for (const file of await packPackages(folder)) console.log(file);
} catch (error) {
  if (!(error instanceof CompileError)) throw error;
  console.error(error.message);
  process.exit(1);
}
