/** Image and music tasks, in USD per task. Names of the Midjourney proxy's and Suno's actions. */
import type { PriceBookRow } from './row.ts';

export const TASK_PRICES: readonly PriceBookRow[] = [
  {
    names: [
      'mj_imagine',
      'mj_variation',
      'mj_reroll',
      'mj_blend',
      'mj_modal',
      'mj_zoom',
      'mj_shorten',
      'mj_high_variation',
      'mj_low_variation',
      'mj_pan',
    ],
    perCall: 0.1,
  },
  { names: ['mj_describe', 'mj_upscale', 'mj_upload', 'swap_face'], perCall: 0.05 },
  // The modal action that follows is charged instead.
  { names: ['mj_inpaint', 'mj_custom_zoom'], perCall: 0 },
  { names: ['suno_music'], perCall: 0.1 },
  { names: ['suno_lyrics'], perCall: 0.01 },
];
