import { expect, test } from '@jest/globals';
import { FakeTransport } from '../../../test/fakes/clients/fake-transport.ts';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { SystemClock } from '../../runtime/system-clock.ts';
import { openSystemClock } from './cluster-clock.ts';

const parts = { timer: new ManualClock(0), logger: new RecordingLogger() };
const ofVersion = (gitVersion: string): FakeTransport => new FakeTransport(() => ({ body: { gitVersion } }));

test('a cluster has the time of the machine', async () => {
  const transport = ofVersion('v1.36.3');
  const { clock, isEmbedded } = await openSystemClock(transport, parts, undefined);
  expect({ isEmbedded, isSystemClock: clock instanceof SystemClock }).toEqual({ isEmbedded: false, isSystemClock: true });
  expect(transport.requests.map(({ method, path }) => [method, path])).toEqual([['GET', '/version']]);
});

test('an embedded cluster is refused with the program that follows its clock', async () => {
  await expect(openSystemClock(ofVersion('v1.36.3+evenkeel'), parts, undefined)).rejects.toThrow('npm run -s controller:embedded');
});
