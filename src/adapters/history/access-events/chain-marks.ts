import type { ChainPoint } from '../../../core/access/events/event-chain.ts';
import type { RecordSigner } from '../../../ports/record-signer.ts';

/** `head`: the last event of a chain. `anchor`: the last one that retention has removed. */
export type MarkKind = 'head' | 'anchor';

export type ReadMark =
  | { readonly kind: 'point'; readonly point: ChainPoint; readonly isSigned: boolean }
  /** Not written by Evenkeel, or with another key. */
  | { readonly kind: 'forged' };

/** The record of a position in a chain, signed where a key is available. */
export function writeMark(signer: RecordSigner, writer: string, mark: MarkKind, { sequence, hash }: ChainPoint): string {
  const record = JSON.stringify({ sequence, hash });
  return signer.hasKey ? signer.sign(bindingOf(writer, mark), record) : record;
}

/** Reads a record. A signature is verified where a key is available; without a key, signed records count as unsigned. */
export function readMark(signer: RecordSigner, writer: string, mark: MarkKind, record: string): ReadMark {
  const { sequence, hash, signature } = parse(record);
  if (typeof sequence !== 'number' || typeof hash !== 'string') return { kind: 'forged' };
  const isAuthentic = signer.isAuthentic(bindingOf(writer, mark), record);
  if (signer.hasKey && signature !== undefined && !isAuthentic) return { kind: 'forged' };
  return { kind: 'point', point: { sequence, hash }, isSigned: isAuthentic };
}

function bindingOf(writer: string, mark: MarkKind) {
  return { kind: 'AccessEventChain', uid: writer, field: mark };
}

function parse(record: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(record);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}
