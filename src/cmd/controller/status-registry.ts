import type { HealthSource } from '../../queries/sources.ts';

/** Collects the health sources and features of the components for `/health` and `/mode`. Each is registered where its component is built. */
export class StatusRegistry {
  readonly #health: HealthSource[] = [];
  readonly #features = new Map<string, boolean>();

  /** A live list: sources that are registered later appear in it. */
  get health(): readonly HealthSource[] {
    return this.#health;
  }

  /** Whether each feature is enabled. */
  get features(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#features);
  }

  /** @throws where a source of that name exists */
  addHealth(...sources: readonly HealthSource[]): void {
    for (const source of sources) {
      if (this.#health.some(({ name }) => name === source.name)) throw new Error(`the health source ${source.name} is registered twice`);
      this.#health.push(source);
    }
  }

  /** @throws where a feature of that name exists */
  addFeature(name: string, isEnabled: boolean): void {
    if (this.#features.has(name)) throw new Error(`the feature ${name} is registered twice`);
    this.#features.set(name, isEnabled);
  }
}
