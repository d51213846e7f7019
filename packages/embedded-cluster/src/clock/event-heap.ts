import type { Instant } from '#kube/units';

/** A scheduled task. `tie` orders tasks of the same time. */
export interface TimedEvent {
  readonly at: Instant;
  readonly tie: number;
  readonly sequence: number;
  /** null once it ran or was cancelled. */
  task: (() => void) | null;
}

/** A binary heap of events by time, then tie, then insertion. Cancelled events stay until they surface or outnumber the rest. */
export class EventHeap {
  #events: TimedEvent[] = [];
  #cancelled = 0;

  /** Number of events that will still run. */
  get size(): number {
    return this.#events.length - this.#cancelled;
  }

  push(event: TimedEvent): void {
    this.#events.push(event);
    this.#siftUp(this.#events.length - 1);
  }

  cancel(event: TimedEvent): void {
    if (event.task === null) return;
    event.task = null;
    this.#cancelled++;
    if (this.#cancelled > 64 && this.#cancelled * 2 > this.#events.length) this.#compact();
  }

  /** When the next event is due; Infinity when there is none. */
  nextAt(): Instant {
    this.#dropCancelled();
    return this.#events[0]?.at ?? Infinity;
  }

  /** Takes the next event's task; undefined when there is none. */
  pop(): (() => void) | undefined {
    this.#dropCancelled();
    const event = this.#take();
    if (event === undefined) return undefined;
    const task = event.task;
    event.task = null; // a late cancel of what already ran must not be counted
    return task ?? undefined;
  }

  #dropCancelled(): void {
    while (this.#events[0]?.task === null) {
      this.#take();
      this.#cancelled--;
    }
  }

  #take(): TimedEvent | undefined {
    const first = this.#events[0];
    const last = this.#events.pop();
    if (first === undefined || last === undefined || first === last) return first;
    this.#events[0] = last;
    this.#siftDown(0);
    return first;
  }

  #compact(): void {
    this.#events = this.#events.filter((event) => event.task !== null);
    this.#cancelled = 0;
    for (let i = (this.#events.length >> 1) - 1; i >= 0; i--) this.#siftDown(i);
  }

  #siftUp(index: number): void {
    const events = this.#events;
    const event = events[index];
    if (event === undefined) return;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = events[parentIndex];
      if (parent === undefined || !isBefore(event, parent)) break;
      events[index] = parent;
      index = parentIndex;
    }
    events[index] = event;
  }

  #siftDown(index: number): void {
    const events = this.#events;
    const event = events[index];
    if (event === undefined) return;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = events[childIndex];
      if (child === undefined) break;
      const right = events[childIndex + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (!isBefore(child, event)) break;
      events[index] = child;
      index = childIndex;
    }
    events[index] = event;
  }
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  if (a.at !== b.at) return a.at < b.at;
  return a.tie !== b.tie ? a.tie < b.tie : a.sequence < b.sequence;
}
