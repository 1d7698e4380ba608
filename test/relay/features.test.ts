/** Features run only for the clients and routes that need them. */
import { expect, test } from 'vitest';
import type { DialectName } from '../../src/dialects/hub/dialect.ts';
import { channelTypeOf } from '../../src/domain/channels/channel-types.ts';
import { providerOf } from '../../src/providers/rows/provider-rows.ts';
import { dialectPair, upstreamDialect } from '../../src/relay/call/dialect-pair.ts';
import type { Endpoint } from '../../src/relay/call/incoming-call.ts';
import type { RoutePlan } from '../../src/relay/call/route-plan.ts';
import { FEATURES } from '../../src/relay/features/all.ts';
import type { Feature } from '../../src/relay/features/feature.ts';

interface Side {
  readonly endpoint?: Endpoint;
  readonly client?: DialectName;
}

const CLIENTS: Readonly<Record<string, Side>> = {
  chat: {},
  messages: { client: 'anthropic' },
  responses: { client: 'responses' },
  embeddings: { endpoint: 'embeddings' },
  transcriptions: { endpoint: 'transcriptions' },
};

interface Way extends Side {
  readonly slug: string;
  readonly model: string;
}

const ROUTES: Readonly<Record<string, Way>> = {
  'chat at OpenAI': { slug: 'openai', model: 'gpt-4o' },
  'chat at Anthropic': { slug: 'claude', model: 'claude-sonnet-4-5' },
  'chat at Gemini': { slug: 'gemini', model: 'gemini-2.5-pro' },
  'Gemini client at Gemini': { slug: 'gemini', model: 'gemini-2.5-pro', client: 'gemini' },
  'chat at Dify': { slug: 'dify', model: 'app' },
  'embeddings at Gemini': { slug: 'gemini', model: 'gemini-embedding-001', endpoint: 'embeddings' },
  'chat at a local Ollama': { slug: 'ollama', model: 'llava' },
  'images at Replicate': { slug: 'replicate', model: 'flux', endpoint: 'images' },
};

const APPLY_TO: Readonly<Record<keyof typeof FEATURES, readonly string[]>> = {
  forms: ['transcriptions'],
  sensitiveWords: Object.keys(CLIENTS),
  responses: ['responses'],
  media: ['chat at Gemini', 'chat at a local Ollama'],
  signatures: ['chat at Gemini'],
  uploads: ['chat at Dify'],
  refusedThinking: ['chat at Anthropic'],
  polling: ['images at Replicate'],
};

test.each(Object.entries(FEATURES))(
  '%s applies to its clients and routes only',
  (name, feature) => {
    const { client, route }: Feature = feature;
    const clients = Object.entries(CLIENTS)
      .filter(([, { endpoint = 'chat', client: dialect = 'chat' }]) =>
        client?.appliesTo({ endpoint, dialect }),
      )
      .map(([title]) => title);
    const routes = Object.entries(ROUTES)
      .filter(([, way]) => route?.appliesTo(planOf(way)))
      .map(([title]) => title);
    expect([...clients, ...routes]).toEqual(APPLY_TO[name as keyof typeof FEATURES]);
  },
);

function planOf({ slug, model, endpoint = 'chat', client = 'chat' }: Way): RoutePlan {
  const provider = providerOf(channelTypeOf(slug)?.type ?? 0);
  expect(provider.slug).toBe(slug);
  const dialect = upstreamDialect(provider, model);
  return {
    endpoint,
    provider,
    dialect,
    pair: dialectPair({ endpoint, dialect: client }, dialect),
    model,
    shapeBody: undefined,
  };
}
