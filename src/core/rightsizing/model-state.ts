// A resource's state at rest. Sums and weights are kept to 0.04 %, which moves no decision by more.

import type { ByteReader, ByteWriter } from './byte-codec.ts';
import type { DecisionLine } from './decision-line.ts';
import type { ExpertPanel } from './expert-panel.ts';
import { NO_TAIL, shortestWindowOf } from './forecasters.ts';
import type { HourTail } from './forecasters.ts';
import type { HistogramBank } from './histogram-bank.ts';
import { RING_HOURS, UPPER_HOURS } from './hour-ring.ts';
import type { HourRing } from './hour-ring.ts';
import { decodeValue, encodeValue, ZERO_CODE } from './log-scale.ts';
import { GOALS } from './resource-rules.ts';
import type { ResourceTuning } from './resource-rules.ts';

/** The version before calm, reaction in the charges and level shifts. */
const VERSION_1 = 1;
// Histogram weights lie between 10^-5 and some thousands: the value scale, moved up.
const WEIGHT_SCALE = 1e4;

interface Parts {
  readonly ring: HourRing;
  readonly bank: HistogramBank;
  readonly panels: readonly ExpertPanel[];
  readonly lines: readonly DecisionLine[];
}

interface Scalars {
  readonly hour: number;
  readonly hoursScored: number;
  readonly latest: number;
  readonly points: number[];
  readonly tail: HourTail;
}

export function saveModelState(out: ByteWriter, state: Scalars & Parts): void {
  out.f64(state.hour);
  out.u32(state.hoursScored);
  out.f64(state.latest);
  out.u8(state.points.length);
  for (const point of state.points) out.f64(point);
  out.f64(state.tail.quarter);
  out.f64(state.tail.half);
  saveRing(out, state.ring);
  const { base, width, weights } = state.bank.dump();
  out.u16(base);
  out.u16(width);
  out.codes(Array.from(weights, encodeWeight), ZERO_CODE);
  for (const panel of state.panels) {
    const { unused, harm, used, points } = panel.dump();
    out.f64(used);
    out.f64(points);
    out.u16(unused.length);
    out.codes(Array.from(unused, encodeValue), ZERO_CODE);
    out.codes(Array.from(harm, encodeValue), ZERO_CODE);
  }
  for (const line of state.lines) line.save(out);
}

/** Fills the parts; answers the rest. */
export function loadModelState(from: ByteReader, version: number, parts: Parts & { readonly tuning: ResourceTuning }): Scalars {
  const { bank, panels, lines, tuning } = parts;
  const hour = from.f64();
  const hoursScored = from.u32();
  const latest = from.f64();
  const points = Array.from({ length: from.u8() }, () => from.f64());
  const tail = version === VERSION_1 ? NO_TAIL : { quarter: from.f64(), half: from.f64() };
  loadRing(from, version, parts.ring);
  const base = from.u16();
  const width = from.u16();
  const weights = from.codes(width * tuning.forecasters.halfLivesHours.length, ZERO_CODE);
  bank.load(base, width, Float32Array.from(weights, decodeWeight));
  if (version === VERSION_1) loadOldPanel(from, panels, tuning);
  else for (const panel of panels) loadPanel(from, panel);
  const known = version === VERSION_1 ? lines.slice(0, GOALS.length) : lines;
  for (const line of known) line.load(from);
  // Version 1 knew no calm: its values begin where the others stand.
  for (const [index, line] of lines.entries()) {
    const like = known[index % known.length];
    if (index >= known.length && like !== undefined) line.takeOver(like);
  }
  return { hour, hoursScored, latest, points, tail };
}

function saveRing(out: ByteWriter, ring: HourRing): void {
  const { end, since, peaks, uppers } = ring.dump();
  const length = Math.min(end - firstKnown(peaks, end), RING_HOURS);
  out.f64(end);
  out.f64(since);
  out.u16(length);
  for (let hour = end - length; hour < end; hour++) out.u16(peaks[hour % RING_HOURS] ?? 0);
  for (const upper of uppers) out.u16(upper);
}

function loadRing(from: ByteReader, version: number, ring: HourRing): void {
  const end = from.f64();
  const since = version === VERSION_1 ? 0 : from.f64();
  const length = from.u16();
  const peaks = new Uint16Array(RING_HOURS);
  for (let hour = end - length; hour < end; hour++) peaks[hour % RING_HOURS] = from.u16();
  const uppers = Uint16Array.from({ length: UPPER_HOURS }, () => from.u16());
  ring.load({ end, since, peaks, uppers });
}

function loadPanel(from: ByteReader, panel: ExpertPanel): void {
  const used = from.f64();
  const points = from.f64();
  const experts = from.u16();
  const sums = () => Float32Array.from(from.codes(experts, ZERO_CODE), decodeValue);
  panel.load({ unused: sums(), harm: sums(), used, points });
}

// Version 1 counted what was missed, by fewer rules: harm is that at its price, and a rule that it did not have begins
// where the highest of the last hour stands.
function loadOldPanel(from: ByteReader, panels: readonly ExpertPanel[], { forecasters, prices }: ResourceTuning): void {
  const experts = from.u16();
  const sums = () => from.codes(experts, ZERO_CODE).map(decodeValue);
  const unused = sums();
  const harm = sums().map((missed) => missed * prices.missed);
  const multipliers = forecasters.multipliers.length;
  const like = shortestWindowOf(forecasters) * multipliers;
  for (const panel of panels) {
    const whole = (old: readonly number[]) => panel.dump().unused.map((_, at) => old[at < experts ? at : like + (at % multipliers)] ?? 0);
    panel.load({ unused: whole(unused), harm: whole(harm), used: 0, points: 0 });
  }
}

function firstKnown(peaks: Uint16Array, end: number): number {
  let first = Math.max(0, end - RING_HOURS);
  while (first < end && peaks[first % RING_HOURS] === 0) first += 1;
  return first;
}

function encodeWeight(weight: number): number {
  return encodeValue(weight * WEIGHT_SCALE);
}

function decodeWeight(code: number): number {
  return decodeValue(code) / WEIGHT_SCALE;
}
