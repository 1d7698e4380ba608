/** What a model is called through, as far as its name tells: for filtering lists of models. */

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

/** The first row that matches wins. Names come in lower case and without the part before a slash. */
const ENDPOINTS: readonly (readonly [endpoint: ModelEndpoint, name: RegExp])[] = [
  ['tasks', /^(mj|suno|swap)_/],
  ['moderations', /moderation/],
  ['rerank', /rerank/],
  ['embeddings', /embed|^(bge-|m3e-|gte-|e5-)/],
  ['images', /^(dall-e|gpt-image|imagen|cogview|flux|stable-diffusion|sdxl|seedream|wanx)/],
  ['audio', /^(tts-|whisper|speech-)|-(tts|transcribe)(-|$)/],
];

/** `text-embedding-3-small` is for embeddings, also as `openai/text-embedding-3-small`; else chat. */
export function endpointOf(model: string): ModelEndpoint {
  const bare = model.toLowerCase().slice(model.lastIndexOf('/') + 1);
  return ENDPOINTS.find(([, name]) => name.test(bare))?.[0] ?? 'chat';
}
