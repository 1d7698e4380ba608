/**
 * One site with a fake upstream and one that sends exactly the bytes of a test, and tenants to either
 * of them as an upstream of any dialect.
 */
import { expect } from 'vitest';
import { DIALECTS } from '../../../src/dialects/all.ts';
import type { HubAnswer } from '../../../src/dialects/hub/answer/answer.ts';
import type { DialectName } from '../../../src/dialects/hub/dialect.ts';
import { wireOf } from '../../dialects/hub/streams.ts';
import { rawSite } from '../../relay/raw-site.ts';
import { type RawUpstream, SSE, whole } from '../../relay/raw-upstream.ts';
import { addTenant, type Tenant, type TenantOptions } from '../../relay/tenant.ts';
import type { Site, SiteAnswer, SiteCall, SiteOptions } from '../../support/site.ts';
import { type ChatRequest, clientNamed, hubAnswerOf } from '../matrix/clients.ts';

export type Vendor = DialectName;

export const NAMES = Object.keys(DIALECTS) as Vendor[]; // the keys of a constant table

const OLDER = ['chat', 'anthropic', 'gemini'] as const;

/** Every client over every upstream; the Responses dialect each way once, and with itself. */
export const PAIRS: readonly (readonly [Vendor, Vendor])[] = [
  ...OLDER.flatMap((client) => OLDER.map((upstream) => [client, upstream] as const)),
  ['responses', 'responses'],
  ['responses', 'anthropic'],
  ['chat', 'responses'],
];

/** Every client and every upstream once, no two alike. */
export const CROSSED = [
  ['chat', 'anthropic'],
  ['anthropic', 'gemini'],
  ['gemini', 'responses'],
  ['responses', 'chat'],
] as const;

const VENDORS: Readonly<Record<Vendor, TenantOptions>> = {
  // Compatible with OpenAI, but without the Responses endpoint.
  chat: { channel: { type: 1, setting: '{"chat_only":true}' } },
  anthropic: { channel: { type: 14 }, suffix: '-claude-sonnet-4-5' },
  gemini: { channel: { type: 24 }, suffix: '-gemini-3.1-pro' },
  // Served by the Responses endpoint only, whatever the client's dialect.
  responses: { channel: { type: 1 }, upstreamModel: 'gpt-5.3-codex' },
};

/** The shortest complete answer in each dialect. */
export const SHORT = {
  chat: {
    choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  },
  anthropic: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'hi' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 1 },
  },
  gemini: {
    candidates: [{ content: { parts: [{ text: 'hi' }], role: 'model' }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1, totalTokenCount: 4 },
  },
  responses: {
    ...{ id: 'resp_1', object: 'response', status: 'completed', model: 'gpt-5.3-codex' },
    output: [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hi', annotations: [] }],
      },
    ],
    usage: { input_tokens: 3, output_tokens: 1, total_tokens: 4 },
  },
} as const satisfies Record<Vendor, object>;

// biome-ignore lint/suspicious/noExplicitAny: bodies are compared, never trusted
export type Json = any;

export interface PitfallSite {
  readonly site: Site;
  readonly raw: RawUpstream;
  /** A tenant to the raw upstream with this dialect. */
  rawTenant(upstream: Vendor, options?: TenantOptions): Promise<Tenant>;
  /** A tenant to the fake upstream with this dialect. */
  fakeTenant(upstream: Vendor, options?: TenantOptions): Promise<Tenant>;
  /** A call in the client's dialect; `more` replaces fields of its body. */
  chat(client: Vendor, tenant: Tenant, request: ChatRequest, more?: object): Promise<SiteAnswer>;
  /** The body that the upstream receives for the client's body. */
  sent(client: Vendor, upstream: Vendor, body: object, options?: TenantOptions): Promise<Json>;
  /** The stream that a client receives if the upstream sends exactly these bytes. */
  streamTo(client: Vendor, upstream: Vendor, wire: string): Promise<StreamResult>;
}

export interface StreamResult {
  readonly tenant: Tenant;
  readonly answer: SiteAnswer;
  readonly hubAnswer: HubAnswer;
  /** The data of each frame except the end mark. */
  readonly frames: readonly Json[];
}

/** For a whole test file. */
export async function createPitfallSite(options: SiteOptions = {}): Promise<PitfallSite> {
  const { site, raw } = await rawSite({ upstreams: 2, ...options });
  const tenant = (upstream: Vendor, { channel, ...rest }: TenantOptions, url?: string) => {
    const vendor = VENDORS[upstream];
    const to = url === undefined ? {} : { base_url: url };
    return addTenant(site, {
      ...vendor,
      channel: { ...vendor.channel, ...to, ...channel },
      ...rest,
    });
  };
  const pitfallSite: PitfallSite = {
    site,
    raw,
    rawTenant: (upstream, given = {}) => tenant(upstream, given, raw.url),
    fakeTenant: (upstream, given = {}) => tenant(upstream, given),
    chat: (client, to, request, more) => site.call(callOf(client, to, request, more)),
    async sent(client, upstream, body, given) {
      const to = await pitfallSite.rawTenant(upstream, given);
      raw.answer = whole(SHORT[upstream]);
      const answer = await pitfallSite.chat(client, to, { text: 'Hi' }, body);
      expect(answer.status, answer.text).toBe(200);
      return JSON.parse(raw.requests.at(-1)?.body ?? '');
    },
    async streamTo(client, upstream, wire) {
      const to = await pitfallSite.rawTenant(upstream);
      raw.answer = (response) => response.writeHead(200, SSE).end(wire);
      const answer = await pitfallSite.chat(client, to, { text: 'Hi', stream: true });
      return {
        tenant: to,
        answer,
        hubAnswer: hubAnswerOf(client, answer, true),
        frames: framesOf(answer),
      };
    },
  };
  return pitfallSite;
}

export function callOf(
  client: Vendor,
  tenant: Tenant,
  request: ChatRequest,
  more: object = {},
): SiteCall {
  const { body, ...call } = clientNamed(client).request(tenant.model, request);
  const laid = { ...(body as object), ...more }; // every row asks with an object
  return { ...call, body: laid, key: tenant.token.key };
}

function framesOf({ text }: SiteAnswer): Json[] {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data: {'));
  return data.map((line) => JSON.parse(line.slice(6)));
}

/** A stored stream in the upstream's wire format. */
export function stored(upstream: Vendor, path: string): string {
  return String(wireOf(upstream, path));
}

/** Frames in this upstream's wire format. */
export function wireOfFrames(upstream: Vendor, ...frames: readonly Json[]): string {
  const texts = frames.map((frame) => {
    const isNamed = upstream === 'anthropic' || upstream === 'responses';
    const name = isNamed ? `event: ${frame.type}\n` : '';
    return `${name}data: ${JSON.stringify(frame)}\n\n`;
  });
  return texts.join('') + (upstream === 'chat' ? 'data: [DONE]\n\n' : '');
}
