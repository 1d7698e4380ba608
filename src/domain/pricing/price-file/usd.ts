import { ratiosOfUsd, type UsdPrice } from '../price-book/usd.ts';
import { type FilePrice, type SkippedPrice, withoutAbsent } from './row.ts';

/** A price in USD per million tokens, or why it is none. */
export function priceOfUsd(model: string, usd: UsdPrice): FilePrice | SkippedPrice {
  const isFree = usd.in === 0;
  // An output price relates to the input price: beside a free input it cannot be kept.
  if (isFree && (usd.out ?? 0) > 0) return { model, reason: 'free_input' };
  if (isFree) return { model, in: 0 };
  // Audio output relates to audio input, which costs what text costs where it is not named.
  const hasOnlyOut = usd.audioOut !== undefined && usd.audioIn === undefined;
  const ratios = ratiosOfUsd(hasOnlyOut ? { ...usd, audioIn: usd.in } : usd);
  return {
    model,
    in: usd.in,
    ...withoutAbsent({
      out: usd.out,
      cache: ratios.cacheRatio,
      cacheWrite: ratios.cacheCreationRatio,
      audio: ratios.audioRatio,
      audioCompletion: ratios.audioCompletionRatio,
    }),
  };
}
