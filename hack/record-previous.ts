// Records this version in test/fixtures/previous as the previous one of later versions: the last step before a release is tagged.

import { ACCEPTED_BREAKS } from './compatibility/accepted-breaks.ts';
import { findBreaks } from './compatibility/breaks.ts';
import { readPresentVersion, readPreviousVersion, recordVersion } from './compatibility/record.ts';

const present = readPresentVersion();
const breaks = findBreaks(readPreviousVersion(), present);
const unaccepted = breaks.filter((line) => !Object.hasOwn(ACCEPTED_BREAKS, line));
if (unaccepted.length > 0) {
  console.error(`not recorded: each break needs a reason in hack/compatibility/accepted-breaks.ts\n${unaccepted.join('\n')}`);
  process.exitCode = 1;
} else {
  await recordVersion(present);
  if (breaks.length > 0)
    console.log('Now empty ACCEPTED_BREAKS in hack/compatibility/accepted-breaks.ts: they do not apply to the next version.');
}
