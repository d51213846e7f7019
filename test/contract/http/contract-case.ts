// How a rule of the contract is declared, and what it is given to work with.

import { expect } from '@jest/globals';
import { eventually, HANG_MS, type StateAndReason } from '../../eventually.ts';
import type { Json, RawClient, RawResponse } from './raw-client.ts';

export interface ContractCase {
  /** The part of the API that it belongs to; a jest file each. */
  readonly area: string;
  /** The rule, as a sentence. */
  readonly name: string;
  /** Holds the server to the rule; rejects where it does not keep it. */
  readonly run: (given: CaseContext) => Promise<void>;
}

/** The cases of one area: rule by rule. */
export function area(name: string, rules: Readonly<Record<string, ContractCase['run']>>): readonly ContractCase[] {
  return Object.entries(rules).map(([rule, run]) => ({ area: name, name: rule, run }));
}

/** What one case works with. Nothing of it is shared with another case. */
export class CaseContext {
  readonly client: RawClient;
  /** Part of every name that this case gives to what is not in its namespace: no other case has it. */
  readonly id: string;
  readonly #removals: string[] = [];
  #namespace: Promise<string> | null = null;

  constructor(client: RawClient, id: string) {
    this.client = client;
    this.id = id;
  }

  /**
   * The case's own namespace, made at the first call. It goes with the cluster: to delete one costs a real cluster's controllers
   * some sixty requests, which would slow the other cases. A real cluster adds to it in its own time a ConfigMap
   * `kube-root-ca.crt` and a ServiceAccount `default`: cases that count objects count others, or select by label.
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

  /** The namespace, once pods can be made in it: they need its ServiceAccount. */
  async namespaceForPods(): Promise<string> {
    const namespace = await this.namespace();
    await this.eventually('the default ServiceAccount exists: its controller creates it in every namespace', async () => {
      const { status } = await this.client.get(`/api/v1/namespaces/${namespace}/serviceaccounts/default`);
      return status === 200;
    });
    return namespace;
  }

  /** Creates the fixtures of the case and answers it as created. What is in no namespace is removed after the case. */
  async create(collection: string, body: Json): Promise<Json> {
    const made = await this.client.post(collection, body);
    succeeded(made, `POST ${collection}`);
    if (!collection.includes('/namespaces/')) this.removeAfter(`${collection}/${String(made.body.metadata.name)}`);
    return made.body;
  }

  /** Deletes the object of that path when the case is over, whatever came of it. */
  removeAfter(path: string): void {
    this.#removals.push(path);
  }

  /** Asks again and again until the answer is neither undefined nor false, and returns it. */
  eventually<T>(what: StateAndReason, probe: () => Promise<T | undefined | false>): Promise<T> {
    return eventually(what, HANG_MS, probe);
  }

  /** The last made first. */
  async cleanUp(): Promise<void> {
    for (const path of this.#removals.reverse()) await this.client.delete(path);
  }
}

/** Fails with the server's own words where an answer is no success. */
export function succeeded({ status, text }: RawResponse, what: string): void {
  expect([what, status < 300 ? 'success' : `HTTP ${status}: ${text}`]).toEqual([what, 'success']);
}

/** Holds an answer to be this refusal: status code, reason and, where given, a part of the message. */
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
