import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { DemoOptions } from './options.ts';
import { isPortFree } from './ports.ts';

const PORT_OPTIONS = ['api-port', 'dashboard-port', 'metrics-port', 'probe-port'] as const;
const FILE_OPTIONS = ['kubeconfig', 'log-file'] as const;

/** Checks ports and files before the cluster is built. Returns all problems. */
export async function preflight(options: DemoOptions): Promise<readonly string[]> {
  const problems = [...findDuplicatePorts(options)];
  for (const name of PORT_OPTIONS) {
    const port = options[name];
    if (port !== null && port !== 0 && !(await isPortFree(port)))
      problems.push(`--${name}: port ${port} of 127.0.0.1 is taken or not allowed; use another, or 0 for any free one`);
  }
  for (const name of FILE_OPTIONS) {
    const path = options[name];
    if (path !== null && !(await isWritable(path)))
      problems.push(`--${name}: ${path} cannot be written; use a file in an existing, writable folder`);
  }
  return problems;
}

function findDuplicatePorts(options: DemoOptions): readonly string[] {
  const optionByPort = new Map<number, string>();
  return PORT_OPTIONS.flatMap((name) => {
    const port = options[name];
    if (port === null || port === 0) return [];
    const other = optionByPort.get(port);
    optionByPort.set(port, name);
    return other === undefined ? [] : [`--${name}: port ${port} is given to --${other} too`];
  });
}

async function isWritable(path: string): Promise<boolean> {
  try {
    const found = await stat(path).catch(() => null);
    if (found?.isDirectory() === true) return false;
    await access(found === null ? dirname(resolve(path)) : path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
