import { OVERRIDE_ANNOTATIONS } from './override-notes.ts';

/** All user requests in the annotations of a workload as one string, for comparison; empty: none. */
export function fingerprintIntent(annotations: Readonly<Record<string, string>>): string {
  let text = '';
  for (const annotation of OVERRIDE_ANNOTATIONS) {
    const value = annotations[annotation];
    if (value !== undefined) text += `${annotation}=${value}\n`;
  }
  return text;
}
