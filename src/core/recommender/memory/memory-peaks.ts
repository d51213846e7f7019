// Peaks of a container's working set over its whole history: a memory limit has to exceed them.

import type { Bytes, Instant } from '#kube/units';
import type { ByteReader, ByteWriter } from '../history/byte-codec.ts';
import { SLOT_MS } from '../history/slots.ts';

const SLOTS_PER_DAY = 288;
/** The first day has no earlier peak to compare with. */
const DAYS_BEFORE_RECORDS_COUNT = 1;

/** The highest working set, and how far single days exceeded all days before them. */
export class MemoryPeaks {
  #firstSlot = -1;
  #ever: Bytes = 0;
  #everSlot = 0;
  #day = -1;
  /** The highest working set of all days before the current one. */
  #recordAtDayStart: Bytes = 0;
  #worstRecordRatio = 1;

  /** Highest working set of the history; 0: none. */
  get ever(): Bytes {
    return this.#ever;
  }

  get everAt(): Instant {
    return (this.#everSlot + 1) * SLOT_MS;
  }

  /** Highest ratio of a day's peak to the peak of all days before it; 1: no day exceeded them. */
  get worstRecordRatio(): number {
    return this.#worstRecordRatio;
  }

  addPoint(slot: number, bytes: Bytes): void {
    if (this.#firstSlot === -1) this.#firstSlot = slot;
    const day = Math.floor(slot / SLOTS_PER_DAY);
    if (day > this.#day) {
      this.#day = day;
      this.#recordAtDayStart = this.#ever;
    }
    if (bytes <= this.#ever) return;
    this.#ever = bytes;
    this.#everSlot = slot;
    const days = (slot - this.#firstSlot) / SLOTS_PER_DAY;
    if (days >= DAYS_BEFORE_RECORDS_COUNT && this.#recordAtDayStart > 0) {
      this.#worstRecordRatio = Math.max(this.#worstRecordRatio, bytes / this.#recordAtDayStart);
    }
  }

  save(out: ByteWriter): void {
    for (const value of [this.#firstSlot, this.#ever, this.#everSlot, this.#day, this.#recordAtDayStart, this.#worstRecordRatio])
      out.f64(value);
  }

  load(from: ByteReader): void {
    this.#firstSlot = from.f64();
    this.#ever = from.f64();
    this.#everSlot = from.f64();
    this.#day = from.f64();
    this.#recordAtDayStart = from.f64();
    this.#worstRecordRatio = from.f64();
  }
}
