import type { BirthSize, UnbornPod } from '../core/rightsizing/birth/birth-size.ts';
import type { OwnerRef } from '../core/model/workload.ts';

/** A pod that asks to be made, as far as its size is concerned. */
export interface BirthRequest extends UnbornPod {
  readonly namespace: string;
  /** Its controller; null: none. */
  readonly owner: OwnerRef | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Node that it is made for; null: the scheduler chooses one. */
  readonly node: string | null;
}

/** Answers from memory, at once. */
export interface BirthSizes {
  /** null: the pod is born as it asks. */
  sizeOf(request: BirthRequest): BirthSize | null;
}
