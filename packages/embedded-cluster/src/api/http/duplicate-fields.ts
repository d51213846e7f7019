// Finds duplicate fields of a JSON text. JSON.parse silently keeps the last; the API server warns or refuses.

interface Level {
  readonly path: string;
  /** Names so far, of an object; null for a list. */
  readonly names: Set<string> | null;
  /** Of the member that is being read. */
  name: string;
  index: number;
  expectsName: boolean;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;

/** Paths such as `spec.containers[0].image`, in the order of the text, which must be valid JSON. */
export function duplicateFields(text: string): readonly string[] {
  const duplicates: string[] = [];
  const levels: Level[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    switch (token) {
      case '{':
      case '[':
        levels.push({ path: pathIn(level), names: token === '{' ? new Set() : null, name: '', index: 0, expectsName: token === '{' });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level?.names === null) level.index += 1;
        else if (level !== undefined) level.expectsName = true;
        break;
      case ':':
        break;
      default:
        if (level?.expectsName === true) takeName(level, JSON.parse(token) as string, duplicates);
    }
  }
  return duplicates;
}

function takeName(level: Level, name: string, duplicates: string[]): void {
  level.name = name;
  level.expectsName = false;
  if (level.names?.has(name) === true) duplicates.push(pathIn(level));
  level.names?.add(name);
}

/** Of the member that is being read. */
function pathIn(level: Level | undefined): string {
  if (level === undefined) return '';
  if (level.names === null) return `${level.path}[${level.index}]`;
  return level.path === '' ? level.name : `${level.path}.${level.name}`;
}
