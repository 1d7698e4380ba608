/**
 * The built-in price book: what vendors publish, so that a new installation can charge at once.
 * Prices are the operator's to confirm: every one can be overridden (`gateway price set`, or the
 * ratio options), and rows marked `estimated` are set after the nearest named predecessor.
 *
 * Standard tier, short context and list price: batch and priority tiers, long-prompt surcharges and
 * introductory discounts are not in it, and where a vendor has peak hours the peak price counts. A price that changes on a known day is the
 * one of today. Where a row names no source, the vendor's page at the head of its file is it.
 * Video models are left out on purpose, their price depends on seconds and resolution: such a call
 * is refused until the operator sets a price.
 */
import { ANTHROPIC_ROWS } from './anthropic.ts';
import { CHINA_PRICES } from './china.ts';
import { GOOGLE_ROWS } from './google.ts';
import { OPENAI_ROWS } from './openai.ts';
import { OPENAI_LEGACY_ROWS } from './openai-legacy.ts';
import { OTHER_ROWS } from './others.ts';
import type { BookRow } from './row.ts';
import { TASK_PRICES } from './tasks.ts';

/** The day the prices were last compared with the vendors' pages. */
export const BOOK_DATE = '2026-11-21';

export const BOOK: readonly BookRow[] = [
  ...OPENAI_ROWS,
  ...OPENAI_LEGACY_ROWS,
  ...ANTHROPIC_ROWS,
  ...GOOGLE_ROWS,
  ...CHINA_PRICES,
  ...OTHER_ROWS,
  ...TASK_PRICES,
];
