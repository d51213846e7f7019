// A complete uninstall: it stops the controllers, runs each restorer, and reads the cluster again, so that the final report shows its real
// state.

import { dryRunTransport } from '../../adapters/kubernetes/transport/dry-run-transport.ts';
import { readRecordKey } from '../../adapters/kubernetes/write/record-key.ts';
import { HmacSigner } from '../../runtime/hmac-signer.ts';
import { SECOND_MS, type DurationMs } from '#kube/units';
import type { ApiTransport } from '#kube/api-transport';
import type { MachineTimer } from '../../ports/clock.ts';
import { ClusterAccess } from './cluster-access.ts';
import type { UninstallOptions } from './options.ts';
import type { Restorer, RestorerResult } from './restorer.ts';
import { RESTORERS } from './restorers/index.ts';
import { runRestorer, findRemaining } from './run-restorer.ts';
import type { RestorerRegistration } from './registration.ts';
import { Standstill } from './standstill.ts';

/** Fraction of the timeout reserved for the final read and for removing the pause. */
const RESERVE_SHARE = 0.15;
const MIN_RESERVE_MS: DurationMs = 2 * SECOND_MS;

const RECORDS_REMAIN = 'annotations, Recommendations and their key stay, since the remaining changes need them: run the uninstall again';

export interface UninstallRun {
  readonly transport: ApiTransport;
  readonly namespace: string;
  readonly options: UninstallOptions;
  readonly timer: MachineTimer;
  readonly interrupted: AbortSignal;
  /** Prints every change and every kept object as it happens. */
  readonly print: (line: string) => void;
}

export interface UninstallReport {
  readonly results: readonly RestorerResult[];
  /** Changes that are not reverted. Empty: complete. */
  readonly left: RestorerResult['left'];
  /** What deliberately stays for now. */
  readonly notes: readonly string[];
}

/** Runs the uninstall. @throws Error where the cluster is unreachable, or the controllers cannot be stopped: then nothing was changed */
export async function runUninstall(
  run: UninstallRun,
  registrations: readonly RestorerRegistration[] = RESTORERS,
): Promise<UninstallReport> {
  const { options, timer, print } = run;
  const dryRun = options['dry-run'];
  const cluster = new ClusterAccess(dryRun ? dryRunTransport(run.transport) : run.transport);
  const total = deadline(timer, options.timeout, `not done within --timeout ${options.timeout / SECOND_MS}s`, run.interrupted);
  const reserveMs = Math.max(MIN_RESERVE_MS, options.timeout * RESERVE_SHARE);
  const work = deadline(
    timer,
    Math.max(0, options.timeout - reserveMs),
    `not done within --timeout ${options.timeout / SECOND_MS}s`,
    total.signal,
  );
  try {
    const standstill = new Standstill({ cluster, namespace: run.namespace, timer, lastsMs: options.timeout + options.hold, print });
    if (dryRun) await standstill.printPlan(work.signal);
    else await standstill.begin(work.signal);
    const key = await readRecordKey(run.transport, run.namespace, work.signal);
    const signer = new HmacSigner(() => key);
    const chosen = registrations.filter(({ isEnabled }) => isEnabled(options));
    const context = { cluster, signer, namespace: run.namespace, options };
    const restorers: Restorer[] = [];
    const results: RestorerResult[] = [];
    let recordsStay = false;
    for (const { create, followsRecords, removesRecords } of chosen) {
      if (recordsStay && removesRecords === true) continue;
      const restorer = create({ ...context, recordsStay });
      const result = await runRestorer(restorer, { dryRun, signal: work.signal, print });
      restorers.push(restorer);
      results.push(result);
      if (followsRecords === true && result.left.length > 0) recordsStay = true;
    }
    const stays = recordsStay ? [RECORDS_REMAIN] : [];
    if (dryRun) return { results, left: results.flatMap(({ left }) => left), notes: stays };
    const left = await findRemainingNow(restorers, results, total.signal);
    const notice = await standstill.end(total.signal);
    return { results, left, notes: notice === null ? stays : [...stays, notice] };
  } finally {
    work.end();
    total.end();
  }
}

// The remaining changes, with the reason where a change was refused.
async function findRemainingNow(
  restorers: readonly Restorer[],
  results: readonly RestorerResult[],
  signal: AbortSignal,
): Promise<RestorerResult['left']> {
  const reasons = new Map(results.flatMap(({ left }) => left.map(({ object, why }) => [object, why] as const)));
  const left: { object: string; why: string }[] = [];
  for (const restorer of restorers) {
    const found = await findRemaining(restorer, signal);
    left.push(...found.map(({ object, why }) => ({ object, why: reasons.get(object) ?? why })));
  }
  return left;
}

interface Deadline {
  readonly signal: AbortSignal;
  end(): void;
}

function deadline(timer: MachineTimer, ms: DurationMs, message: string, earlier: AbortSignal): Deadline {
  const controller = new AbortController();
  const cancel = timer.setTimer(ms, () => controller.abort(new Error(message)));
  return { signal: AbortSignal.any([controller.signal, earlier]), end: cancel };
}
