/** Ready-made ratios, published as two JSON maps a source. */
import { mapOf, print } from './price-edits.ts';

export const PRESET_SOURCES = ['flexible', 'openrouter', 'legacy'] as const;
export type PresetSource = (typeof PRESET_SOURCES)[number];

/** Serves the files of npm packages to browsers. */
const HOST = 'https://cdn.jsdelivr.net/npm/ai-model-gateway-presets';
const PATIENCE_MS = 15_000;

export interface Presets {
  /** Input ratios by model. */
  readonly prompt: ReadonlyMap<string, number>;
  readonly completion: ReadonlyMap<string, number>;
}

/** undefined when they cannot be had, or are not what they should be. */
export async function fetchPresets(source: PresetSource): Promise<Presets | undefined> {
  try {
    const [prompt, completion] = await Promise.all(
      ['prompt', 'completion'].map((part) => fetchRatios(`${HOST}/${source}/${part}.json`)),
    );
    return prompt && completion ? { prompt, completion } : undefined;
  } catch {
    // Out of reach, or no JSON: to the reader it is all the same.
    return undefined;
  }
}

async function fetchRatios(address: string): Promise<Map<string, number> | undefined> {
  const answer = await fetch(address, {
    credentials: 'omit',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  return answer.ok ? ratiosOf(await answer.text()) : undefined;
}

export function ratiosOf(text: string): Map<string, number> | undefined {
  const entries = [...(mapOf(text) ?? [])];
  const isRatio = (entry: [string, unknown]): entry is [string, number] =>
    typeof entry[1] === 'number' && Number.isFinite(entry[1]) && entry[1] >= 0;
  const ratios = entries.filter(isRatio);
  return ratios.length > 0 && ratios.length === entries.length ? new Map(ratios) : undefined;
}

/** The map with the presets over it; undefined when that changes nothing or it cannot be read. */
export function overlaid(text: string, presets: ReadonlyMap<string, number>): string | undefined {
  const map = mapOf(text);
  const isNews = [...presets].some(([model, ratio]) => map?.get(model) !== ratio);
  return map && isNews ? print(new Map([...map, ...presets])) : undefined;
}
