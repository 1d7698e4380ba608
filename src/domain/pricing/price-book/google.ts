/** Google (ai.google.dev/gemini-api/docs/pricing), USD per million tokens, prompts up to 200,000 tokens. */
import type { PriceBookRow } from './row.ts';

export const GOOGLE_ROWS: readonly PriceBookRow[] = [
  // The price until 30 November 2026. It doubles on 1 December; a row holds one price.
  {
    names: ['gemini-4-argon'],
    in: 2,
    out: 10,
    cacheRead: 0.1,
    source: 'pi-ai:google/gemini-4-argon 2026-11-10',
  },
  {
    names: ['gemini-3.8-flash', 'gemini-3.7-flash', 'gemini-3.6-flash'],
    in: 0.75,
    out: 3.75,
    cacheRead: 0.075,
    estimated: true,
  },
  { names: ['gemini-3.5-flash'], in: 1.5, out: 9, cacheRead: 0.15, estimated: true },
  { names: ['gemini-3.5-flash-lite'], in: 0.3, out: 2.5, cacheRead: 0.03, estimated: true },
  {
    names: ['gemini-3.1-pro-preview', 'gemini-3.1-pro', 'gemini-3-pro-preview', 'gemini-3-pro'],
    in: 2,
    out: 12,
    cacheRead: 0.2,
  },
  {
    names: ['gemini-3-flash-preview', 'gemini-3-flash'],
    in: 0.5,
    out: 3,
    cacheRead: 0.05,
    audioIn: 1,
    source: 'pi-ai:google/gemini-3-flash-preview 2026-11-10',
  },
  {
    names: ['gemini-3.1-flash-lite', 'gemini-3.1-flash-lite-preview'],
    in: 0.25,
    out: 1.5,
    cacheRead: 0.025,
    audioIn: 0.5,
    source: 'pi-ai:google/gemini-3.1-flash-lite 2026-11-10',
  },
  {
    names: ['gemini-2.5-pro', 'gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro-preview-06-05'],
    in: 1.25,
    out: 10,
    cacheRead: 0.125,
  },
  { names: ['gemini-2.5-flash'], in: 0.3, out: 2.5, cacheRead: 0.03, audioIn: 1 },
  // Output depends on thinking; the family rules cover both.
  {
    names: ['gemini-2.5-flash-preview-04-17', 'gemini-2.5-flash-preview-05-20'],
    in: 0.15,
  },
  { names: ['gemini-2.5-flash-lite'], in: 0.1, out: 0.4, cacheRead: 0.01, audioIn: 0.3 },
  {
    names: ['gemini-2.0-flash', 'gemini-2.0-flash-001'],
    in: 0.1,
    out: 0.4,
    cacheRead: 0.025,
    audioIn: 0.7,
  },
  {
    names: ['gemini-2.0-flash-lite', 'gemini-2.0-flash-lite-001'],
    in: 0.075,
    out: 0.3,
    cacheRead: 0.01875,
    source: 'genai-prices:google/gemini-2.0-flash-lite 2026-09-23',
  },
  {
    names: ['gemini-1.5-pro-latest', 'gemini-1.5-pro'],
    in: 1.25,
    out: 5,
    source: 'genai-prices:google/gemini-1.5-pro 2026-09-23',
  },
  {
    names: ['gemini-1.5-flash-latest', 'gemini-1.5-flash'],
    in: 0.075,
    out: 0.3,
    cacheRead: 0.01875,
    source: 'genai-prices:google/gemini-1.5-flash 2026-09-23',
  },

  // Priced at the image output rate; text and thinking output are priced the same.
  {
    names: ['gemini-3-pro-image', 'gemini-3-pro-image-preview'],
    in: 2,
    out: 120,
    cacheRead: 0.2,
    source: 'models.dev:google/gemini-3-pro-image 2026-09-28',
  },
  {
    names: ['gemini-3.1-flash-image', 'gemini-3.1-flash-image-preview'],
    in: 0.5,
    out: 60,
    cacheRead: 0.05,
    source: 'models.dev:google/gemini-3.1-flash-image 2026-09-28',
  },
  {
    names: ['gemini-2.5-flash-image', 'gemini-2.5-flash-image-preview'],
    in: 0.3,
    out: 30,
    cacheRead: 0.075,
    source: 'models.dev:google/gemini-2.5-flash-image 2026-09-28',
  },
  { names: ['gemini-2.5-flash-preview-tts'], in: 0.5, out: 10, audioIn: 0.5, audioOut: 10 },
  { names: ['gemini-2.5-pro-preview-tts'], in: 1, out: 20, audioIn: 1, audioOut: 20 },
  { names: ['gemini-embedding-001', 'text-embedding-004'], in: 0.15 },
  {
    names: ['gemini-embedding-2'],
    in: 0.2,
    audioIn: 6.5,
    source: 'models.dev:google/gemini-embedding-2 2026-09-28',
  },
  { names: ['imagen-3.0-generate-002'], perCall: 0.03 },
  { names: ['imagen-4.0-generate-001'], perCall: 0.04 },
  { names: ['imagen-4.0-fast-generate-001'], perCall: 0.02 },
  { names: ['imagen-4.0-ultra-generate-001'], perCall: 0.06 },
  { names: ['PaLM-2'], in: 2, out: 2 },
];
