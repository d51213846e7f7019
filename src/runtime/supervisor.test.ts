import { describe, expect, test } from '@jest/globals';
import { FakeClock } from '../../test/fakes/fake-clock.ts';
import { SILENT_LOGGER } from './logging.ts';
import { type Component, Supervisor } from './supervisor.ts';

function aPart(name: string, log: string[], parts: Partial<Component> = {}): Component {
  return { name, start: async () => void log.push(`+${name}`), stop: async () => void log.push(`-${name}`), ...parts };
}

describe('Supervisor', () => {
  test('starts in order and stops in reverse, once', async () => {
    const log: string[] = [];
    const supervisor = new Supervisor(SILENT_LOGGER, new FakeClock());
    await supervisor.start(aPart('a', log));
    await supervisor.start(aPart('b', log));
    await Promise.all([supervisor.stop(), supervisor.stop()]);
    expect(log).toEqual(['+a', '+b', '-b', '-a']);
  });

  test('a part that cannot start ends the others and says which it was', async () => {
    const log: string[] = [];
    const supervisor = new Supervisor(SILENT_LOGGER, new FakeClock());
    await supervisor.start(aPart('a', log));
    const failing = aPart('b', log, { start: () => Promise.reject(new Error('port 9090 is taken')) });
    await expect(supervisor.start(failing)).rejects.toThrow('starting b: port 9090 is taken');
    expect(log).toEqual(['+a', '-a']);
  });

  test('a part that hangs or fails while stopping does not keep the others', async () => {
    const log: string[] = [];
    const machine = new FakeClock();
    const supervisor = new Supervisor(SILENT_LOGGER, machine);
    await supervisor.start(aPart('a', log));
    await supervisor.start(aPart('fails', log, { stop: () => Promise.reject(new Error('no')) }));
    await supervisor.start(aPart('hangs', log, { stop: () => new Promise(() => undefined) }));
    const stopped = supervisor.stop();
    await machine.advance(9_000);
    await stopped;
    expect(log).toContain('-a');
  });

  test('parts that hang share one deadline, within the 10 s that are promised after SIGTERM', async () => {
    const machine = new FakeClock();
    const supervisor = new Supervisor(SILENT_LOGGER, machine);
    const hanging = { stop: () => new Promise<void>(() => undefined) };
    for (let index = 0; index < 20; index += 1) await supervisor.start(aPart(`hangs-${index}`, [], hanging));
    const begun = machine.nowMs();
    let tookMs: number | null = null;
    const stopped = supervisor.stop().then(() => (tookMs = machine.nowMs() - begun));
    await machine.advance(7_999);
    expect(tookMs).toBeNull();
    await machine.advance(60_000);
    await stopped;
    expect(tookMs).toBeLessThan(10_000);
  });
});
