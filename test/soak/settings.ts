/**
 * A whole number from the environment, or the default where the variable is not set.
 *
 * @throws with the variable's name where it is set to anything else
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
