/**
 * Amazon Bedrock: Claude in Anthropic's format through InvokeModel, all other models through
 * Converse. Source: docs.aws.amazon.com/bedrock/latest/APIReference, "InvokeModel", "Converse",
 * "ListFoundationModels", "ListInferenceProfiles".
 */
import { type AwsKey, isAwsRegion, readAwsKey } from '../../domain/channels/cloud-keys.ts';
import { AppError } from '../../domain/errors/errors.ts';
import { unusableChannel } from '../../domain/errors/field-errors.ts';
import { headerValue } from '../requests/auth-headers.ts';
import { joinUrl, type UpstreamUrl } from '../requests/upstream-url.ts';
import { type ClaudeCloud, claudeCloudPayload } from './anthropic-clouds.ts';
import { bedrockModelId } from './bedrock-models.ts';
import type { Auth, RequestPlan, Transport } from './transport.ts';

const CLAUDE: ClaudeCloud = {
  version: 'bedrock-2023-05-31',
  flags: [
    'computer-use-',
    'token-efficient-tools-',
    'interleaved-thinking-',
    'output-128k-',
    'dev-full-thinking-',
    'context-1m-',
    'context-management-',
    'effort-',
    'tool-search-tool-',
    'tool-examples-',
    'fine-grained-tool-streaming-',
    'compact-',
  ],
  streamByPath: true,
  flagsInBody: true,
};

/** Actions by dialect: without and with streaming. */
const ACTIONS = {
  claude: ['invoke', 'invoke-with-response-stream'],
  converse: ['converse', 'converse-stream'],
} as const;

function familyOf(model: string): 'claude' | 'converse' {
  return /claude/i.test(model) ? 'claude' : 'converse';
}

export const BEDROCK_TRANSPORT: Transport = {
  families: ['claude', 'converse'],
  hasManyHosts: true,
  familyOf,
  offers: (_provider, endpoint) => endpoint === 'chat' || endpoint === 'models',
  url(plan) {
    if (plan.endpoint !== 'chat') throw new AppError('endpoint_unsupported', { model: plan.model });
    const { region } = keyOf(plan);
    const action = ACTIONS[familyOf(plan.model)][plan.stream ? 1 : 0];
    const id = encodeURIComponent(bedrockModelId(plan.model, region));
    return urlAt(plan, 'bedrock-runtime', `/model/${id}/${action}`);
  },
  lists: (plan) => [
    urlAt(plan, 'bedrock', '/foundation-models?byInferenceType=ON_DEMAND&byOutputModality=TEXT'),
    urlAt(plan, 'bedrock', '/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED'),
  ],
  auth(plan): Auth {
    const key = keyOf(plan);
    if (key.kind === 'bearer')
      return { headers: { authorization: `Bearer ${headerValue('key', key.apiKey)}` } };
    headerValue('key', key.accessKeyId + (key.sessionToken ?? ''));
    return {
      headers: {},
      credentials: { kind: 'aws', key, region: key.region, service: 'bedrock' },
    };
  },
  bytesOnly: ['claude', 'converse'],
  wrap: (payload, family) => (family === 'claude' ? claudeCloudPayload(payload, CLAUDE) : payload),
};

function keyOf({ key, other = '' }: RequestPlan): AwsKey {
  const read = readAwsKey(key, other);
  if (read === undefined)
    throw key === ''
      ? unusableChannel('value_missing', { name: 'key' })
      : unusableChannel('key_form', { forms: 'AccessKey|SecretKey|region, APIKey|region' });
  if (isAwsRegion(read.region)) return read;
  throw unusableChannel(read.region === '' ? 'region_missing' : 'region_invalid');
}

/** AWS has a host per service; a channel's own base URL is used for both. */
function urlAt(plan: RequestPlan, service: string, path: string): UpstreamUrl {
  const own = plan.baseUrl.replace('://bedrock-runtime.', `://${service}.`);
  return joinUrl(own === '' ? awsHost(service, keyOf(plan).region) : own, path, {
    model: plan.model,
    other: plan.other ?? '',
  });
}

function awsHost(service: string, region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${service}.${region}.${domain}`;
}
