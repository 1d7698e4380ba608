import { definedFields } from '../../defined-fields.ts';
import { per, times } from '../rates.ts';
import type { FilePrice, SkippedPrice } from './row.ts';

/** Converts USD per million tokens to a price, or returns why it cannot. */
export function priceOfUsd(model: string, usd: UsdPrice): FilePrice | SkippedPrice {
  const isFree = usd.in === 0;
  // An output price is stored relative to the input price, so a free input cannot have one.
  if (isFree && (usd.out ?? 0) > 0) return { model, reason: 'free_input' };
  if (isFree) return { model, in: 0 };
  // Audio output is relative to audio input, which costs the same as text if it is not listed.
  const hasOnlyOut = usd.audioOut !== undefined && usd.audioIn === undefined;
  const ratios = ratiosOfUsd(hasOnlyOut ? { ...usd, audioIn: usd.in } : usd);
  return {
    model,
    in: usd.in,
    ...definedFields({
      out: usd.out,
      cache: ratios.cacheRatio,
      cacheWrite: ratios.cacheCreationRatio,
      audio: ratios.audioRatio,
      audioCompletion: ratios.audioCompletionRatio,
    }),
  };
}

/** USD per million tokens, as published by vendors. */
export interface UsdPrice {
  readonly in: number;
  readonly out?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly audioIn?: number | undefined;
  readonly audioOut?: number | undefined;
}

interface UsdRatios {
  readonly modelRatio: number;
  readonly completionRatio?: number;
  readonly cacheRatio?: number;
  readonly cacheCreationRatio?: number;
  readonly audioRatio?: number;
  readonly audioCompletionRatio?: number;
}

/**
 * The ratios of a published price; components that the vendor does not list are absent. Exact: the
 * ratios convert back to the same USD. No ratio can be derived from a free input, so only its 0 is
 * kept.
 */
function ratiosOfUsd(usd: UsdPrice): UsdRatios {
  const modelRatio = times(usd.in, 0.5);
  if (usd.in === 0) return { modelRatio };
  return {
    modelRatio,
    ...ratioOf('completionRatio', usd.out, usd.in),
    ...ratioOf('cacheRatio', usd.cacheRead, usd.in),
    ...ratioOf('cacheCreationRatio', usd.cacheWrite, usd.in),
    ...ratioOf('audioRatio', usd.audioIn, usd.in),
    ...ratioOf('audioCompletionRatio', usd.audioOut, usd.audioIn),
  };
}

function ratioOf<K extends string>(key: K, part: number | undefined, base: number | undefined) {
  const ratio = part === undefined || base === undefined ? undefined : per(part, base);
  return ratio === undefined ? {} : { [key]: ratio };
}
