import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ManualClock } from '#embedded-cluster/testing/manual-clock';
import { RecordingLogger } from '#embedded-cluster/testing/recording-logger';
import { DAY_MS } from '#kube/units';
import { MountedSecret } from '../../../test/fakes/mounted-secret.ts';
import { makeAuthority, signServing } from '../../adapters/admission/certificates.ts';
import { ConfigurationError } from '../../ports/configuration-error.ts';
import { CertificateFiles, CHECK_EVERY_MS, type CertificatePair } from './certificate-files.ts';

const NOW = Date.now();
let first: CertificatePair;
let second: CertificatePair;
beforeAll(async () => {
  const authority = await makeAuthority(NOW);
  const sign = async (): Promise<CertificatePair> => {
    const { certificate: cert, key } = await signServing(authority, ['localhost'], NOW);
    return { cert, key };
  };
  [first, second] = [await sign(), await sign()];
});

let secret: MountedSecret;
let timer: ManualClock;
let logger: RecordingLogger;
let now: number;
let replaced: CertificatePair[];
beforeEach(() => {
  [secret, timer, logger, now, replaced] = [new MountedSecret(), new ManualClock(0), new RecordingLogger(), NOW, []];
});
afterEach(() => secret.remove());

const mount = ({ cert, key }: CertificatePair): void => secret.replace({ 'tls.crt': cert, 'tls.key': key });
const open = (): Promise<CertificateFiles> =>
  CertificateFiles.open({
    setting: 'dashboard.tls',
    certFile: secret.file('tls.crt'),
    keyFile: secret.file('tls.key'),
    timer,
    logger,
    now: () => now,
  });
const check = (files: CertificateFiles): Promise<void> => files.check((pair) => replaced.push(pair));

test('a mounted Secret that is replaced is read within ten seconds, until watching ends', async () => {
  mount(first);
  const files = await open();
  const next = Promise.withResolvers<CertificatePair>();
  const stop = files.watch((pair) => next.resolve(pair));
  mount(second);
  timer.advance(CHECK_EVERY_MS - 1);
  expect([timer.ran, files.pair]).toEqual([0, first]);
  timer.advance(1);
  expect(await next.promise).toEqual(second);
  await new Promise(setImmediate);
  expect(timer.pending).toBe(1);
  stop();
  expect(timer.pending).toBe(0);
});

describe('files that are no pair leave the earlier one in use, and say why in health and once in the log:', () => {
  test.each<[string, () => CertificatePair, RegExp]>([
    ['the key of another certificate', () => ({ cert: second.cert, key: first.key }), /the key belongs to another certificate/],
    ['an empty certificate', () => ({ cert: '', key: second.key }), /not a PEM certificate and its key/],
    ['half a key', () => ({ cert: second.cert, key: second.key.slice(0, 80) }), /not a PEM certificate and its key/],
    ['no PEM', () => ({ cert: 'certificate', key: 'key' }), /not a PEM certificate and its key/],
  ])('%s', async (_what, broken, problem) => {
    mount(first);
    const files = await open();
    mount(broken());
    await check(files);
    await check(files);
    expect([files.pair, replaced]).toEqual([first, []]);
    expect(files.status()).toEqual({ status: 'degraded', message: expect.stringMatching(problem) });
    expect(logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(JSON.stringify(logger.lines)).not.toContain('PRIVATE KEY');
    mount(second);
    await check(files);
    expect([replaced, files.status().status]).toEqual([[second], 'ok']);
  });

  test('a deleted file, until it is there again', async () => {
    mount(first);
    const files = await open();
    secret.replace({ 'tls.crt': first.cert });
    await check(files);
    expect(files.status()).toEqual({ status: 'degraded', message: expect.stringContaining('dashboard.tls.keyFile: cannot read') });
    mount(first);
    await check(files);
    expect([replaced, files.status().status]).toEqual([[], 'ok']);
  });
});

test('a certificate that has expired is reported, and stays in use', async () => {
  mount(first);
  const files = await open();
  expect(files.status()).toEqual({ status: 'ok', message: expect.stringContaining('expires at 20') });
  now += 91 * DAY_MS;
  expect(files.status()).toEqual({ status: 'degraded', message: 'the certificate has expired: renew the files of dashboard.tls' });
});

test('files that are no pair at the start are a configuration error', async () => {
  await expect(open()).rejects.toThrow(ConfigurationError);
  mount({ cert: first.cert, key: second.key });
  await expect(open()).rejects.toThrow(/^dashboard\.tls: .* the key belongs to another certificate$/);
});
