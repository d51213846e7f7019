import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '#embedded-cluster/testing/fake-clock';
import { SILENT_LOGGER } from './logging.ts';
import { type Component, Supervisor } from './supervisor.ts';

function aComponent(name: string, log: string[], methods: Partial<Component> = {}): Component {
  return { name, start: async () => void log.push(`+${name}`), stop: async () => void log.push(`-${name}`), ...methods };
}

describe('Supervisor', () => {
  test('starts in order and stops in reverse, once', async () => {
    const log: string[] = [];
    const supervisor = new Supervisor(SILENT_LOGGER, new FakeClock());
    await supervisor.start(aComponent('a', log));
    await supervisor.start(aComponent('b', log));
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });

  test('a component that cannot start stops the others, and the error names it', async () => {
    const log: string[] = [];
    const supervisor = new Supervisor(SILENT_LOGGER, new FakeClock());
    await supervisor.start(aComponent('a', log));
    const failing = aComponent('b', log, { start: () => Promise.reject(new Error('port 9090 is taken')) });
    await expect(supervisor.start(failing)).rejects.toThrow('starting b: port 9090 is taken');
    expect(log).toEqual(['+a', '-a']);
  });

  test('a component whose start ends after the stop has begun is stopped', async () => {
    const log: string[] = [];
    const supervisor = new Supervisor(SILENT_LOGGER, new FakeClock());
    await supervisor.start(aComponent('a', log));
    const slow = Promise.withResolvers<undefined>();
    const started = supervisor.start(aComponent('slow', log, { start: () => slow.promise }));
    await supervisor.stop();
    slow.resolve(undefined);
    await started;
    expect(log).toEqual(['+a', '-a', '-slow']);
  });

  test('a component that hangs or fails while stopping does not block the others', async () => {
    const log: string[] = [];
    const machine = new FakeClock();
    const supervisor = new Supervisor(SILENT_LOGGER, machine);
    await supervisor.start(aComponent('a', log));
    await supervisor.start(aComponent('fails', log, { stop: () => Promise.reject(new Error('no')) }));
    await supervisor.start(aComponent('hangs', log, { stop: () => new Promise(() => undefined) }));
    const stopped = supervisor.stop();
    await machine.advance(9_000);
    await stopped;
    expect(log).toContain('-a');
  });

  test('components that hang share one deadline, within 10 s after SIGTERM', async () => {
    const machine = new FakeClock();
    const supervisor = new Supervisor(SILENT_LOGGER, machine);
    const hanging = { stop: () => new Promise<void>(() => undefined) };
    for (let index = 0; index < 20; index += 1) await supervisor.start(aComponent(`hangs-${index}`, [], hanging));
    const stoppedAtMs = machine.nowMs();
    let tookMs: number | null = null;
    const stopped = supervisor.stop().then(() => (tookMs = machine.nowMs() - stoppedAtMs));
    await machine.advance(7_999);
    expect(tookMs).toBeNull();
    await machine.advance(60_000);
    await stopped;
    expect(tookMs).toBeLessThan(10_000);
  });
});
