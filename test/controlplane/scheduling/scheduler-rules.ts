import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { buildBinaries } from '../../../hack/real-cluster/binaries.ts';
import type { Decision } from './our-decision.ts';
import type { WireCluster } from '../../builders/scheduling/wire-cluster.ts';

export interface RealAnswer {
  readonly error?: string;
  /** Objects that a real API server would refuse. */
  readonly invalid?: readonly string[];
  readonly pods?: readonly Decision[];
}

/** The plug-ins of kube-scheduler in a separate process, which answers one cluster at a time. */
export class SchedulerRules {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #waiting: { readonly resolve: (answer: RealAnswer) => void; readonly reject: (fault: Error) => void }[] = [];
  readonly #ended: Promise<void>;
  #complaint = '';
  #fault: Error | null = null;

  private constructor(path: string) {
    this.#process = spawn(path, [], { stdio: 'pipe' });
    createInterface({ input: this.#process.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(JSON.parse(line) as RealAnswer));
    this.#process.stderr.on('data', (text: Buffer) => (this.#complaint = `${this.#complaint}${text.toString()}`.slice(0, 4000)));
    // A write to an exited process is reported by its exit.
    this.#process.stdin.on('error', () => undefined);
    this.#ended = new Promise((resolve) => {
      this.#process.once('close', (code) => {
        this.#fault = new Error(`schedulerrules exited with ${code}: ${this.#complaint}`);
        for (const { reject } of this.#waiting.splice(0)) reject(this.#fault);
        resolve();
      });
    });
  }

  /** Builds the program when it is missing, which takes minutes the first time. */
  static async start(): Promise<SchedulerRules> {
    const { schedulerrules } = await buildBinaries(['schedulerrules'], () => undefined);
    return new SchedulerRules(schedulerrules);
  }

  /** Requests may be concurrent; they are answered in order. */
  ask(cluster: WireCluster): Promise<RealAnswer> {
    if (this.#fault !== null) return Promise.reject(this.#fault);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#process.stdin.write(`${JSON.stringify(cluster)}\n`);
    });
  }

  async stop(): Promise<void> {
    this.#process.stdin.end();
    await this.#ended;
  }
}
