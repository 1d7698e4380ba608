/** Writes the charged usage into the last frames of a stream. */
import type { Dialect } from '../../dialects/hub/dialect.ts';
import type { Usage } from '../../domain/pricing/usage.ts';
import { isObject, parseJson } from '../../json/read-json.ts';

/** The data of a stream's last frames, with the usage in the last frame that can hold it. */
export function withUsageFrame(
  { usageFields }: Dialect,
  frames: readonly string[],
  usage: Usage,
): readonly string[] {
  for (let at = frames.length - 1; at >= 0; at -= 1) {
    const json = parseJson(frames[at] ?? '');
    const edited = isObject(json) ? usageFields.frame(json, usage) : undefined;
    if (edited !== undefined) return frames.with(at, JSON.stringify(edited));
  }
  return frames;
}
