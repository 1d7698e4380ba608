/**
 * OpenAI models that the vendor has discontinued or that are still sold by resellers and on Azure.
 * Their audio ratios come from the family rules.
 */
import type { PriceBookRow } from './row.ts';

export const OPENAI_LEGACY_ROWS: readonly PriceBookRow[] = [
  { names: ['gpt-4o-2024-05-13', 'chatgpt-4o-latest'], in: 5, out: 15, cacheRead: 2.5 },
  {
    names: ['gpt-4o-audio-preview'],
    in: 2.5,
    out: 10,
    audioIn: 40,
    audioOut: 80,
    source: 'genai-prices:openai/gpt-4o-audio-preview 2026-09-23',
  },
  {
    names: ['gpt-4o-audio-preview-2024-10-01', 'gpt-4o-audio-preview-2024-12-17'],
    in: 2.5,
    out: 10,
  },
  {
    names: ['gpt-4o-mini-audio-preview', 'gpt-4o-mini-audio-preview-2024-12-17'],
    in: 0.15,
    out: 0.6,
  },
  {
    names: ['gpt-4o-realtime-preview'],
    in: 5,
    out: 20,
    cacheRead: 2.5,
    audioIn: 40,
    audioOut: 80,
    source: 'genai-prices:openai/gpt-4o-realtime-preview 2026-09-23',
  },
  {
    names: ['gpt-4o-realtime-preview-2024-10-01', 'gpt-4o-realtime-preview-2024-12-17'],
    in: 5,
    out: 20,
    cacheRead: 2.5,
  },
  {
    names: ['gpt-4o-mini-realtime-preview', 'gpt-4o-mini-realtime-preview-2024-12-17'],
    in: 0.6,
    out: 2.4,
    cacheRead: 0.3,
  },
  { names: ['gpt-4.5-preview', 'gpt-4.5-preview-2025-02-27'], in: 75, out: 150, cacheRead: 37.5 },
  {
    names: [
      'gpt-4-turbo',
      'gpt-4-turbo-2024-04-09',
      'gpt-4-turbo-preview',
      'gpt-4-0125-preview',
      'gpt-4-1106-preview',
      'gpt-4-1106-vision-preview',
      'gpt-4-vision-preview',
    ],
    in: 10,
    out: 30,
    cacheRead: 5,
  },
  { names: ['gpt-4', 'gpt-4-0314', 'gpt-4-0613', 'gpt-4-all'], in: 30, out: 60, cacheRead: 15 },
  { names: ['gpt-4-32k', 'gpt-4-32k-0314', 'gpt-4-32k-0613'], in: 60, out: 120, cacheRead: 30 },
  { names: ['gpt-3.5-turbo', 'gpt-3.5-turbo-0125'], in: 0.5, out: 1.5 },
  { names: ['gpt-3.5-turbo-1106'], in: 1, out: 2 },
  {
    names: ['gpt-3.5-turbo-instruct', 'gpt-3.5-turbo-0613', 'gpt-3.5-turbo-0301'],
    in: 1.5,
    out: 2,
  },
  { names: ['gpt-3.5-turbo-16k', 'gpt-3.5-turbo-16k-0613'], in: 3, out: 4 },
  {
    names: ['o1', 'o1-2024-12-17', 'o1-preview', 'o1-preview-2024-09-12'],
    in: 15,
    out: 60,
    cacheRead: 7.5,
  },
  { names: ['o1-pro', 'o1-pro-2025-03-19'], in: 150, out: 600 },
  {
    names: ['o1-mini', 'o1-mini-2024-09-12', 'o3-mini', 'o3-mini-2025-01-31'],
    in: 1.1,
    out: 4.4,
    cacheRead: 0.55,
  },
  { names: ['o4-mini', 'o4-mini-2025-04-16'], in: 1.1, out: 4.4, cacheRead: 0.275 },
  { names: ['codex-mini-latest'], in: 1.5, out: 6, cacheRead: 0.375 },
  { names: ['davinci-002'], in: 2, out: 2 },
  { names: ['babbage-002'], in: 0.4, out: 0.4 },
  { names: ['gpt-4-gizmo-*', 'gpt-4o-gizmo-*'], perCall: 0.1 },
  { names: ['dall-e-3'], perCall: 0.04 },
  { names: ['dall-e-2'], perCall: 0.02 },
];
