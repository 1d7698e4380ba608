/**
 * Vertex AI: Gemini under Google as publisher, Claude under Anthropic, and models named
 * `maker/model` through OpenAI's chat. Source: cloud.google.com/vertex-ai/docs/reference/rest,
 * "publishers.models", "endpoints.chat", and "Locations".
 */
import {
  isServiceAccount,
  readServiceAccount,
  type ServiceAccount,
} from '../../domain/channels/cloud-keys.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { isObject, type JsonObject, parseJson, textIn } from '../../json/read-json.ts';
import { headerValue } from '../requests/auth-headers.ts';
import { joinUrl, type UpstreamUrl } from '../requests/upstream-url.ts';
import type { ProviderFamily } from '../rows/provider-row.ts';
import { type ClaudeCloud, claudeCloudPayload } from './anthropic-clouds.ts';
import type { Auth, RequestPlan, Transport } from './transport.ts';

const CLAUDE: ClaudeCloud = {
  version: 'vertex-2023-10-16',
  flags: [
    'computer-use-',
    'token-efficient-tools-',
    'interleaved-thinking-',
    'output-128k-',
    'context-1m-',
    'context-management-',
    'web-search-',
    'tool-search-tool-',
    'fine-grained-tool-streaming-',
    'compact-',
  ],
};

export const VERTEX_TRANSPORT: Transport = {
  families: ['gemini', 'claude', 'openai'],
  hasManyHosts: true,
  familyOf,
  offers: (_provider, endpoint) => endpoint === 'chat' || endpoint === 'models',
  url(plan) {
    if (plan.endpoint !== 'chat') throw new AppError('endpoint_unsupported', { model: plan.model });
    return urlAt(plan, `/${versionOf(plan.model)}/${placeOf(plan)}${actionOf(plan)}`);
  },
  lists: (plan) =>
    ['google', 'anthropic'].map((maker) =>
      urlAt(plan, `/v1beta1/publishers/${maker}/models?pageSize=300`),
    ),
  auth({ key }): Auth {
    if (!isServiceAccount(key)) return { headers: { 'x-goog-api-key': headerValue('key', key) } };
    return { headers: {}, credentials: { kind: 'google', account: accountOf(key) } };
  },
  bytesOnly: ['claude'],
  wrap(payload, family) {
    if (family === 'claude') return claudeCloudPayload(payload, CLAUDE);
    return family === 'gemini' ? { ...payload, body: geminiBody(payload.body) } : payload;
  },
};

function familyOf(model: string): ProviderFamily {
  if (/^claude-/i.test(model)) return 'claude';
  return model.includes('/') ? 'openai' : 'gemini';
}

/** Preview models require the next version of the API. */
function versionOf(model: string): string {
  const isPreview = familyOf(model) === 'gemini' && /preview|-exp(-|$)/.test(model);
  return isPreview ? 'v1beta1' : 'v1';
}

/** With an API key ("express mode"): no project or location, and only Google's models. */
function placeOf(plan: RequestPlan): string {
  if (isServiceAccount(plan.key)) {
    const { projectId } = accountOf(plan.key);
    return `projects/${encodeURIComponent(projectId)}/locations/${regionOf(plan)}/`;
  }
  if (familyOf(plan.model) === 'gemini') return '';
  throw unusableChannel('key_of_google_models', { model: plan.model });
}

function actionOf({ model, stream }: RequestPlan): string {
  switch (familyOf(model)) {
    case 'claude': {
      const name = encodeURIComponent(vertexClaude(model)).replace('%40', '@');
      return `publishers/anthropic/models/${name}:${stream ? 'streamRawPredict' : 'rawPredict'}`;
    }
    case 'openai':
      return 'endpoints/openapi/chat/completions';
    default: {
      const action = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      return `publishers/google/models/${encodeURIComponent(model)}:${action}`;
    }
  }
}

/** Dates follow an at sign, and the second version of one model has a name of its own. */
function vertexClaude(model: string): string {
  if (model === 'claude-3-5-sonnet-20241022') return 'claude-3-5-sonnet-v2@20241022';
  return model.replace(/-(\d{8})$/, '@$1');
}

function accountOf(key: string): ServiceAccount {
  const account = readServiceAccount(key);
  if (account !== undefined) return account;
  throw unusableChannel('key_no_account');
}

/** One region for all, or by the client's model name, the upstream's, and `default`. */
function regionOf({ other = '', clientModel, model }: RequestPlan): string {
  const regions = parseJson(other);
  const text = isObject(regions)
    ? [clientModel, model, 'default'].map((name) => textIn(regions, name ?? '')).find(Boolean)
    : other.trim();
  if (text === undefined || text === '') throw unusableChannel('region_missing');
  if (/^[a-z0-9-]+$/.test(text)) return text;
  throw unusableChannel('region_invalid');
}

function urlAt(plan: RequestPlan, path: string): UpstreamUrl {
  const base = plan.baseUrl === '' ? googleHost(plan) : plan.baseUrl;
  return joinUrl(base, path, { model: plan.model, other: plan.other ?? '' });
}

function googleHost(plan: RequestPlan): string {
  const region = isServiceAccount(plan.key) && plan.endpoint === 'chat' ? regionOf(plan) : 'global';
  if (region === 'global') return 'https://aiplatform.googleapis.com';
  if (region === 'us' || region === 'eu') return `https://aiplatform.${region}.rep.googleapis.com`;
  return `https://${region}-aiplatform.googleapis.com`;
}

/**
 * Fixes what AI Studio accepts but Vertex rejects: contents without a role, and ids of calls, which
 * Vertex matches by name and order.
 */
function geminiBody(body: JsonObject): JsonObject {
  const { contents } = body;
  if (!Array.isArray(contents)) return body;
  const strict = contents.map((content: unknown) =>
    isObject(content) ? { role: 'user', ...content, ...partsOf(content) } : content,
  );
  return { ...body, contents: strict };
}

function partsOf({ parts }: JsonObject): JsonObject {
  if (!Array.isArray(parts)) return {};
  return { parts: parts.map((part: unknown) => (isObject(part) ? withoutIds(part) : part)) };
}

const CALLS = ['functionCall', 'function_call', 'functionResponse', 'function_response'] as const;

function withoutIds(part: JsonObject): JsonObject {
  const name = CALLS.find((candidate) => isObject(part[candidate]));
  if (name === undefined) return part;
  const { id: _, ...rest } = part[name] as JsonObject; // checked just above
  return { ...part, [name]: rest };
}
