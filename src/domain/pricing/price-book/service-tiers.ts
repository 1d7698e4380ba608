/**
 * Published price factors of service tiers, applied to the model's own price. A tier without a
 * factor has no known price, so requests for it are not forwarded. Factors of the option
 * `ServiceTierRatio` replace all of a model's built-in ones.
 *
 * Sources, newest first: pi-ai 1.5.2 (2026-11-10, `-fast` models of vercel-ai-gateway), models.dev
 * (2026-09-28, modes of openai and anthropic), LiteLLM (2026-08-01, fields `*_priority` and
 * `*_flex`, omitted where input, output and cache disagree).
 */

type TierRatios = Readonly<Record<string, number>>;

interface TierRow {
  readonly names: readonly string[];
  readonly tiers: TierRatios;
}

const TIER_ROWS: readonly TierRow[] = [
  // pi-ai and models.dev.
  { names: ['gpt-6.1-sol', 'gpt-6-astra', 'gpt-6-sol', 'gpt-6-luna'], tiers: { priority: 2 } },
  { names: ['gpt-5.5', 'gpt-5.5-2026-04-23'], tiers: { priority: 2.5, flex: 0.5 } },
  // LiteLLM; models.dev and pi-ai agree where they have the model.
  {
    names: [
      'gpt-5.6-sol',
      'gpt-5.6-terra',
      'gpt-5.6-luna',
      'gpt-5.4',
      'gpt-5.4-2026-03-05',
      'gpt-5.4-mini',
      'gpt-5.4-mini-2026-03-17',
      'gpt-5',
      'gpt-5-2025-08-07',
    ],
    tiers: { priority: 2, flex: 0.5 },
  },
  {
    names: [
      'gpt-5.3-codex',
      'gpt-5.3-chat-latest',
      'gpt-5.2',
      'gpt-5.2-2025-12-11',
      'gpt-5.2-chat-latest',
      'gpt-5.2-codex',
      'gpt-5.1',
      'gpt-5.1-2025-11-13',
      'gpt-5.1-chat-latest',
      'gpt-5.1-codex',
      'gpt-4.1-nano',
    ],
    tiers: { priority: 2 },
  },
  {
    names: [
      'gpt-5.5-pro',
      'gpt-5.5-pro-2026-04-23',
      'gpt-5.4-pro',
      'gpt-5.4-pro-2026-03-05',
      'gpt-5.4-nano',
      'gpt-5.4-nano-2026-03-17',
      'gpt-5-nano',
      'gpt-5-nano-2025-08-07',
    ],
    tiers: { flex: 0.5 },
  },
  { names: ['gpt-5-mini', 'gpt-5-mini-2025-08-07'], tiers: { priority: 1.8, flex: 0.5 } },
  { names: ['gpt-5.1-codex-mini'], tiers: { priority: 1.8 } },
  { names: ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4o-2024-05-13'], tiers: { priority: 1.75 } },
  { names: ['gpt-4o'], tiers: { priority: 1.7 } },
  { names: ['gpt-4o-mini'], tiers: { priority: 5 / 3 } },
  { names: ['o3'], tiers: { priority: 1.75, flex: 0.5 } },
  { names: ['o4-mini'], tiers: { priority: 20 / 11, flex: 0.5 } },

  // Fast mode: models.dev, and pi-ai for claude-fable-5-2.
  {
    names: [
      'claude-fable-5-2',
      'claude-fable-5.2',
      'claude-opus-5-5',
      'claude-opus-5.5',
      'claude-opus-5',
      'claude-opus-4-8',
      'claude-opus-4.8',
    ],
    tiers: { fast: 2 },
  },

  // LiteLLM, `gemini/` names.
  {
    names: ['gemini-3.6-flash', 'gemini-3.5-flash-lite', 'gemini-3.1-flash-lite'],
    tiers: { priority: 1.8, flex: 0.5 },
  },
  {
    names: [
      'gemini-3.5-flash',
      'gemini-3.1-pro-preview',
      'gemini-3-pro-preview',
      'gemini-3-flash-preview',
    ],
    tiers: { priority: 1.8 },
  },
];

/** The built-in factors by model. */
export const PRICE_BOOK_TIERS: ReadonlyMap<string, TierRatios> = new Map(
  TIER_ROWS.flatMap(({ names, tiers }) => names.map((name) => [name, tiers] as const)),
);
