import type { HealthSource } from '../../queries/sources.ts';

/** Collects the health sources and the features of the parts, each registered where the part is built. `/health` and `/mode` serve them. */
export class PartRegistry {
  readonly #health: HealthSource[] = [];
  readonly #features = new Map<string, boolean>();

  /** Every source, also those that are registered later. */
  get health(): readonly HealthSource[] {
    return this.#health;
  }

  /** Whether each feature is switched on. */
  get features(): Readonly<Record<string, boolean>> {
    return Object.fromEntries(this.#features);
  }

  /** @throws where the name is taken: two checks of one name cannot be told apart */
  addHealth(...sources: readonly HealthSource[]): void {
    for (const source of sources) {
      if (this.#health.some(({ name }) => name === source.name)) throw new Error(`the health source ${source.name} is registered twice`);
      this.#health.push(source);
    }
  }

  /** @throws where the name is taken */
  addFeature(name: string, isEnabled: boolean): void {
    if (this.#features.has(name)) throw new Error(`the feature ${name} is registered twice`);
    this.#features.set(name, isEnabled);
  }
}
