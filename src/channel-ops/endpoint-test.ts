/** The requests that test embeddings, images, audio and rerank, and the check of their answers. */
import type { PlainAnswer } from '../dialects/hub/answer/answer-reader.ts';
import { isObject, type JsonObject } from '../json/read-json.ts';
import type { MultipartForm } from '../providers/requests/multipart-form.ts';
import { filesOf } from '../providers/requests/multipart-form.ts';
import { shapeBody } from '../providers/requests/shape-body.ts';
import { providerFor } from '../relay/call/channel-provider.ts';
import type { ArrivedBody } from '../relay/http/answer-types.ts';
import {
  type AnswerReading,
  readEndpointAnswer,
} from '../relay/translate/openai-endpoint-answer.ts';
import {
  conversionOf,
  type SentBody,
  sentAs,
  sentForm,
  withOwnHeaders,
} from '../relay/translate/openai-endpoint-request.ts';
import type { ChannelEntry } from '../services/cache/routing-cache.ts';

export type TestEndpoint = 'embeddings' | 'images' | 'speech' | 'transcriptions' | 'rerank';

interface TestBody {
  readonly fields: JsonObject;
  readonly form?: MultipartForm;
}

const SECOND_OF_SILENCE = silence();

/** As cheap as the endpoint allows. */
const TEST_BODIES: Readonly<Record<TestEndpoint, TestBody>> = {
  embeddings: { fields: { input: 'hi' } },
  images: { fields: { prompt: 'a red circle', n: 1, size: '1024x1024' } },
  speech: { fields: { input: 'hi', voice: 'alloy' } },
  transcriptions: {
    fields: {},
    form: [
      {
        name: 'file',
        filename: 'silence.wav',
        type: 'audio/wav',
        pieces: [SECOND_OF_SILENCE],
        bytes: SECOND_OF_SILENCE.length,
      },
    ],
  },
  rerank: { fields: { query: 'hi', documents: ['hi', 'bye'] } },
};

export interface EndpointTestRequest {
  readonly sent: SentBody;
  readonly reading: AnswerReading;
}

/** @throws AppError feature_unsupported */
export function endpointTestRequest(
  channel: ChannelEntry,
  endpoint: TestEndpoint,
  model: string,
): EndpointTestRequest {
  const provider = providerFor(channel);
  const { fields, form = [] } = TEST_BODIES[endpoint];
  const body = { model, ...fields };
  const shaping = { upstreamModel: model, stream: false, isListed: channel.models.has(model) };
  const shaped = shapeBody(provider, endpoint, body, shaping);
  const fitted = shaped === 'unchanged' ? body : shaped;
  const conversion = conversionOf(provider, endpoint);
  const target = { model, files: filesOf(form), createdSec: 0 };
  const reading = { endpoint, id: 'trial', model, body, conversion, input: target };
  if (conversion !== undefined) {
    const converted = conversion.writeBody(fitted, target);
    return { sent: withOwnHeaders(sentAs(converted), conversion, model), reading };
  }
  const fieldsOfForm = Object.entries(fitted).map(([name, value]) => ({
    name,
    value: String(value),
  }));
  const sent = form.length > 0 ? sentForm([...fieldsOfForm, ...form]) : sentAs(fitted);
  return { sent, reading };
}

/**
 * The answer as far as it can be read; 'audio' for binary data.
 * @throws AppError upstream_garbled
 */
export function readEndpointTestAnswer(
  reply: ArrivedBody,
  { reading }: EndpointTestRequest,
): PlainAnswer | 'audio' {
  const isJson = reply.type.startsWith('application/json');
  if (reading.endpoint === 'speech' && !isJson && reply.bytes.length > 0) return 'audio';
  return readEndpointAnswer(reading, reply);
}

/** Whether the answer contains what was requested. */
export function hasRequestedContent({ json, audio, delivered }: PlainAnswer): boolean {
  const lists = [json.data, json.results];
  return (
    audio !== undefined ||
    delivered.hasContent ||
    isObject(json.usage) ||
    typeof json.text === 'string' ||
    lists.some((list) => Array.isArray(list) && list.length > 0)
  );
}

/** One second, 8 kHz, 16 bit, mono. */
function silence(): Buffer {
  const bytes = 16_000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 8000],
    [28, 16_000],
    [40, bytes],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  return Buffer.concat([head, Buffer.alloc(bytes)]);
}
