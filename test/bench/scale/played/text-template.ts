// JSON text with slots: an object is serialized once, and each of its copies costs one concatenation.

/** In this order: a JSON value, a member with its comma, the last item of an array with its comma, text within a string. */
const SLOT = /"@@value:(\w+)@@"|"@@member:(\w+)@@":0,|,"@@item:(\w+)@@"|@@(\w+)@@/;
const GROUPS = 4;

/** Text within a JSON string: its value needs no escapes. */
export function slot(name: string): string {
  return `@@${name}@@`;
}

/** A whole JSON value. */
export function valueSlot(name: string): string {
  return `@@value:${name}@@`;
}

/** A member that may be absent, and that another follows: `{ ...memberSlot('deletion'), last: 1 }`. The value is '' or ends with a comma. */
export function memberSlot(name: string): Readonly<Record<string, 0>> {
  return { [`@@member:${name}@@`]: 0 };
}

/** An item that may be absent, and that follows another. The value is '' or begins with a comma. */
export function itemSlot(name: string): string {
  return `@@item:${name}@@`;
}

/** Templates by kind and containers, each made at its first use. */
export class TextTemplates<Kind extends string, Slot extends string> {
  readonly #objectOf: (kind: Kind, containers: readonly string[]) => object;
  readonly #slots: readonly Slot[];
  readonly #templates = new Map<string, TextTemplate<Slot>>();

  constructor(objectOf: (kind: Kind, containers: readonly string[]) => object, slots: readonly Slot[]) {
    this.#objectOf = objectOf;
    this.#slots = slots;
  }

  of(kind: Kind, containers: readonly string[]): TextTemplate<Slot> {
    const key = `${kind}/${containers.join('/')}`;
    let template = this.#templates.get(key);
    if (template === undefined) this.#templates.set(key, (template = new TextTemplate(this.#objectOf(kind, containers), this.#slots)));
    return template;
  }
}

export class TextTemplate<Slot extends string> {
  readonly #texts: readonly string[];
  readonly #slots: readonly Slot[];

  /** @throws Error where the object has a slot without a name */
  constructor(object: object, names: readonly Slot[]) {
    const parts: readonly (string | undefined)[] = JSON.stringify(object).split(SLOT);
    const slots: Slot[] = [];
    const texts: string[] = [];
    for (let at = 0; at < parts.length; at += GROUPS + 1) {
      texts.push(parts[at] ?? '');
      const name = parts.slice(at + 1, at + 1 + GROUPS).find((group) => group !== undefined);
      if (name === undefined) continue;
      const known = names.find((each) => each === name);
      if (known === undefined) throw new Error(`no value is given for slot ${name}`);
      slots.push(known);
    }
    this.#texts = texts;
    this.#slots = slots;
  }

  text(values: Readonly<Record<Slot, string>>): string {
    let text = this.#texts[0] ?? '';
    for (const [index, name] of this.#slots.entries()) text += values[name] + (this.#texts[index + 1] ?? '');
    return text;
  }
}
