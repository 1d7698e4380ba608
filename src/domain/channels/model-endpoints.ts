/** Infers a model's endpoint from its name, for filtering model lists. */

export const MODEL_ENDPOINTS = [
  'chat',
  'embeddings',
  'images',
  'audio',
  'rerank',
  'moderations',
  'realtime',
  'tasks',
] as const;
export type ModelEndpoint = (typeof MODEL_ENDPOINTS)[number];

/** The first matching row wins. Names are in lower case and without the part before the slash. */
const ENDPOINTS: readonly (readonly [endpoint: ModelEndpoint, name: RegExp])[] = [
  ['tasks', /^(mj|suno|swap)_|^(kling|sora|veo|vidu|hailuo)-|seedance/],
  ['moderations', /moderation/],
  ['rerank', /rerank/],
  ['embeddings', /embed|^(bge-|m3e-|gte-|e5-)/],
  ['realtime', /-(realtime|live|livetranslate)(-|$)/],
  // The image models of Gemini answer chat requests.
  ['images', /^(dall-e|imagen|cogview|flux|stable-diffusion|sdxl|wanx)|seedream/],
  ['images', /^(?!gemini-)(.*-)?image(-|$)/],
  ['audio', /^(tts-|whisper|speech-|lyria-)|-(tts|transcribe|asr|audio)(-|$)/],
];

/** The words of this family of gateways; every chat model is served in each of these dialects. */
const ENDPOINT_TYPES: Readonly<Record<ModelEndpoint, readonly string[]>> = {
  chat: ['openai', 'openai-response', 'anthropic', 'gemini'],
  embeddings: ['embeddings'],
  images: ['image-generation'],
  audio: [],
  rerank: ['jina-rerank'],
  moderations: [],
  realtime: [],
  tasks: [],
};

/** Where requests of each of these types are sent to, by POST. */
export const ENDPOINT_TYPE_PATHS: Readonly<Record<string, string>> = {
  openai: '/v1/chat/completions',
  'openai-response': '/v1/responses',
  anthropic: '/v1/messages',
  gemini: '/v1beta/models/{model}:generateContent',
  embeddings: '/v1/embeddings',
  'image-generation': '/v1/images/generations',
  'jina-rerank': '/v1/rerank',
};

export function endpointTypesOf(model: string): readonly string[] {
  return ENDPOINT_TYPES[modelEndpointOf(model)];
}

/** `text-embedding-3-small`, also with `openai/`, yields embeddings; unknown names yield chat. */
export function modelEndpointOf(model: string): ModelEndpoint {
  const bare = model.toLowerCase().slice(model.lastIndexOf('/') + 1);
  return ENDPOINTS.find(([, name]) => name.test(bare))?.[0] ?? 'chat';
}
