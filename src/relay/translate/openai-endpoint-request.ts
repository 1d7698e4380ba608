/**
 * Builds the upstream body for OpenAI's endpoints without a conversation: the client's own bytes with as few changes as
 * possible.
 */
import { type ConversionName, conversionNamed } from '../../providers/conversions/all.ts';
import type {
  Conversion,
  ConversionInput,
  ConvertedBody,
} from '../../providers/conversions/conversion.ts';
import {
  filesOf,
  type MultipartFile,
  type MultipartForm,
  withFields,
  writeForm,
} from '../../providers/requests/multipart-form.ts';
import type { ProviderRow } from '../../providers/rows/provider-row.ts';
import { lengthOf, type WrittenJson, writeEdited, writeJson } from '../body/write-json.ts';
import type { Routed } from '../call/admitted.ts';
import { isUpstreamStream } from '../call/call-facts.ts';
import type { Intent, JsonObject } from '../call/call-intent.ts';
import type { Endpoint } from '../call/incoming-call.ts';
import { pricedBody } from '../call/priced-request.ts';
import type { Ports } from '../call/relay-ports.ts';
import type { UpstreamRequest } from '../http/upstream-call.ts';
import { isPassThrough, overridden, withModel } from './channel-override.ts';

export interface SentBody {
  readonly body: NonNullable<UpstreamRequest['body']>;
  /** Replaces the default headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The conversion of the call's endpoint, if its provider has its own format. */
export function conversionFor({ route: { plan } }: Routed): Conversion | undefined {
  return conversionOf(plan.provider, plan.endpoint);
}

export function conversionOf(
  { conversions }: ProviderRow,
  endpoint: Endpoint,
): Conversion | undefined {
  const name: ConversionName | undefined = conversions?.[endpoint];
  return name === undefined ? undefined : conversionNamed(name);
}

/** @throws AppError feature_unsupported for what the provider does not support. */
export async function endpointBody(relay: Ports<'ctx'>, call: Routed): Promise<SentBody> {
  const { intent } = call;
  const { channel, plan, upstreamModel } = call.route;
  const priced = pricedBody(call);
  if (isPassThrough(relay, channel)) return unconverted(intent, withModel(priced, upstreamModel));
  const shaped = plan.shapeBody?.(priced, isUpstreamStream(call)) ?? priced;
  const conversion = conversionFor(call);
  if (conversion !== undefined) return convertedBody(call, conversion, shaped);
  return unconverted(intent, overridden(shaped, channel));
}

async function unconverted(intent: Intent, body: JsonObject): Promise<SentBody> {
  if (intent.form !== undefined) return sentForm(withFields(intent.form, intent.sent, body));
  if (intent.embeds !== undefined)
    return asJson(await writeJson(intent, { ...body, encoding_format: 'float' }));
  return asJson(await writeEdited(intent, body));
}

function asJson(body: WrittenJson): SentBody {
  return { body, headers: { 'content-type': 'application/json', ...lengthOf(body) } };
}

function inPieces(pieces: readonly Buffer[], contentType: string): SentBody {
  return { body: pieces, headers: { 'content-type': contentType, ...lengthOf(pieces) } };
}

async function convertedBody(
  call: Routed,
  conversion: Conversion,
  shaped: JsonObject,
): Promise<SentBody> {
  const input = conversionInputOf(call);
  const converted = conversion.writeBody(shaped, input);
  const sent = isFileAlone(converted)
    ? sentAs(converted)
    : asJson(await writeJson(call.intent, overridden(converted, call.route.channel)));
  return withOwnHeaders(sent, conversion, input.model);
}

/** For a body that the gateway built, which is small. */
export function sentAs(converted: ConvertedBody): SentBody {
  if (isFileAlone(converted)) return inPieces(converted.file.pieces, converted.file.type);
  return asJson(JSON.stringify(converted));
}

/** Adds the headers that the provider needs for this endpoint. */
export function withOwnHeaders(sent: SentBody, conversion: Conversion, model: string): SentBody {
  const own = conversion.headers?.(model);
  return own === undefined ? sent : { ...sent, headers: { ...sent.headers, ...own } };
}

/** A form with a new boundary. */
export function sentForm(form: MultipartForm): SentBody {
  const { contentType, pieces } = writeForm(form);
  return inPieces(pieces, contentType);
}

function isFileAlone(body: ConvertedBody): body is { readonly file: MultipartFile } {
  return 'file' in body && typeof body.file === 'object' && body.file !== null;
}

/** What a conversion reads besides the body. */
export function conversionInputOf({
  incoming,
  intent,
  route: { upstreamModel },
}: Routed): ConversionInput {
  return {
    model: upstreamModel,
    files: filesOf(intent.form ?? []),
    ...(intent.embeds === undefined ? {} : { native: { requests: intent.embeds } }),
    createdSec: Math.floor(incoming.receivedAtMs / 1000),
  };
}
