import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { ConfigurationError } from '../ports/configuration-error.ts';
import { createLogger } from './logging.ts';
import { LineLimit, MAX_LINES_OF_KIND } from './logs/line-limit.ts';

function aLog(level: 'debug' | 'info' = 'info') {
  const stream = new PassThrough();
  const logger = createLogger({ level, stream, fields: { version: '1' }, now: () => new Date('2026-01-01T00:00:00Z') });
  const lines = (): Record<string, unknown>[] => {
    const text = String(stream.read() ?? '');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return { logger, lines };
}

describe('createLogger', () => {
  test('writes one JSON object per line, with the fields of parents', () => {
    const { logger, lines } = aLog();
    logger.child({ controller: 'resize' }).info('Resized', { object: 'a/b' });
    expect(lines()).toEqual([
      { time: '2026-01-01T00:00:00.000Z', level: 'info', message: 'Resized', version: '1', controller: 'resize', object: 'a/b' },
    ]);
  });

  test('omits lines below the level', () => {
    const { logger, lines } = aLog();
    logger.debug('Detail');
    expect(lines()).toEqual([]);
  });

  test('writes repeated lines of an enabled level up to the limit, with the fields of parents in the line that counts the others', () => {
    const stream = new PassThrough();
    const limit = new LineLimit({ later: () => undefined });
    const logger = createLogger({ level: 'info', stream, limit }).child({ controller: 'resize' });
    for (let at = 0; at < 100; at += 1) {
      logger.debug('Detail');
      logger.info('Decided', { object: `shop/w${at}` });
    }
    limit.flush();
    const lines = String(stream.read()).trim().split('\n');
    expect(lines).toHaveLength(MAX_LINES_OF_KIND + 1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'info', controller: 'resize', object: 'shop/w99', more: 40 });
  });

  test('does not let a field replace the message', () => {
    const { logger, lines } = aLog();
    // @ts-expect-error a field with a reserved name would be lost
    logger.warn('Failed', { message: 'never replaces the constant one' });
    expect(lines()).toMatchObject([{ message: 'Failed' }]);
  });

  test('writes no stack of an error whose message names the cause and the remedy', () => {
    const { logger, lines } = aLog();
    logger.error('Start failed; exiting', { err: new ConfigurationError('no kubeconfig was found; set KUBECONFIG') });
    expect(lines()).toMatchObject([{ err: { name: 'ConfigurationError', message: 'no kubeconfig was found; set KUBECONFIG' } }]);
    expect(JSON.stringify(lines())).not.toContain('stack');
  });

  test('writes an error with its causes, and no secret', () => {
    const { logger, lines } = aLog();
    const err = new Error('applying status', { cause: new Error('connection reset') });
    logger.warn('Failed', { err, token: 'abc' });
    const [line] = lines();
    expect(line).toMatchObject({
      message: 'Failed',
      token: '[redacted]',
      err: { message: 'applying status', cause: { message: 'connection reset' } },
    });
  });
});
