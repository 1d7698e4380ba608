/** A call as received, before its body is validated. */
import * as z from 'zod/mini';
import type { Refusal, RefusalStyle } from './plans/plan.ts';
import type { Endpoint, Route } from './route.ts';

export interface Call {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly text: string;
  /** Where the caller thinks it is. */
  readonly host: string;
  /** The parsed body; undefined where `text` is no JSON. */
  readonly body: unknown;
}

/** The fields that every model call has, read before anything is known to be valid. */
export const Envelope = z.looseObject({
  model: z.nullish(z.string()),
  stream: z.optional(z.unknown()),
});

/** The model a call names: in the body, else as Azure's deployment. */
export function modelOf(route: Route, body: unknown): string {
  const model = Envelope.safeParse(body).data?.model;
  const isInPath =
    route.azure || ['generate', 'realtime'].includes(route.endpoint) || route.cloud !== undefined;
  return model ?? (isInPath ? (route.name ?? '') : '');
}

const OWN_STYLES: Readonly<Partial<Record<Endpoint, RefusalStyle>>> = {
  messages: 'anthropic',
  generate: 'gemini',
};

/** A refusal without a style of its own is worded as the vendor of the path does. */
export function inOwnWords(refusal: Refusal, { endpoint }: Route): Refusal {
  const style = OWN_STYLES[endpoint];
  return style === undefined ? refusal : { style, ...refusal };
}
