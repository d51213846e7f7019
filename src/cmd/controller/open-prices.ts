import { readFileSync } from 'node:fs';
import { DefaultPriceSource } from '../../adapters/pricing/default-price-source.ts';
import { parsePriceFile } from '../../adapters/pricing/price-file.ts';
import type { PriceSource } from '../../ports/price-source.ts';
import type { Settings } from '../../runtime/options/settings-schema.ts';

/** @throws where prices.file cannot be read or has problems, with all of them */
export function openPrices(settings: Pick<Settings, 'prices.file'>): PriceSource {
  const path = settings['prices.file'];
  if (path === '') return new DefaultPriceSource();
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Error(`prices.file ${path} cannot be read: set it to an existing file, or leave it empty`, { cause });
  }
  const parsed = parsePriceFile(text, path);
  if (!parsed.ok) throw new Error(`prices.file ${path}: ${parsed.problems.join('; ')}`);
  return new DefaultPriceSource(parsed.prices);
}
