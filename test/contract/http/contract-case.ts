// Declaration of a contract rule, and the context of its case.

import { expect } from '@jest/globals';
import { eventually, HANG_MS, type StateAndReason } from '../../eventually.ts';
import type { Json, RawClient, RawResponse } from './raw-client.ts';

/** One rule of the API's contract, with its test. */
export interface ContractCase {
  /** Area of the API; each has a jest file. */
  readonly area: string;
  /** The rule, as a sentence. */
  readonly name: string;
  /** Tests the rule; rejects when the server violates it. */
  readonly run: (given: CaseContext) => Promise<void>;
}

/** Cases of one area, by rule. */
export function area(name: string, rules: Readonly<Record<string, ContractCase['run']>>): readonly ContractCase[] {
  return Object.entries(rules).map(([rule, run]) => ({ area: name, name: rule, run }));
}

/** Context of one case, which shares nothing with other cases. */
export class CaseContext {
  readonly client: RawClient;
  /** Unique part of the names of cluster-scoped objects of this case. */
  readonly id: string;
  readonly #removals: string[] = [];
  #namespace: Promise<string> | null = null;

  constructor(client: RawClient, id: string) {
    this.client = client;
    this.id = id;
  }

  /**
   * Namespace of the case, created at the first call. It is not deleted before the cluster: a deletion costs a real cluster's controllers
   * some sixty requests, which would slow the other cases. A real cluster adds a ConfigMap `kube-root-ca.crt` and a ServiceAccount
   * `default` at any time, so cases that count objects count other kinds, or select by label.
   */
  namespace(): Promise<string> {
    this.#namespace ??= this.anotherNamespace();
    return this.#namespace;
  }

  async anotherNamespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const made = await this.client.post('/api/v1/namespaces', { metadata: { generateName: `contract-${this.id}-`, labels } });
    succeeded(made, 'making a namespace');
    return String(made.body.metadata.name);
  }

  /** The namespace, once it has the ServiceAccount that pods need. */
  async namespaceForPods(): Promise<string> {
    const namespace = await this.namespace();
    await this.eventually('the default ServiceAccount exists: its controller creates it in every namespace', async () => {
      const { status } = await this.client.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
      return status === 200;
    });
    return namespace;
  }

  /** Creates a fixture of the case and returns it. A cluster-scoped object is deleted after the case. */
  async create(collection: string, body: Json): Promise<Json> {
    const made = await this.client.post(collection, body);
    succeeded(made, `POST ${collection}`);
    if (!collection.includes('/namespaces/')) this.removeAfter(`${collection}/${String(made.body.metadata.name)}`);
    return made.body;
  }

  /** Deletes the object of that path after the case, whatever its outcome. */
  removeAfter(path: string): void {
    this.#removals.push(path);
  }

  /** Polls until the probe returns neither undefined nor false, and returns that value. */
  eventually<T>(what: StateAndReason, probe: () => Promise<T | undefined | false>): Promise<T> {
    return eventually(what, HANG_MS, probe);
  }

  /** Deletes in reverse order of creation. */
  async cleanUp(): Promise<void> {
    for (const path of this.#removals.reverse()) await this.client.delete(path);
  }
}

/** Throws with the server's message when the response is not a success. */
export function succeeded({ status, text }: RawResponse, what: string): void {
  expect([what, status < 300 ? 'success' : `HTTP ${status}: ${text}`]).toEqual([what, 'success']);
}

/** Expects an error response with status code, reason and, if given, a part of the message. */
export function expectRefusal(answer: RawResponse, code: number, reason: string, words: string | RegExp = ''): void {
  expect(answer.body ?? { status: answer.status, text: answer.text }).toMatchObject({
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code,
    reason,
    message: typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  });
  expect(answer.status).toBe(code);
}
