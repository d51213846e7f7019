import type { DurationMs, Instant } from '#kube/units';
import type { Clock, MachineTimer } from '../ports/clock.ts';
import type { CountingActivity } from './activity.ts';
import { EventHeap, type TimedEvent } from './event-heap.ts';
import { hash32 } from './seeded-hash.ts';

/** Virtual seconds per real second, or as fast as the work allows. */
export type ClockSpeed = number | 'max';

const MAX_SPEED_FACTOR = 1000;

/** Longest run of events without a turn of the event loop, in machine time, so that requests do not starve. */
const BATCH_MS = 8;
/** A clock this far behind real time (machine time) slips instead of catching up. */
const SLIP_MS = 2000;

export interface VirtualClockOptions {
  readonly startAt: Instant;
  readonly seed: number;
  readonly speed: ClockSpeed;
  readonly timer: MachineTimer;
  /** Activity; at speed `max` no event runs while it counts anything. */
  readonly activity: CountingActivity;
  /** Handler of errors that tasks throw; time then continues. Without a handler the error is rethrown and ends the process. */
  readonly onFault?: (error: unknown) => void;
}

/**
 * Time of the embedded cluster. Events of the same time run in an order that depends on the seed. At a numeric speed it follows real time;
 * at `max` it jumps from event to event, but only after a whole turn of the event loop without activity. `now()` never decreases and never
 * passes an event that has not run.
 */
export class VirtualClock implements Clock {
  readonly #heap = new EventHeap();
  readonly #seed: number;
  readonly #timer: MachineTimer;
  readonly #activity: CountingActivity;
  readonly #onFault: ((error: unknown) => void) | undefined;
  #speed: ClockSpeed;
  #now: Instant;
  #sequence = 0;
  #running = false;
  #until: Instant = Infinity;
  #reached: (() => void) | null = null;
  /** Real time at which `#now` was correct; used at a numeric speed. */
  #anchorMs: number;
  #cancelWake: (() => void) | null = null;
  #turnPending = false;
  #inBatch = false;
  #seenBegun = -1;

