/** A number from the environment. @throws where it is none */
export function numberFrom(name: string, otherwise: number): number {
  const given = process.env[name];
  if (given === undefined || given === '') return otherwise;
  if (!/^\d+$/.test(given)) throw new Error(`${name}: "${given}" must be a whole number`);
  return Number(given);
}
