import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

/** The page's modules by path, as JavaScript. */
export interface ClientModules {
  /** Path of the entry module. */
  readonly main: string;
  /** By path below the folder, such as `cards/river.js`. */
  readonly sourceByPath: ReadonlyMap<string, string>;
}

/**
 * Reads the page's modules once at start. From source they are TypeScript, whose types are stripped; after a build they are JavaScript. The
 * browser loads small modules by path, so there is no bundle.
 */
export function readClientModules(folder: string = join(import.meta.dirname, 'client')): ClientModules {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const typed = files.includes('main.ts');
  const extension = typed ? '.ts' : '.js';
  const sources = files
    .filter((path) => path.endsWith(extension) && !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
    .map((path): [string, string] => {
      const text = readFileSync(join(folder, path), 'utf8');
      return [path, typed ? stripTypeScriptTypes(text) : text];
    });
  return { main: `main${extension}`, sourceByPath: new Map(sources) };
}
