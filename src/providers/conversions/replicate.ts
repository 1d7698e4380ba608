/**
 * Replicate's images: a prediction, which is polled until it ends. Options differ by model, so
 * fields pass through under their own names. Source: replicate.com/docs/reference/http,
 * replicate.com/docs/topics/predictions.
 */
import { definedFields } from '../../domain/defined-fields.ts';
import { textIn } from '../../json/read-json.ts';
import { type Conversion, textList, unsupportedField } from './conversion.ts';
import { aspectOf, imageUrlAnswer, OPENAI_ONLY } from './images.ts';

const OPEN: ReadonlySet<string> = new Set(['starting', 'processing']);

export const replicateImages: Conversion = {
  // Replicate waits one minute at most; longer predictions are polled.
  headers: () => ({ prefer: 'wait' }),
  writeBody(body) {
    const { model: _, n, size, ...rest } = body;
    if (typeof n === 'number' && n > 1) throw unsupportedField('n');
    const known = Object.entries(rest).filter(([name]) => !OPENAI_ONLY.has(name));
    return {
      input: definedFields({ aspect_ratio: aspectOf(size), ...Object.fromEntries(known) }),
    };
  },
  follow(json) {
    const id = textIn(json, 'id');
    if (id === undefined || !OPEN.has(textIn(json, 'status') ?? '')) return undefined;
    return { kind: 'ask', path: `/v1/predictions/${encodeURIComponent(id)}` };
  },
  readAnswer(json, input) {
    const status = textIn(json, 'status');
    if (status !== 'succeeded') {
      const message = textIn(json, 'error') ?? `the prediction ended as ${status ?? 'nothing'}`;
      return { error: { message, code: status ?? '', type: 'upstream_error' } };
    }
    const { output } = json;
    return imageUrlAnswer(typeof output === 'string' ? [output] : textList(output), input);
  },
};
