/** Sends images that arrived in one response as events, for a client that requested a stream. */
import { type JsonObject, objectsIn } from '../../../json/read-json.ts';

/** One event per image; the last one contains the usage. */
export function imageEvents(answer: JsonObject, isEdit: boolean): string {
  const type = isEdit ? 'image_edit.completed' : 'image_generation.completed';
  const { data: _, created, usage, ...facts } = answer;
  const images = objectsIn(answer, 'data');
  return images
    .map((image, index) => {
      const isLast = index === images.length - 1;
      const usageField = isLast && usage !== undefined ? { usage } : {};
      return JSON.stringify({ type, created_at: created, ...facts, ...image, ...usageField });
    })
    .map((data) => `event: ${type}\ndata: ${data}\n\n`)
    .join('');
}