  constructor(options: VirtualClockOptions) {
    this.#seed = options.seed;
    this.#timer = options.timer;
    this.#activity = options.activity;
    this.#onFault = options.onFault;
    this.#now = options.startAt;
    this.#anchorMs = options.timer.nowMs();
    this.#speed = checkedSpeed(options.speed);
    options.activity.onIdle(() => this.#onIdle());
  }

  get speed(): ClockSpeed {
    return this.#speed;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  now(): Instant {
    if (!this.#running || this.#speed === 'max') return this.#now;
    const elapsed = (this.#timer.nowMs() - this.#anchorMs) * this.#speed;
    return Math.max(this.#now, Math.min(Math.floor(this.#now + elapsed), this.#heap.nextAt(), this.#until));
  }

  schedule(at: Instant, task: () => void): () => void {
    const now = this.now();
    // Instants are whole milliseconds: tasks read the clock and store what they read.
    const due = at > now ? Math.ceil(at) : now;
    const earliest = this.#heap.nextAt();
    const sequence = this.#sequence++;
    const event: TimedEvent = { at: due, tie: hash32(this.#seed, sequence), sequence, task };
    this.#heap.push(event);
    if (due < earliest) this.#arm();
    return () => this.#heap.cancel(event);
  }

  /** Runs until stopped. */
  start(): void {
    if (this.#running) return;
    this.#until = Infinity;
    this.#begin();
  }

  /** Stops the clock; scheduled tasks stay. A pending `runUntil` resolves. */
  stop(): void {
    this.#settle();
    this.#running = false;
    this.#disarm();
    this.#finish();
  }

  /** Changes the speed, running or not. Throws for a number outside 1 … 1000. */
  setSpeed(speed: ClockSpeed): void {
    const checked = checkedSpeed(speed);
    this.#settle();
    this.#speed = checked;
    this.#anchorMs = this.#timer.nowMs();
    this.#arm();
  }

  /** Runs for a span of virtual time, then stops. */
  runFor(durationMs: DurationMs): Promise<void> {
    return this.runUntil(this.now() + durationMs);
  }

  /** Runs everything due up to and including `instant`, then stops there. Rejects while another run is pending. */
  async runUntil(instant: Instant): Promise<void> {
    if (this.#reached !== null) throw new Error('running the virtual clock: another runUntil is still pending');
    await new Promise<void>((resolve) => {
      this.#reached = resolve;
      this.#until = Math.ceil(instant);
      if (this.#running) this.#arm();
      else this.#begin();
    });
  }

  #begin(): void {
    this.#running = true;
    this.#anchorMs = this.#timer.nowMs();
    this.#seenBegun = -1;
    this.#arm();
  }

  /** Makes the interpolated `now()` the new base. */
  #settle(): void {
    this.#now = this.now();
    this.#anchorMs = this.#timer.nowMs();
  }

  #finish(): void {
    const reached = this.#reached;
    this.#reached = null;
    this.#until = Infinity;
    reached?.();
  }

  #reachEnd(): void {
    this.#now = Math.max(this.#now, this.#until);
    this.#running = false;
    this.#disarm();
    this.#finish();
  }

  #disarm(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
  }

  #arm(): void {
    if (!this.#running || this.#inBatch) return;
    if (this.#speed === 'max') {
      this.#disarm();
      this.#armTurn();
      return;
    }
    this.#disarm();
    const target = Math.min(this.#heap.nextAt(), this.#until);
    if (target === Infinity) return;
    const dueMs = this.#anchorMs + (target - this.#now) / this.#speed - this.#timer.nowMs();
    this.#cancelWake = this.#timer.setTimer(Math.max(0, Math.ceil(dueMs)), () => this.#runScaled());
  }

  /** Real time reached the next event: runs due events in batches. */
  #runScaled(): void {
    this.#cancelWake = null;
    if (!this.#running || this.#speed === 'max') return;
    const startedMs = this.#timer.nowMs();
    const reachable = Math.min(this.#now + (startedMs - this.#anchorMs) * this.#speed, this.#until);
    this.#inBatch = true;
    try {
      for (let next = this.#heap.nextAt(); next <= reachable && this.#isFollowing(); next = this.#heap.nextAt()) {
        this.#advanceTo(next);
        this.#runDue(next);
        if (this.#timer.nowMs() - startedMs > BATCH_MS) break;
      }
    } finally {
      this.#inBatch = false;
    }
    if (this.#isFollowing() && this.#heap.nextAt() > this.#until && reachable >= this.#until) {
      this.#reachEnd();
      return;
    }
    this.#adjustForDelay();
    this.#arm();
  }

  /** Checked again after every task, because a task may stop the clock or change its speed. */
  #isFollowing(): boolean {
    return this.#running && this.#speed !== 'max';
  }

  /** Advances the base to an event and keeps the real time that has passed beyond it. */
  #advanceTo(at: Instant): void {
    if (this.#speed !== 'max') this.#anchorMs += (at - this.#now) / this.#speed;
    this.#now = at;
  }

  #adjustForDelay(): void {
    if (!this.#isFollowing()) return;
    const nowMs = this.#timer.nowMs();
    if (nowMs - this.#anchorMs > SLIP_MS && this.#heap.nextAt() <= this.#now + SLIP_MS) this.#anchorMs = nowMs - SLIP_MS;
  }

  #runDue(at: Instant): void {
    while (this.#heap.nextAt() <= at) {
      this.#run(this.#heap.pop());
      if (!this.#running) return; // a task stopped the clock: the rest waits for the next start
    }
  }

  #run(task: (() => void) | undefined): void {
    if (this.#onFault === undefined) {
      task?.();
      return;
    }
    try {
      task?.();
    } catch (error) {
      this.#onFault(error);
    }
  }

  #onIdle(): void {
    if (this.#running && this.#speed === 'max') this.#armTurn();
  }

  #armTurn(): void {
    if (this.#turnPending) return;
    this.#turnPending = true;
    setImmediate(() => this.#turn());
  }

  /**
   * One turn of the event loop at `max`. Promises that the last events resolved have run by now. If an activity started in the meantime,
   * even one that has ended again, another turn without activity is awaited.
   */
  #turn(): void {
    this.#turnPending = false;
    if (!this.#running || this.#speed !== 'max') return;
    if (this.#activity.count > 0) return; // its end schedules the next turn
    if (this.#activity.begun !== this.#seenBegun) {
      this.#seenBegun = this.#activity.begun;
      this.#armTurn();
      return;
    }
    const next = this.#heap.nextAt();
    if (next > this.#until) {
      this.#reachEnd();
      return;
    }
    if (next === Infinity) return; // nothing scheduled: the next schedule() sets the timer
    this.#now = next;
    this.#runDue(next);
    this.#arm(); // a task may have stopped the clock or changed its speed
  }
}

function checkedSpeed(speed: ClockSpeed): ClockSpeed {
  if (speed === 'max') return speed;
  if (Number.isFinite(speed) && speed >= 1 && speed <= MAX_SPEED_FACTOR) return speed;
  throw new RangeError(`speed: ${String(speed)} is not possible; give a number from 1 to ${MAX_SPEED_FACTOR}, or max`);
}
