/** The media of a task, extracted from the upstream's response. */

import { asObjects, textIn } from '../../../../../src/json/read-json.ts';

export interface Clip {
  readonly key: string;
  readonly title: string;
  readonly audio: string;
  readonly video: string;
  readonly image: string;
}

/** Clips with playable media. */
export function clipsOf(data: unknown): readonly Clip[] {
  return asObjects(Array.isArray(data) ? data : [data])
    .map((clip, index) => ({
      key: textIn(clip, 'id') ?? String(index),
      title: textIn(clip, 'title') ?? '',
      audio: mediaUrl(textIn(clip, 'audio_url')),
      video: mediaUrl(textIn(clip, 'video_url')),
      image: mediaUrl(textIn(clip, 'image_url')),
    }))
    .filter(({ audio, video }) => audio !== '' || video !== '');
}

/** Upstreams return arbitrary text; only a URL that can be fetched or displayed is accepted. */
export function mediaUrl(address = ''): string {
  return /^(https?:\/\/|data:(image|audio|video)\/|\/)/i.test(address) ? address : '';
}
