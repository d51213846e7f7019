// The rooms of src/, the packages and their imports as a Mermaid flowchart.

/** What each room may import, by room. It has no cycle. */
export type RoomTable = ReadonlyMap<string, readonly string[]>;

interface Rule {
  readonly name?: string;
  readonly to: { readonly pathNot?: string | readonly string[] };
}

/** Reads the table of rooms and packages back from the rules that .dependency-cruiser.cjs derives from it. */
export function roomsOf(rules: readonly Rule[]): RoomTable {
  const rooms = new Map<string, readonly string[]>();
  for (const { name, to } of rules) {
    const [, kind, room] = /^(room|package)-(.+)$/.exec(name ?? '') ?? [];
    if (kind === undefined || room === undefined) continue;
    const imports = [to.pathNot ?? ''].flat().flatMap(namesIn);
    if (!imports.includes(room)) throw new Error(`rule ${kind}-${room} does not name what ${room} may import`);
    rooms.set(
      room,
      imports.filter((imported) => imported !== room),
    );
  }
  return rooms;
}

/** `a` and `b` of `^src/(a|b)/`, `a` of `^packages/a/`. */
function namesIn(pattern: string): readonly string[] {
  const [, several, one] = /^\^(?:src|packages)\/(?:\(([\w|-]+)\)|([\w-]+))\/$/.exec(pattern) ?? [];
  return several?.split('|') ?? (one === undefined ? [] : [one]);
}

/** The transitive reduction: an import is left out where a longer way leads to the same room. */
export function directImports(rooms: RoomTable): RoomTable {
  const isReachable = (from: string, to: string): boolean => (rooms.get(from) ?? []).some((next) => next === to || isReachable(next, to));
  return new Map(
    [...rooms].map(([room, imports]) => [room, imports.filter((imported) => !imports.some((other) => isReachable(other, imported)))]),
  );
}

/** @param roles what each room holds, in a few words; a room without one is an error */
export function roomDiagram(rooms: RoomTable, roles: Readonly<Record<string, string>>): string {
  const names = [...rooms.keys()];
  const nodes = names.map((room) => {
    const role = roles[room];
    if (role === undefined) throw new Error(`room ${room} has no role: add one to the roles of the diagram`);
    return `  ${room}["<b>${room}</b><br/>${role}"]`;
  });
  const arrows = [...directImports(rooms)].flatMap(([room, imports]) => imports.map((imported) => `  ${room} --> ${imported}`));
  return ['flowchart TD', ...nodes, ...arrows].join('\n');
}
