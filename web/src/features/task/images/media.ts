/** The media of a task, extracted from the upstream's response. */

import { isObject } from '../../../../../src/json/read-json.ts';
export interface Clip {
  readonly key: string;
  readonly title: string;
  readonly audio: string;
  readonly video: string;
  readonly image: string;
}

/** Clips with playable media. */
export function clipsOf(data: unknown): readonly Clip[] {
  const list = Array.isArray(data) ? data : [data];
  return list
    .filter(isObject)
    .map((clip, index) => ({
      key: text(clip, 'id') || String(index),
      title: text(clip, 'title'),
      audio: mediaUrl(text(clip, 'audio_url')),
      video: mediaUrl(text(clip, 'video_url')),
      image: mediaUrl(text(clip, 'image_url')),
    }))
    .filter(({ audio, video }) => audio !== '' || video !== '');
}

/** Upstreams return arbitrary text; only a URL that can be fetched or displayed is accepted. */
export function mediaUrl(address: string): string {
  return /^(https?:\/\/|data:(image|audio|video)\/|\/)/i.test(address) ? address : '';
}

function text(clip: Readonly<Record<string, unknown>>, name: string): string {
  const value = clip[name];
  return typeof value === 'string' ? value : '';
}
