import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/** The page's modules by file name, as JavaScript. */
export interface ClientModules {
  /** File name of the entry module. */
  readonly main: string;
  readonly sourceByName: ReadonlyMap<string, string>;
}

/**
 * Reads the page's modules once at start. From source they are TypeScript, whose types are stripped; after a build they are JavaScript. The
 * browser loads small modules by name, so there is no bundle.
 */
export function readClientModules(folder: string = join(import.meta.dirname, 'client')): ClientModules {
  const files = readdirSync(folder);
  const typed = files.includes('main.ts');
  const extension = typed ? '.ts' : '.js';
  const sources = files
    .filter((name) => name.endsWith(extension) && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'))
    .map((name): [string, string] => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [name, typed ? stripTypeScriptTypes(text) : text];
    });
  return { main: `main${extension}`, sourceByName: new Map(sources) };
}
