/**
 * Returns a whole number from the environment, or the default when the variable is not set. Throws with the variable's name when its value
 * is not a whole number of at least the minimum.
 */
export function numberFrom(name: string, otherwise: number, minimum = 1, environment: NodeJS.ProcessEnv = process.env): number {
  const given = environment[name];
  if (given === undefined) return otherwise;
  const value = /^\d+$/.test(given) ? Number(given) : NaN;
  if (!Number.isSafeInteger(value) || value < minimum) {
    throw new Error(`${name}: "${given}" must be a whole number of at least ${minimum}`);
  }
  return value;
}
