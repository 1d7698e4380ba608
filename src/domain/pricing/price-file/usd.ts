import { definedFields } from '../../defined-fields.ts';
import { ratiosOfUsd, type UsdPrice } from '../price-book/usd.ts';
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
