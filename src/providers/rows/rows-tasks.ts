/** Providers of tasks that are submitted and then polled; see `tasks/`. */
import { type ProviderRow, spacedList, taskRow } from './provider-row.ts';

/** The actions of Midjourney proxies, under their price names. */
const DRAWING_MODELS = spacedList(
  'mj_imagine mj_upscale mj_variation mj_reroll mj_blend mj_modal mj_zoom mj_shorten ' +
    'mj_high_variation mj_low_variation mj_pan mj_inpaint mj_custom_zoom mj_describe mj_upload ' +
    'swap_face',
);

export const TASK_ROWS: readonly ProviderRow[] = [
  drawingRow(2, 'https://oa.api2d.net'),
  drawingRow(5, 'https://api.openai-sb.com'),
  taskRow({
    type: 36,
    baseUrl: '',
    address: 'beforeSuno',
    models: ['suno_music', 'suno_lyrics'],
    fixedModels: true,
  }),
  taskRow({
    type: 1024,
    baseUrl: 'https://api.klingai.com',
    key: '`AccessKey|SecretKey`, or the bearer token of a relay',
    models: spacedList(
      'kling-v1 kling-v1-6 kling-v2-master kling-v2-1-master kling-v2-5-turbo kling-v2-6',
    ),
    note: 'Videos, under /kling. International accounts: https://api-singapore.klingai.com. Set a price per call; it is the price of five seconds.',
  }),
];

function drawingRow(type: number, baseUrl: string): ProviderRow {
  return taskRow({ type, baseUrl, models: DRAWING_MODELS, fixedModels: true });
}
