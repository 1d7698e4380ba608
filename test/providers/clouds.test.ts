/** Addresses, model names and request envelopes of Bedrock and Vertex. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors/errors.ts';
import { buildRequest, modelListRequests } from '../../src/providers/requests/openai-request.ts';
import { providerOf } from '../../src/providers/rows/provider-rows.ts';
import { transportOf } from '../../src/providers/transports/all.ts';
import type { RequestPlan } from '../../src/providers/transports/transport.ts';

const AWS = 'AKIA1|secret|us-east-1';
const ACCOUNT = JSON.stringify({ project_id: 'p-1', client_email: 'e', private_key: 'k' });

function plan(type: number, given: Partial<RequestPlan>): RequestPlan {
  const provider = providerOf(type);
  return { provider, baseUrl: '', key: '', endpoint: 'chat', model: 'm', ...given };
}

function address(type: number, given: Partial<RequestPlan>): string {
  const { url } = buildRequest(plan(type, given));
  return url.origin + url.path;
}

function problemOf(work: () => unknown): unknown {
  try {
    work();
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.params.reason ?? error.code;
  }
}

describe('Bedrock', () => {
  const path = (model: string, region = 'us-east-1', stream = false) =>
    address(33, { key: `AKIA1|secret|${region}`, model, stream }).split('/model/')[1];

  test('is called in the region, with one action per kind of response', () => {
    const model = 'nova-pro';
    expect(address(33, { key: AWS, model })).toBe(
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.amazon.nova-pro-v1%3A0/converse',
    );
    expect(path(model, 'eu-west-1', true)).toBe('eu.amazon.nova-pro-v1%3A0/converse-stream');
    expect(path('claude-opus-4-6')).toBe('us.anthropic.claude-opus-4-6-v1/invoke');
    expect(path('claude-opus-4-6', 'us-east-1', true)).toBe(
      'us.anthropic.claude-opus-4-6-v1/invoke-with-response-stream',
    );
    expect(address(33, { key: 'AKIA1|s|cn-north-1', model })).toContain('.amazonaws.com.cn/model/');
  });

  test.each([
    ['claude-sonnet-4-5', 'us-west-2', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'eu-north-1', 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'ap-northeast-1', 'jp.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'ap-southeast-2', 'au.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'ap-south-1', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'sa-east-1', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['claude-sonnet-4-5', 'us-gov-west-1', 'us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    [
      'claude-3-7-sonnet-20250219',
      'ap-northeast-1',
      'apac.anthropic.claude-3-7-sonnet-20250219-v1:0',
    ],
    ['claude-3-5-haiku-20241022', 'eu-west-1', 'anthropic.claude-3-5-haiku-20241022-v1:0'],
    ['claude-opus-5-5', 'us-east-1', 'us.anthropic.claude-opus-5-5'],
    ['claude-opus-5-5', 'ca-central-1', 'global.anthropic.claude-opus-5-5'],
    ['eu.anthropic.claude-opus-4-6-v1', 'us-east-1', 'eu.anthropic.claude-opus-4-6-v1'],
    ['openai.gpt-oss-120b-1:0', 'us-east-1', 'openai.gpt-oss-120b-1:0'],
    [
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x',
      'us-east-1',
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x',
    ],
  ])('calls %s in %s by %s', (model, region, id) => {
    const [name = ''] = path(model, region)?.split('/') ?? [];
    expect(decodeURIComponent(name)).toBe(id);
    expect(name).not.toMatch(/[:/]/);
  });

  test('prefers the region of the key to that of the channel, and a base URL to both', () => {
    const model = 'nova-pro';
    expect(address(33, { key: 'AKIA1|s', other: 'eu-west-1', model })).toContain(
      'bedrock-runtime.eu-west-1.',
    );
    expect(address(33, { key: AWS, other: 'eu-west-1', model })).toContain('.us-east-1.');
    const baseUrl = 'https://vpce-1.example.com/aws';
    expect(address(33, { key: AWS, baseUrl, model })).toBe(
      `${baseUrl}/model/us.amazon.nova-pro-v1%3A0/converse`,
    );
  });

  test('authenticates by a signature, or by an API key in a header', () => {
    const { headers, credentials } = buildRequest(plan(33, { key: AWS }));
    expect(headers).toEqual({ 'content-type': 'application/json' });
    expect(credentials).toMatchObject({ kind: 'aws', region: 'us-east-1', service: 'bedrock' });
    const bearer = buildRequest(plan(33, { key: 'api-key|us-east-1' }));
    expect(bearer.headers.authorization).toBe('Bearer api-key');
    expect(bearer.credentials).toBe(undefined);
  });

  test('reports what is missing', () => {
    expect(problemOf(() => address(33, { key: 'AKIA1|s' }))).toBe('region_missing');
    expect(problemOf(() => address(33, { key: 'api-key', other: 'x.evil.test/' }))).toBe(
      'region_invalid',
    );
    expect(problemOf(() => address(33, { key: '' }))).toBe('value_missing');
    expect(problemOf(() => address(33, { key: 'a|b|c|d|e' }))).toBe('key_form');
    expect(problemOf(() => address(33, { key: AWS, endpoint: 'embeddings' }))).toBe(
      'endpoint_unsupported',
    );
  });

  test('has two lists of models, at the host of its other service', () => {
    const urls = (baseUrl: string) =>
      modelListRequests(plan(33, { key: AWS, baseUrl })).map(({ url }) => url.origin + url.path);
    const lists = [
      'https://bedrock.us-east-1.amazonaws.com/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT',
      'https://bedrock.us-east-1.amazonaws.com/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED',
    ];
    expect(urls('')).toEqual(lists);
    expect(urls('https://bedrock-runtime.us-east-1.amazonaws.com')).toEqual(lists);
  });

  test('gets version and beta flags of Claude in the body, and only those it knows', () => {
    const headers = {
      'anthropic-version': '2026-10-21',
      'anthropic-beta': 'interleaved-thinking-2025-05-14,files-api-2025-04-14',
      'x-own': '1',
    };
    const body = {
      model: 'm',
      stream: true,
      max_tokens: 5,
      messages: [],
      service_tier: 'auto',
      mcp_servers: [],
      context_management: { edits: [] },
    };
    expect(transportOf(providerOf(33)).wrap?.({ headers, body }, 'claude')).toEqual({
      headers: { 'x-own': '1' },
      body: {
        max_tokens: 5,
        messages: [],
        context_management: { edits: [] },
        anthropic_version: 'bedrock-2023-05-31',
        anthropic_beta: ['interleaved-thinking-2025-05-14', 'context-management-2025-06-27'],
      },
    });
  });
});

describe('Vertex', () => {
  const at = (model: string, given: Partial<RequestPlan> = {}) =>
    address(41, { key: ACCOUNT, other: 'us-central1', model, ...given });
  const US = 'https://us-central1-aiplatform.googleapis.com/v1/projects/p-1/locations/us-central1';

  test.each([
    ['gemini-3.8-flash', false, 'publishers/google/models/gemini-3.8-flash:generateContent'],
    [
      'gemini-3.8-flash',
      true,
      'publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    ],
    ['claude-opus-5-5', false, 'publishers/anthropic/models/claude-opus-5-5:rawPredict'],
    [
      'claude-sonnet-4-5-20250929',
      true,
      'publishers/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict',
    ],
    [
      'claude-3-5-sonnet-20241022',
      false,
      'publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict',
    ],
    [
      'claude-opus-4-5@20251101',
      false,
      'publishers/anthropic/models/claude-opus-4-5@20251101:rawPredict',
    ],
    ['meta/llama-4-maas', true, 'endpoints/openapi/chat/completions'],
  ])('requests %s (stream: %s) at %s', (model, stream, tail) => {
    expect(at(model, { stream })).toBe(`${US}/${tail}`);
  });

  test.each([
    ['europe-west4', 'https://europe-west4-aiplatform.googleapis.com'],
    ['global', 'https://aiplatform.googleapis.com'],
    ['us', 'https://aiplatform.us.rep.googleapis.com'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com'],
  ])('is at the host of the region %s', (other, host) => {
    expect(at('gemini-3.8-flash', { other })).toContain(
      `${host}/v1/projects/p-1/locations/${other}/`,
    );
  });

  test("finds the region by the client's model name, the upstream's, and the default", () => {
    const other = JSON.stringify({ mine: 'us-east5', 'claude-opus-5': 'eu', default: 'global' });
    const regionOf = (given: Partial<RequestPlan>) =>
      /locations\/([^/]+)/.exec(at('claude-opus-5', { other, ...given }))?.[1];
    expect(regionOf({ clientModel: 'mine' })).toBe('us-east5');
    expect(regionOf({ clientModel: 'other' })).toBe('eu');
    expect(regionOf({ model: 'gemini-3.8-flash' })).toBe('global');
  });

  test('serves preview models in the next API version', () => {
    expect(at('gemini-3.1-pro-preview')).toContain('.com/v1beta1/projects/');
    expect(at('meta/llama-preview')).toContain('.com/v1/projects/');
  });

  test("takes an API key for Google's own models, without project and location", () => {
    const key = 'AIza-express';
    expect(address(41, { key, model: 'gemini-3.8-flash', stream: true })).toBe(
      'https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-3.8-flash:streamGenerateContent?alt=sse',
    );
    expect(buildRequest(plan(41, { key, model: 'gemini-3.8-flash' })).headers).toMatchObject({
      'x-goog-api-key': key,
    });
    expect(problemOf(() => address(41, { key, model: 'claude-opus-5' }))).toBe(
      'key_of_google_models',
    );
  });

  test('reports what is missing', () => {
    expect(problemOf(() => at('gemini-3.8-flash', { other: '' }))).toBe('region_missing');
    expect(problemOf(() => at('gemini-3.8-flash', { other: '{"a":"b"}' }))).toBe('region_missing');
    expect(problemOf(() => at('gemini-3.8-flash', { other: 'evil.example/x' }))).toBe(
      'region_invalid',
    );
    expect(problemOf(() => at('gemini-3.8-flash', { key: '{"project_id":"p"}' }))).toBe(
      'key_no_account',
    );
  });

  test('keeps beta flags of Claude in their header, and adds those that fields need', () => {
    const headers = {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m-2025-08-07,x',
    };
    const body = { model: 'm', stream: true, messages: [], context_management: {} };
    expect(transportOf(providerOf(41)).wrap?.({ headers, body }, 'claude')).toEqual({
      headers: { 'anthropic-beta': 'context-1m-2025-08-07,context-management-2025-06-27' },
      body: {
        stream: true,
        messages: [],
        context_management: {},
        anthropic_version: 'vertex-2023-10-16',
      },
    });
  });

  test('gets roles, but no ids of calls', () => {
    const parts = [
      { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: 's' },
      { functionResponse: { id: 'c1', name: 'f', response: {} } },
      { text: 'hi' },
    ];
    const sent = { headers: {}, body: { contents: [{ parts }, { role: 'model', parts: [] }] } };
    expect(transportOf(providerOf(41)).wrap?.(sent, 'gemini').body).toEqual({
      contents: [
        {
          role: 'user',
          parts: [
            { functionCall: { name: 'f', args: {} }, thoughtSignature: 's' },
            { functionResponse: { name: 'f', response: {} } },
            { text: 'hi' },
          ],
        },
        { role: 'model', parts: [] },
      ],
    });
  });
});
