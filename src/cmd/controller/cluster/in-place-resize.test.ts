import { describe, expect, test } from '@jest/globals';
import { FakeTransport } from '../../../../test/fakes/clients/fake-transport.ts';
import { SILENT_LOGGER } from '../../../runtime/logging.ts';
import { probeInPlaceResize } from './in-place-resize.ts';

const probe = (answer: FakeTransport['answer'], signal = new AbortController().signal) =>
  probeInPlaceResize(new FakeTransport(answer), SILENT_LOGGER, signal);

describe('support of in-place resize', () => {
  test.each<[string, FakeTransport['answer'], boolean]>([
    ['is true where discovery lists pods/resize', () => ({ body: { resources: [{ name: 'pods' }, { name: 'pods/resize' }] } }), true],
    ['is false before Kubernetes 1.33', () => ({ body: { resources: [{ name: 'pods' }] } }), false],
    ['is assumed where discovery is forbidden', () => ({ status: 403 }), true],
    ['is assumed where the API server cannot be reached', () => Promise.reject(new Error('connection refused')), true],
  ])('%s', async (_, answer, expected) => {
    expect(await probe(answer)).toBe(expected);
  });

  test('is not probed after the end of the term', async () => {
    const term = AbortSignal.abort(new Error('the term has ended'));
    await expect(probe(() => Promise.reject(new Error('aborted')), term)).rejects.toThrow('the term has ended');
  });
});
