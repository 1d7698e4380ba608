/** Infers a model's endpoint from its name, for filtering model lists. */

export const MODEL_ENDPOINTS = [
  'chat',
  'embeddings',
  'images',
  'audio',
  'rerank',
  'moderations',
  'tasks',
] as const;
export type ModelEndpoint = (typeof MODEL_ENDPOINTS)[number];

/** The first matching row wins. Names are in lower case and without the part before the slash. */
const ENDPOINTS: readonly (readonly [endpoint: ModelEndpoint, name: RegExp])[] = [
  ['tasks', /^(mj|suno|swap)_/],
  ['moderations', /moderation/],
  ['rerank', /rerank/],
  ['embeddings', /embed|^(bge-|m3e-|gte-|e5-)/],
  ['images', /^(dall-e|gpt-image|imagen|cogview|flux|stable-diffusion|sdxl|seedream|wanx)/],
  ['audio', /^(tts-|whisper|speech-)|-(tts|transcribe)(-|$)/],
];

/** `text-embedding-3-small`, also with `openai/`, yields embeddings; unknown names yield chat. */
export function modelEndpointOf(model: string): ModelEndpoint {
  const bare = model.toLowerCase().slice(model.lastIndexOf('/') + 1);
  return ENDPOINTS.find(([, name]) => name.test(bare))?.[0] ?? 'chat';
}
