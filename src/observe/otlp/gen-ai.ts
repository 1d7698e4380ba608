/**
 * Attributes of OpenTelemetry's semantic conventions for generative AI, version 1.41.0, as far as a
 * gateway knows them. Names and numbers only: no content of prompts or responses.
 */
import { DIALECTS } from '../../dialects/all.ts';
import { totalCacheWrite, totalInput, totalOutput } from '../../domain/pricing/usage.ts';
import { attemptErrorClass } from '../../services/channels/channel-outcomes.ts';
import { channelTypeSlug } from '../channel-labels.ts';
import type { ObservedAttempt, ObservedCall, ObservedEnd, ResponseDetails } from '../observer.ts';
import type { Attributes } from './wire.ts';

export const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0';

/** `gen_ai.operation.name`; operations unknown to the conventions use the endpoint's name. */
const OPERATIONS: Readonly<Record<string, string>> = {
  completions: 'text_completion',
  images: 'image_generation',
  imageEdits: 'image_edit',
  imageVariations: 'image_variation',
  transcriptions: 'transcription',
  translations: 'translation',
};

export function operationOf(endpoint: string): string {
  return OPERATIONS[endpoint] ?? endpoint;
}

/** `gen_ai.provider.name`, if the conventions have a value for the channel's type. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  claude: 'anthropic',
  gemini: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  aws: 'aws.bedrock',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

export function providerName(channelType: number): string {
  const slug = channelTypeSlug(channelType);
  return PROVIDERS[slug] ?? slug;
}

/** Public paths of the endpoints; the path of a chat call depends on its dialect. */
const ROUTES: Readonly<Record<string, string>> = {
  images: '/v1/images/generations',
  imageEdits: '/v1/images/edits',
  imageVariations: '/v1/images/variations',
  speech: '/v1/audio/speech',
  transcriptions: '/v1/audio/transcriptions',
  translations: '/v1/audio/translations',
};

export function routeOf({ endpoint, dialect = 'chat' }: ObservedCall['incoming']): string {
  if (endpoint !== 'chat') return ROUTES[endpoint] ?? `/v1/${endpoint}`;
  return DIALECTS[dialect].route;
}

/** Attributes of the request. */
export function requestAttributes({ incoming, intent }: ObservedCall): Attributes {
  const { temperature, top_p, seed } = intent.body;
  return {
    'gen_ai.operation.name': operationOf(incoming.endpoint),
    'gen_ai.request.max_tokens': intent.maxTokens,
    'gen_ai.request.temperature': numberIn(temperature),
    'gen_ai.request.top_p': numberIn(top_p),
    'gen_ai.request.seed': numberIn(seed),
  };
}

/** Attributes of the upstream's response. */
export function responseAttributes(
  { usage }: ObservedEnd,
  { finishReasons = [], model }: ResponseDetails,
): Attributes {
  return {
    'gen_ai.response.model': model?.slice(0, MAX_NAME_CHARS),
    'gen_ai.response.finish_reasons':
      finishReasons.length === 0
        ? undefined
        : finishReasons.slice(0, MAX_REASONS).map((reason) => reason.slice(0, MAX_NAME_CHARS)),
    ...(usage === undefined
      ? {}
      : {
          'gen_ai.usage.input_tokens': totalInput(usage),
          'gen_ai.usage.output_tokens': totalOutput(usage),
          'gen_ai.usage.cache_read.input_tokens': usage.cacheRead || undefined,
          'gen_ai.usage.cache_creation.input_tokens': totalCacheWrite(usage) || undefined,
        }),
  };
}

export function errorType({ status, code }: ObservedAttempt): string {
  return attemptErrorClass(status, code);
}

/** Names chosen by a client or an upstream are truncated. */
export const MAX_NAME_CHARS = 200;
const MAX_REASONS = 16;

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
