import { OVERRIDE_ANNOTATIONS } from './override-notes.ts';

/** Everything that people said of a workload by its annotations, as one text to compare; empty where they said nothing. */
export function intentOf(annotations: Readonly<Record<string, string>>): string {
  let text = '';
  for (const annotation of OVERRIDE_ANNOTATIONS) {
    const value = annotations[annotation];
    if (value !== undefined) text += `${annotation}=${value}\n`;
  }
  return text;
}
