/**
 * The built-in price book: published vendor prices, so that a new installation can charge at once.
 * Operators should confirm the prices: each can be overridden (`gateway price set`, or the ratio
 * options), and rows marked `estimated` are set after the nearest named predecessor.
 *
 * Prices are list prices of the standard tier with short context; batch and priority tiers,
 * long-prompt surcharges and introductory discounts are excluded, and the peak price applies where
 * a vendor has peak hours. A price with a known date of change is today's. A row without a source
 * is from the vendor's page named at the head of its file. Video models are omitted on purpose,
 * because their price depends on seconds and resolution: such a call is rejected until the operator
 * sets a price.
 */
import { ANTHROPIC_ROWS } from './anthropic.ts';
import { CHINA_PRICES } from './china.ts';
import { GOOGLE_ROWS } from './google.ts';
import { OPENAI_ROWS } from './openai.ts';
import { OPENAI_LEGACY_ROWS } from './openai-legacy.ts';
import { OTHER_ROWS } from './others.ts';
import type { PriceBookRow } from './row.ts';
import { TASK_PRICES } from './tasks.ts';

/** The day the prices were last compared with the vendors' pages. */
export const PRICE_BOOK_DATE = '2026-11-21';

export const PRICE_BOOK: readonly PriceBookRow[] = [
  ...OPENAI_ROWS,
  ...OPENAI_LEGACY_ROWS,
  ...ANTHROPIC_ROWS,
  ...GOOGLE_ROWS,
  ...CHINA_PRICES,
  ...OTHER_ROWS,
  ...TASK_PRICES,
];
